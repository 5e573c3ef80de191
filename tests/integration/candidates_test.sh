# kindred candidates: documents that a label would suit.
source "$(dirname "$0")/assert.sh"
make_topics
cp "$data/unlabeled.jsonl" more.jsonl
printf '%s\n' '{"id": "both", "title": "Soup in orbit", "labels": ["cooking"],
"text": "The probe reached orbit, and the soup boils on the moon"}' | tr '\n' ' ' >>more.jsonl
"$kindred" index --db topics.db more.jsonl >/dev/null

expect 0 "$kindred" candidates --db topics.db space
if grep -q 'because of' "$out"; then fail "reasons that nobody asked for"; fi
says 'new-moon'
says 'documents without the label'
silent "$err"
expect 0 "$kindred" candidates --db topics.db space --explain
says 'because of'
says '  because of moon'

expect 0 "$kindred" candidates --db topics.db space --json
json 'list(own) == ["examined", "found", "candidates", "next"]'
json 'all(list(c) == ["id", "docid", "title", "confidence", "labels", "predicted"] for c in j["candidates"])'
json 'answer["request"]["label"] == "space" and j["candidates"][0]["id"] == "new-moon" and len(lines) == 1'
json '[c["labels"] for c in j["candidates"] if c["id"] == "both"] == [["cooking"]]'
json 'all(a["confidence"] >= b["confidence"] > 0 for a, b in zip(j["candidates"], j["candidates"][1:]))'
json 'all("space" not in c["labels"] for c in j["candidates"])'
cp "$out" all

# the confidence is that of classify, and so are the reasons
expect 0 "$kindred" classify --db topics.db --id new-moon --json --explain
cp "$out" one
expect 0 "$kindred" candidates --db topics.db space --json --explain --limit 1
python3 - one "$out" <<'EOF2' || fail "another confidence or reason than that of classify"
import json, sys
one, found = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
best, reason = one["tags"][0], one["reasons"][0]
candidate = found["candidates"][0]
assert best["label"] == "space" and best["confidence"] == candidate["confidence"]
assert candidate["reason"] == reason
EOF2

expect 0 "$kindred" candidates --db topics.db space --min-confidence 0.5 --json
json 'j["candidates"] and all(c["confidence"] >= 0.5 for c in j["candidates"])'
expect 0 "$kindred" candidates --db topics.db space --filter label:cooking --json
json 'j["examined"] == 11 and j["candidates"] and all("cooking" in c["labels"] for c in j["candidates"])'
expect 0 "$kindred" candidates --db topics.db space --limit 1
says '; the best 1 are shown'
expect 0 "$kindred" candidates --db topics.db space --json --threads 1
same all "one thread answers differently"

# predicted tags, refusals and documents that opted out
"$kindred" tag --db topics.db --all >/dev/null
expect 0 "$kindred" candidates --db topics.db space --json
json 'all(c["id"] != "new-moon" for c in j["candidates"])'
expect 0 "$kindred" candidates --db topics.db space --predicted --json
json 'j["candidates"][0]["id"] == "new-moon" and "space" in j["candidates"][0]["predicted"]'
"$kindred" tag --db topics.db --id new-moon --reject space >/dev/null
expect 0 "$kindred" candidates --db topics.db space --predicted --json
json 'all(c["id"] != "new-moon" for c in j["candidates"])'

expect 1 "$kindred" candidates --db topics.db spcae
errs "no document has the label 'spcae'; the nearest names are 'space', "
expect 1 "$kindred" candidates --db topics.db space --filter tab:x
errs "unknown field 'tab'"
