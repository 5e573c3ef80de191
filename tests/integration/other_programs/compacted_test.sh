# A tuning and a map outlive `notmuch compact` and `xapian-compact` in a folder outside the index;
# beside the index they are lost, and that is said.
source "$(dirname "$0")/../assert.sh"
need xapian-compact
make_topics
tags() { expect 0 "$kindred" classify --db "$1" --id moon-1 --json "${@:2}"; }

# beside the index: lost, said, and made again
expect 0 "$kindred" tune --db topics.db
[ -e topics.db/kindred.tuning ] || fail "no tuning beside the index"
expect 0 "$kindred" topics train --db topics.db --rows 3 --columns 3
expect 0 "$kindred" status --db topics.db
if grep -q 'expected this file' "$err"; then fail "a loss, before there is one"; fi
xapian-compact topics.db compact.db >/dev/null
expect 0 "$kindred" status --db compact.db --json
errs "compact.db/kindred.tuning: expected this file, since the index was tuned; 'kindred tune' makes it again"
errs "compact.db/kindred.som: expected this file, since the index had a map; 'kindred topics train' makes it"
json 'j["tuning"] is None'
expect 0 "$kindred" status --db compact.db --verbose --json
[ "$(grep -c 'since the index was tuned' "$err")" = 1 ] || fail "a loss that is said twice"

# files that are brought along fit, for the index is the same under another uuid
cp topics.db/kindred.tuning topics.db/kindred.som compact.db/
expect 0 "$kindred" status --db compact.db --json
silent "$err"
json 'j["tuning"]'
expect 0 "$kindred" topics show --db compact.db --json
tags compact.db
cp "$out" compact.tags
tags topics.db
python3 -c 'import json, sys; a, b = (json.load(open(f))["tags"] for f in sys.argv[1:]); sys.exit(a != b)' \
  "$out" compact.tags || fail "other tags after compacting"

# those of another index do not
"$kindred" index --db other.db "$data/held_out.jsonl" >/dev/null
cp topics.db/kindred.tuning topics.db/kindred.som other.db/
expect 0 "$kindred" status --db other.db --json
json 'j["tuning"] is None and "made for another index" in j["tuning_unused"]'
expect 0 "$kindred" related --db other.db --text bread
silent "$err"

# what was taken away is not missed
expect 0 "$kindred" tune --db compact.db --remove
rm compact.db/kindred.som
expect 0 "$kindred" status --db compact.db --json
if grep -q tuning "$err"; then fail "a tuning that was removed is missed"; fi

# outside the index: nothing is lost where the path stays
mkdir kept
printf '[index]\ndirectory = "%s/kept"\n' "$work" >kept.toml
"$kindred" index --db away.db --config kept.toml "$data/topics.jsonl" >/dev/null
expect 0 "$kindred" tune --db away.db --config kept.toml
says "stored in $work/kept/away.db-"
expect 0 "$kindred" topics train --db away.db --config kept.toml --rows 3 --columns 3
expect 0 "$kindred" mirror --db away.db --config kept.toml
[ "$(ls kept | wc -l)" = 4 ] || fail "expected four files in kept/: $(ls kept)"
if ls away.db | grep -q kindred; then fail "a file beside the index"; fi
xapian-compact away.db smaller.db >/dev/null
rm -r away.db
mv smaller.db away.db
expect 0 "$kindred" log --db away.db --config kept.toml
says "edits: 40"
expect 0 "$kindred" status --db away.db --config kept.toml --json
silent "$err"
json 'j["tuning"]'
expect 0 "$kindred" topics show --db away.db --config kept.toml --json

# another index at the same path does not take them
rm -r away.db
"$kindred" index --db away.db "$data/held_out.jsonl" >/dev/null
expect 0 "$kindred" status --db away.db --config kept.toml --verbose --json
json 'j["tuning"] is None'
errs 'not used: made for another index'

# the same with notmuch's own compaction
command -v notmuch >/dev/null || exit 0
make_mail 'inbox;unread'
db=mail/.notmuch/xapian
expect 0 "$kindred" tune --db $db --config kept.toml
notmuch compact --quiet || fail "notmuch compact failed"
expect 0 "$kindred" status --db $db --config kept.toml --json
silent "$err"
json 'j["tuning"] and j["profile"] == "notmuch" and j["labels"] == 5'
expect 0 "$kindred" tune --db $db
notmuch compact --quiet || fail "notmuch compact failed"
expect 0 "$kindred" status --db $db --json
errs 'xapian/kindred.tuning: expected this file, since the index was tuned'
json 'j["tuning"] is None'
