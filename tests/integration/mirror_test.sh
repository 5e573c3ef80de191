# kindred mirror: a saved mirror is used, followed, and never trusted.
source "$(dirname "$0")/assert.sh"
make_topics

"$kindred" related --db topics.db --id moon-1 --json | timeless >before
expect 0 "$kindred" mirror --db topics.db
says 'saved the mirror of 40 documents in topics.db/kindred.mirror, 0.1 MB'
expect 0 "$kindred" mirror --db topics.db --json
json 'list(own) == ["path", "bytes", "documents"]'
json '(j["path"], j["documents"], j["revision"]) == ("topics.db/kindred.mirror", 40, 1)'
json 'j["bytes"] > 10000'
"$kindred" related --db topics.db --id moon-1 --json | timeless >after
cmp before after || fail "a saved mirror gave another answer"

# what was written since counts, whoever wrote it
"$kindred" index --db topics.db "$data/unlabeled.jsonl" >/dev/null
expect 0 "$kindred" status --db topics.db --json
json '(j["documents"], j["revision"]) == (45, 2)'
"$kindred" related --db topics.db --text 'moon orbit' --json | timeless >with
mv topics.db/kindred.mirror saved
"$kindred" related --db topics.db --text 'moon orbit' --json | timeless >without
cmp with without || fail "a saved mirror hid what was written since"

# a damaged one is named, and answers come without it
cp -r saved topics.db/kindred.mirror
for file in topics.db/kindred.mirror/*; do truncate -s -1 "$file"; done
expect 0 "$kindred" related --db topics.db --text 'moon orbit' --json --verbose
errs 'topics.db/kindred.mirror/list: the saved mirror is damaged'
timeless <"$out" | cmp - without || fail "a damaged mirror gave another answer"

# it can be saved again, and only where changes can be followed
expect 0 "$kindred" mirror --db topics.db
expect 0 "$kindred" related --db topics.db --text 'moon orbit' --json
silent "$err"
timeless <"$out" | cmp - without || fail "a mirror that was saved again gave another answer"
"$kindred" index --db more.db "$data/held_out.jsonl" >/dev/null
printf 'auto topics.db\nauto more.db\n' >stub
"$kindred" related --db stub --text 'moon orbit' --json | timeless >shards
expect 0 "$kindred" mirror --db stub
expect 0 "$kindred" related --db stub --text 'moon orbit' --json --verbose
errs 'stub.kindred-mirror: saved mirror: read 0 documents'
timeless <"$out" | cmp - shards || fail "a saved mirror of shards gave another answer"
xapian-compact --single-file topics.db single >/dev/null 2>&1
expect 1 "$kindred" mirror --db single
errs 'its mirror cannot be saved, since changes could not be followed'
[ ! -e single.kindred-mirror ] || fail "a mirror was saved that nobody can use"

# where only metadata are written, it is saved again: the next start has nothing to compare
"$kindred" index --db tuned.db "$data/topics.jsonl" >/dev/null
"$kindred" mirror --db tuned.db >/dev/null
expect 0 "$kindred" tune --db tuned.db
[ tuned.db/iamglass -ot tuned.db/kindred.mirror/list ] || fail "tune left the mirror behind"

# a command that has changed many documents saves it by itself, unless it may not
python3 - >many.jsonl <<'EOF2'
import json
for i in range(1200):
    print(json.dumps({"id": f"m{i}", "text": f"moon word{i % 50} thing{i % 7}"}))
EOF2
printf '[mirror]\nsave = "never"\n' >never.toml
"$kindred" index --db never.db --config never.toml many.jsonl >/dev/null
[ ! -e never.db/kindred.mirror ] || fail "a mirror was saved though mirror.save is never"
"$kindred" index --db many.db "$data/topics.jsonl" >/dev/null
[ ! -e many.db/kindred.mirror ] || fail "a mirror was saved for a few documents"
"$kindred" index --db many.db many.jsonl >/dev/null
expect 0 "$kindred" related --db many.db --id moon-1 --json --verbose
errs 'many.db/kindred.mirror: saved mirror: read 0 documents'
rm -r saved
cp -r many.db/kindred.mirror saved
"$kindred" ingest --db many.db "$data/unlabeled.jsonl" >/dev/null
diff -r many.db/kindred.mirror saved || fail "a mirror was saved again for a few documents"
"$kindred" ingest --db many.db many.jsonl >/dev/null
diff -r many.db/kindred.mirror saved >/dev/null && fail "ingest did not save the mirror"
expect 0 "$kindred" related --db many.db --id moon-1 --json --verbose
errs 'many.db/kindred.mirror: saved mirror: read 0 documents'
