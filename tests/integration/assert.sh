# Sourced by the tests of this folder, which are called with the path of the kindred program.
# shellcheck shell=bash
set -euo pipefail

# A wrapper that chooses between versions of Python takes ten times as long to start as Python.
[ ! -x /usr/bin/python3 ] || PATH=/usr/bin:$PATH

kindred=$(realpath "$1")
data=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../data")
work=$(mktemp -d)
out=$work/.out  # standard output and error of the latest `expect`
err=$work/.err
unset KINDRED_CONFIG KINDRED_DB
export XDG_CONFIG_HOME=$work/.config  # none of the settings of whoever runs the tests
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "FAILED at line ${BASH_LINENO[${#BASH_LINENO[@]} - 2]}: $*"
  [ ! -s "$out" ] || sed 's/^/  out: /' "$out" | head -20
  [ ! -s "$err" ] || sed 's/^/  err: /' "$err" | head -20
  exit 1
}

skip() {
  echo "skipped: $*"
  exit 77
}

# need TOOL...: the test is skipped unless all are there
need() {
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
  done
}

# expect STATUS COMMAND...: runs it and checks its exit status
expect() {
  local wanted=$1 status=0
  shift
  "$@" >"$out" 2>"$err" || status=$?
  [ "$status" -eq "$wanted" ] || fail "'$*' exited with $status, expected $wanted"
}

# says / errs TEXT: the latest output / standard error holds the text
says() { grep -qF -- "$1" "$out" || fail "no '$1' in the output"; }
errs() { grep -qF -- "$1" "$err" || fail "no '$1' on standard error"; }
silent() { [ ! -s "$1" ] || fail "expected nothing in $1"; }

# json EXPRESSION: holds for the latest output; j is its first line, lines are all of them
json() {
  python3 - "$1" "$out" <<'PYTHON' || fail "not true: $1"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
j = lines[0]
sys.exit(0 if eval(sys.argv[1]) else 1)
PYTHON
}

# documents DB: how many it holds
documents() {
  "$kindred" status --db "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["documents"])'
}

# make_topics: the database topics.db of 40 labeled documents
make_topics() { "$kindred" index --db topics.db "$data/topics.jsonl" >/dev/null; }

# hold_lock DB: another writer takes the write lock of DB, and keeps it until release_lock
hold_lock() {
  mkfifo writer_input
  "$kindred" index --db "$1" writer_input >/dev/null &
  writer=$!
  exec 7>writer_input
}
release_lock() {
  exec 7>&-
  wait "$writer" || fail "the writer that held the lock failed"
  rm writer_input
}

# locked_out COMMAND...: fails for want of the lock, once the other writer has it
locked_out() {
  local status
  for _ in $(seq 100); do
    status=0
    "$@" >"$out" 2>"$err" || status=$?
    [ $status = 0 ] || break
    sleep 0.05
  done
  [ $status = 1 ] || fail "two writers at once"
  errs 'lock'
}

# make_mail TAGS: a database of notmuch in the folder mail, with the documents of tests/data and
# their labels as tags. New mail gets the TAGS.
make_mail() {
mkdir -p mail/cur mail/new mail/tmp
python3 - "$data/topics.jsonl" <<'EOF2'
import json, sys
for n, line in enumerate(open(sys.argv[1])):
    record = json.loads(line)
    with open("mail/cur/%d:2,S" % n, "w", encoding="utf-8") as mail:
        mail.write("From: Nobody <nobody@example.org>\nTo: list@example.org\nMIME-Version: 1.0\n"
                   "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n"
                   "Date: Sat, 01 Jan 2022 00:00:%02d +0000\nMessage-ID: <%s@example.org>\n"
                   "Subject: %s\n\n%s\n" % (n, record["id"], record["id"], record["text"]))
EOF2
printf '[database]\npath=%s/mail\n[user]\nname=Nobody\nprimary_email=nobody@example.org\n[new]\ntags=%s\n[search]\nexclude_tags=\n' \
  "$work" "$1" >notmuch.conf
export NOTMUCH_CONFIG=$work/notmuch.conf HOME=$work
notmuch new >"$out" 2>"$err" || fail "notmuch new failed"
python3 - "$data/topics.jsonl" <<'EOF2' | notmuch tag --batch
import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    print(" ".join("+" + label for label in record["labels"]) + " -- id:%s@example.org" % record["id"])
EOF2
}
