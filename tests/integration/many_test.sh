# Many documents at once: ids from a file or standard input, the documents of a query, all of them.
source "$(dirname "$0")/assert.sh"
make_topics
"$kindred" index --db topics.db "$data/unlabeled.jsonl" >/dev/null

# classify: as one by one, in the order of the ids, with a line for an id that nobody has
printf 'new-soup\n\n  moon-1\r\nnobody\n' >ids.txt
expect 1 "$kindred" classify --db topics.db --ids-from ids.txt --json
errs "ids.txt:4: no document with id 'nobody'"
json '[j.get("id") for j in lines] == ["new-soup", "moon-1", None] and lines[2]["line"] == 4'
json 'lines[2]["error"] == "no document with id '"'nobody'"'" and lines[0]["docid"] > 40'
head -1 "$out" >many
expect 0 "$kindred" classify --db topics.db --id new-soup --json
python3 - many "$out" <<'PYTHON' || fail "many and one differ"
import json, sys
many, one = (json.load(open(path)) for path in sys.argv[1:])
sys.exit(many["tags"] != one["tags"])
PYTHON
printf 'moon-1\nbread-1\n' | expect 0 "$kindred" classify --db topics.db --ids-from - --voters --json
json '[j["tags"][0]["label"] for j in lines] == ["space", "cooking"] and all(j["voters"] for j in lines)'
expect 0 "$kindred" classify --db topics.db --query 'NOT label:space NOT label:sport NOT label:music NOT label:cooking NOT label:science' --json
json 'len(lines) == 5 and all(j["id"].startswith("new-") for j in lines)'
expect 0 "$kindred" classify --db topics.db --all
[ "$(wc -l <"$out")" = 45 ] || fail "expected a line for each document"
expect 1 "$kindred" classify --db topics.db --query 'tab:x'
errs "unknown field 'tab'"
printf '\xef\xbb\xbfmoon-1\r\nbread-1\r\n' | expect 0 "$kindred" related --db topics.db --ids-from - --json
json '[line["id"] for line in lines] == ["moon-1", "bread-1"]'
printf '\xef\xbb\xbfmoon' >marked.txt
expect 0 "$kindred" analyze --text-file marked.txt --json
cp "$out" marked
expect 0 "$kindred" analyze --text moon --json
cmp -s marked "$out" || fail "a byte order mark is part of a text"
expect 1 "$kindred" classify --db topics.db --ids-from missing
errs 'missing: the file cannot be read'
expect 2 "$kindred" classify --db topics.db --ids-from ids.txt --all
expect 2 "$kindred" classify --db topics.db --ids-from ids.txt --id moon-1

# related: the same, as JSON, as lines with tabs, into a file
expect 1 "$kindred" related --db topics.db --ids-from ids.txt --limit 3 --json
json 'lines[1]["id"] == "moon-1" and lines[1]["results"][0]["id"] == "new-moon" and len(lines[1]["results"]) == 3'
expect 0 "$kindred" related --db topics.db --query 'label:space' --limit 2 --filter 'label:space'
grep -qP '^moon-1\tmoon-2\t' "$out" || fail "no line of moon-1"
expect 0 "$kindred" related --db topics.db --all --limit 3 --out related.tsv
silent "$out"
[ "$(wc -l <related.tsv)" = 45 ] || fail "expected a line for each document"
grep -qP '^moon-1\tnew-moon\tmoon-2\t' related.tsv || fail "no line of moon-1"
expect 2 "$kindred" related --db topics.db --out related.tsv --id moon-1
expect 2 "$kindred" related --db topics.db --all --id moon-1
expect 2 "$kindred" related --db topics.db --ids-from ids.txt --store
expect 2 "$kindred" related --db topics.db --store

# stored in the index: for templates of Omega, whose lists have tabs between their items
expect 0 "$kindred" related --db topics.db --all --limit 3 --store --json
json '(j["matched"], j["examined"], j["gone"]) == (45, 45, 0) and j["written"] > 40'
need_delve() { command -v xapian-delve >/dev/null; }
if need_delve; then
  value=$(xapian-delve -1 -r 1 -V7003 topics.db | grep '^Value 7003' | sed 's/^[^:]*: //; s/\\x09/\t/g')
  [ "$value" = "$(grep -P '^moon-1\t' related.tsv | cut -f2-)" ] || fail "stored: $value"
fi
expect 0 "$kindred" related --db topics.db --all --limit 3 --store --json
json 'j["written"] == 0'
printf '[related]\nslot = 42\n' >slot.toml
expect 0 "$kindred" related --db topics.db --query 'id:moon-1' --store --config slot.toml
says 'wrote related documents of 1 of 1 documents into value slot 42'
printf '[related]\nslot = 7001\n' >taken.toml
expect 1 "$kindred" related --db topics.db --all --store --config taken.toml
errs 'related.slot: expected a slot other than'
omega=${KINDRED_OMEGA:-/usr/lib/cgi-bin/omega/omega}
[ -x "$omega" ] || exit 0
mkdir -p databases templates log
cp -r topics.db databases/default
printf 'database_dir %s/databases\ntemplate_dir %s/templates\nlog_dir %s/log\ncdb_dir %s\n' "$work" "$work" "$work" "$work" >omega.conf
# shellcheck disable=SC2016
printf '$hitlist{$field{id}: $list{$value{7003}, + }\n}' >templates/query
OMEGA_CONFIG_FILE=$work/omega.conf "$omega" 'P=lunar orbit' >"$out" 2>"$err" || fail "omega failed"
says "moon-1: new-moon + moon-2 + "
