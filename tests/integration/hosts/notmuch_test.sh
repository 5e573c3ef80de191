# The hook of examples/hosts/notmuch tags new mail, by notmuch itself.
source "$(dirname "$0")/../assert.sh"
need notmuch
glue=$(realpath "$data/../../examples/hosts/notmuch")
export KINDRED=$kindred
make_mail 'unread;inbox'
notmuch tag -unread -inbox -- '*'
notmuch tag +unread +inbox -space -science -- id:moon-2@example.org # it is there, so it is not new
db=mail/.notmuch/xapian
arrive() {  # id, words: a mail comes in, and notmuch new runs
  printf 'From: Nobody <nobody@example.org>\nDate: Sun, 02 Jan 2022 00:00:00 +0000\nMessage-ID: <%s>\nSubject: %s\n\n%s\n' \
    "$1" "$2" "$2" >"mail/new/$RANDOM$RANDOM"
  expect 0 notmuch new
}
tags() { notmuch search --output=tags -- "id:\"$1\"" | tr '\n' ' '; }
has_tags() { [ "$(tags "$1")" = "$2" ] || fail "$1 has the tags $(tags "$1"), expected $2"; }

NOTMUCH_CONFIG=$work/absent expect 1 "$glue/install.sh"
errs "notmuch has no database: run 'notmuch setup' and 'notmuch new' first"
expect 0 "$glue/install.sh"
says "made $work/mail/.notmuch/hooks/post-new"
errs 'mail that comes from now on is tagged'
grep -qF "KINDRED=\"$(realpath "$kindred")\"" mail/.notmuch/hooks/post-new || fail "the hook needs a PATH"
expect 0 "$glue/install.sh"
silent "$out"
before=$(notmuch dump)

# new mail is tagged, and nothing else is; odd ids are no trouble
arrive loaf@example.org 'bake the bread in a hot oven with flour and dough'
has_tags loaf@example.org 'auto/cooking inbox unread '
arrive 'odd)%20"+id@example.org' 'a guitar chord and a jazz melody'
has_tags 'odd)%20""+id@example.org' 'auto/music inbox unread '
arrive nonsense@example.org 'xyzzy'
has_tags nonsense@example.org 'inbox unread '
[ "$(notmuch dump -- not date:2022-01-02)" = "$before" ] || fail "old mail was changed"

# Kindred leaves nothing in the database: neither metadata nor terms nor values
[ -z "$(xapian-metadata list $db 2>/dev/null | grep -i kindred || true)" ] || fail "metadata of Kindred"
if xapian-delve -a -1 $db | grep -qE '^X(AUTO|TAGGED|NOT)'; then fail "terms of Kindred"; fi
ls mail/.notmuch/hooks/kindred | grep -q '\.mirror\|kindred-mirror' || fail "no saved mirror"
if ls $db | grep -q kindred; then fail "files of Kindred in the database"; fi

# what it gave is no label: it does not vote, and is not predicted
expect 0 "$kindred" status --db $db --json
json '(j["labels"], j["labeled"]) == (5, 39)'

# a tag that was taken off stays off, also if the mail is tagged again; others come back
notmuch tag -auto/cooking -- id:loaf@example.org
arrive goal@example.org 'the team scored a goal in the football league'
has_tags goal@example.org 'auto/sport inbox unread '
has_tags loaf@example.org 'inbox unread '
expect 0 "$glue/kindred_notmuch.py" --query 'date:2022-01-02' --dry-run
silent "$out"
expect 0 "$glue/kindred_notmuch.py" --query 'date:2022-01-02'
has_tags loaf@example.org 'inbox unread '
notmuch tag +auto/cooking -- id:loaf@example.org # somebody has thought again
expect 0 "$glue/kindred_notmuch.py"
expect 0 "$glue/kindred_notmuch.py" --query 'id:loaf@example.org' --dry-run
silent "$out"

# tags of people go before guesses, and old mail is tagged when it is asked for
notmuch tag +music -- id:goal@example.org
notmuch tag -space -science -- id:moon-1@example.org
expect 0 "$glue/kindred_notmuch.py"
has_tags goal@example.org 'inbox music unread '
has_tags moon-1@example.org ''
expect 0 "$glue/kindred_notmuch.py" --query 'id:moon-1@example.org' --dry-run
[ "$(cat "$out")" = '+auto/space -- id:moon-1@example.org' ] || fail "not what would change"
has_tags moon-1@example.org ''
expect 0 "$glue/kindred_notmuch.py" --query 'id:moon-1@example.org or id:bread-1@example.org'
has_tags moon-1@example.org 'auto/space '
has_tags bread-1@example.org 'cooking '

# a compacted database is another one: what is known of mail still holds, and nothing is taken back
notmuch tag -auto/cooking -- id:loaf@example.org
expect 0 "$glue/kindred_notmuch.py"
expect 0 notmuch compact --quiet
notmuch tag +flagged -- id:moon-2@example.org
arrive late@example.org 'simmer the soup with onions'
has_tags late@example.org 'auto/cooking inbox unread '
expect 0 "$glue/kindred_notmuch.py" --query 'id:loaf@example.org or id:goal@example.org'
has_tags loaf@example.org 'inbox unread '
has_tags moon-2@example.org 'flagged inbox unread '

# what kindred changes by hand is found by programs that ask what has changed
last=$(notmuch count --lastmod '*' | cut -f3)
expect 0 "$kindred" tag --db mail/.notmuch/xapian --id goal@example.org --add opera
expect 0 "$kindred" label rename --db mail/.notmuch/xapian cooking baking
changed=$(notmuch search --output=messages "lastmod:$((last + 1)).." | sort | tr '\n' ' ')
[ "$changed" = "$(notmuch search --output=messages tag:opera or tag:baking | sort | tr '\n' ' ')" ] ||
  fail "lastmod says that these have changed: $changed"
[ "$(notmuch count tag:baking)" -gt 0 ] || fail "no mail has the new name"

# an empty database
mkdir -p none/cur
notmuch config set database.path "$work/none"
expect 0 notmuch new
expect 0 "$glue/install.sh"
expect 0 notmuch new
notmuch config set database.path "$work/mail"

# a hook that is there is left as it is, and a failure is told
printf '#!/bin/sh\nnotmuch tag -new -- tag:new\n' >mail/.notmuch/hooks/post-new
expect 0 "$glue/install.sh"
says "kindred_notmuch.py"
KINDRED=/bin/false expect 1 "$glue/kindred_notmuch.py"
errs '/bin/false settings'
