# kindred-imap of examples/hosts/imap with a server of its own.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # it commits often
source "$(dirname "$0")/../assert.sh"
tests=$data/../integration/hosts
python3 -c 'import tomllib' 2>"$err" || skip "Python has no tomllib"
PYTHONPATH=$tests python3 -B -c 'import imap_cyrus, imap_dovecot
exit(not (imap_dovecot.program() or imap_cyrus.program()))' || skip "neither Dovecot nor Cyrus is installed"
chmod 755 "$work" # the server has its own user
library=$(realpath "$(dirname "$kindred")/../libkindred.so")
expect 0 python3 -W ignore "$tests/imap_mailbox_test.py" "$library" "$data/topics.jsonl" "$work"
