# kindred-imap of examples/hosts/imap with a server of its own, where Dovecot or Cyrus is installed.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # it commits often
source "$(dirname "$0")/../assert.sh"
tests=$data/../integration/hosts
python3 -c 'import tomllib' 2>"$err" || skip "Python has no tomllib"
chmod 755 "$work" # the server has its own user
library=$(realpath "$(dirname "$kindred")/../libkindred.so")
expect 0 python3 -W ignore "$tests/imap_mailbox_test.py" "$library" "$data/topics.jsonl" "$work"
