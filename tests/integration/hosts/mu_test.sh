# The hook of examples/hosts/mu tags new mail by its header, and mu4e finds related mail.
source "$(dirname "$0")/../assert.sh"
need mu
glue=$(realpath "$data/../../examples/hosts/mu")
export KINDRED=$kindred HOME=$work XDG_DATA_HOME=$work/data
make_mu_mail
hook() { expect 0 "$glue/kindred_mu.py" --muhome mu "$@"; }
tags() { mu find --muhome=mu --fields=x "msgid:$1@example.org" 2>/dev/null | tr '\n' ' '; }
has_tags() { [ "$(tags "$1")" = "$2 " ] || fail "$1 has the tags '$(tags "$1")', expected '$2'"; }
arrive() { mail "$@" && index_mail; }
# edit ID SCRIPT: another program edits a mail. `mu index` passes over what changed in the second of its
# last run; `mu add` does not.
edit() {
  sed -i "$2" "mail/inbox/cur/$1:2,S"
  expect 0 mu add --muhome=mu "$work/mail/inbox/cur/$1:2,S"
}

expect 1 "$glue/kindred_mu.py" --muhome absent
errs "kindred: mu has no database in absent/xapian: run 'mu init' and 'mu index' first"
hook
errs 'mail that comes from now on is tagged'
[ -z "$(grep -rl 'auto/' mail || true)" ] || fail 'old mail was tagged'

# new mail is tagged, beside its other headers; mail with tags of its own is left alone
arrive loaf 'Hot bread' 'bake the bread in a hot oven with flour and dough' ''
arrive own 'Soup' 'a soup with onions' 'mine'
cp mail/inbox/cur/loaf:2,S before
hook --dry-run
says 'X-Keywords: auto/cooking  '
hook
has_tags loaf auto/cooking
has_tags own mine
[ "$(diff before mail/inbox/cur/loaf:2,S | grep '^[<>]')" = '> X-Keywords: auto/cooking' ] || fail 'not one header'
expect 0 "$kindred" status --db mu/xapian --json
json '(j["labels"], j["labeled"]) == (6, 41)' # guesses are no labels

# a tag that was taken off stays off; tags of people go before guesses
edit loaf '/^X-Keywords/d'
arrive goal 'Goal' 'the team scored a goal in the football league' ''
hook
has_tags loaf ''
has_tags goal auto/sport
hook --query 'msgid:loaf@example.org'
has_tags loaf ''
edit goal 's/^X-Keywords.*/X-Keywords: auto\/sport, music,\n jazz/'
hook
has_tags goal music,jazz
grep -q '^X-Keywords: music, jazz$' mail/inbox/cur/goal:2,S || fail 'the header was not mended'

command -v emacs >/dev/null || exit 0
mkdir bin
ln -s "$kindred" bin/kindred
PATH=$work/bin:$PATH expect 0 emacs --batch -l "$glue/kindred-mu4e.el" --eval "(progn
  (setq kindred-mu-home \"$work/mu\") (princ (kindred-related-query '(:message-id \"Moon-1@example.org\"))))"
expect 0 mu find --muhome=mu --fields=i "$(cat "$out")"
says moon-2@example.org
