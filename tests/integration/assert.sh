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

# json EXPRESSION: holds for the latest output. lines are its lines: of an answer (docs/json.md) its
# keys with those of parts of it; of one about several documents a line for each. j is the first
# line, answer the answer itself, own the keys of its question.
json() {
  python3 - "$1" "$out" <<'PYTHON' || fail "not true: $1"
import json, sys
MANY = {"classify": "answers", "documents": "documents", "edit": "documents", "topic_of": "places"}
ENVELOPE = ("question", "request", "revision", "shards", "seconds")
def view(line):
    if not {"question", "request"} <= line.keys(): return [line]
    question = line["question"]
    if MANY.get(question) in line: return line[MANY[question]]
    flat = {key: line[key] for key in ("revision", "shards", "seconds") if key in line}
    for part in ("map",) + (("tuning",) if question == "tune" else ()):
        flat.update(line.get(part) or {})
    return [{**flat, **own_keys(line)}]
def own_keys(line): return {key: value for key, value in line.items() if key not in ENVELOPE}
answers = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
lines = [each for line in answers for each in view(line)]
answer, j = (answers + [{}])[0], (lines + [{}])[0]
own = own_keys(answer)
sys.exit(0 if eval(sys.argv[1]) else 1)
PYTHON
}

# same FILE WHY: the latest output has the results of FILE, whatever was asked
same() {
  python3 - "$1" "$out" <<'PYTHON' || fail "$2"
import json, sys
def results(path):
    for line in open(path, encoding="utf-8"):
        yield {key: value for key, value in json.loads(line).items()
               if key not in ("question", "request", "revision", "shards", "seconds")}
sys.exit(0 if list(results(sys.argv[1])) == list(results(sys.argv[2])) else 1)
PYTHON
}

# timeless: standard input without the seconds at the ends of answers
timeless() { sed 's/,"seconds":[-+0-9.e]*}$/}/'; }

# documents DB: how many it holds
documents() {
  "$kindred" status --db "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["documents"])'
}

# make_topics: the database topics.db of 40 labeled documents
make_topics() { "$kindred" index --db topics.db "$data/topics.jsonl" >/dev/null; }

# make_index DB CODE: CODE, in Python, adds words and terms of each line of standard input to a document
make_index() {
  python3 -c '
import json, sys, xapian
database = xapian.WritableDatabase(sys.argv[1], xapian.DB_CREATE)
generator = xapian.TermGenerator()
for n, line in enumerate(sys.stdin):
    document = xapian.Document()
    generator.set_document(document)
    words = lambda prefix, text: generator.index_text(text, 1, prefix)
    term = document.add_boolean_term
    exec(sys.argv[2])
    database.add_document(document)' "$@"
}

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
  errs 'another program is writing to it'
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

index_mail() { expect 0 mu index --muhome=mu; }

# mail ID SUBJECT TEXT TAGS: a mail in the folder mail of mu
mail() {
  printf 'From: Nobody <nobody@example.org>\nTo: list@example.org\nMIME-Version: 1.0\n' >"mail/inbox/cur/$1:2,S"
  printf 'Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\nDate: Sat, 01 Jan 2022 00:00:00 +0000\n%sMessage-ID: <%s@example.org>\nSubject: %s\n\n%s\n' \
    "${4:+X-Keywords: $4$'\n'}" "$1" "$2" "$3" >>"mail/inbox/cur/$1:2,S"
}

# make_mu_mail: mu/xapian, of the documents of tests/data and their labels, and of odd.txt with a long id
make_mu_mail() {
  mkdir -p mail/inbox/{cur,new,tmp}
  echo 'Café Ærø Đak ΑΘΉΝΑ İstanbul ½ naïve Straße foo_bar 3.14' >odd.txt
  mail odd "" "$(cat odd.txt)" ""
  sed -i "s/^Message-ID: <odd/Message-ID: <$(printf "X%.0s" {1..300})/" mail/inbox/cur/odd:2,S
  python3 -c 'import json, shlex, sys
for r in map(json.loads, sys.stdin):
    print("mail", *map(shlex.quote, (r["id"], "Re: \"%s\" \\o/" % r["id"], r["text"], ", ".join(r["labels"]))))
' <"$data/topics.jsonl" >mails.sh
  source ./mails.sh
  HOME=$work expect 0 mu init --maildir="$work/mail" --muhome=mu
  index_mail
}

# make_zim [TOPIC] [OPTION...]: wiki.zim, a hundred articles on each of TOPIC, music and food, and a copy
make_zim() {
  rm -rf html wiki.zim
  python3 - "${1:-space}" <<'EOF2'
import base64, os, random, sys
random.seed(7)
words = {sys.argv[1]: "rocket planet orbit moon crater launch comet star", "music": "song guitar choir melody drum opera",
         "food": "bread soup oven flour salt butter cream pepper"}
def write(path, title, text):
    with open("html/" + path, "w", encoding="utf-8") as file:
        file.write("<html><head><meta charset=utf-8><title>%s</title></head><body>%s</body></html>" % (title, text))
for topic, known in words.items():
    os.makedirs("html/A/" + topic)
    for n in range(100):
        text = " ".join(random.choices(known.split(), k=30)) + " and some %s crème number%d" % (known.split()[0], n)
        write("A/%s/%d.html" % (topic, n), "Über %s, Nº %d" % (topic, n), text)
        if (topic, n) == ("music", 1): write("A/music/1copy.html", "Über music, Nº 1", text)
write("index.html", "Front", "NOINDEX")
open("html/i.png", "wb").write(base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAAAAAByaaZbAAAAG0lEQVR4nGNgGAWjYBSMglEwCkbBKBgFgw0AAAYwAAGY8ZbCAAAAAElFTkSuQmCC"))
EOF2
  zimwriterfs --welcome=index.html --illustration=i.png --language=eng --name=wiki --title=Wiki --description=d \
    --longDescription=dd --creator=c --publisher=p "${@:2}" html wiki.zim >"$out" 2>"$err" || fail 'zimwriterfs failed'
}
