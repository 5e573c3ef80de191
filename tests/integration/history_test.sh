# kindred log, undo and review: who changed which tags, taking that back, and what to look at.
source "$(dirname "$0")/assert.sh"
make_topics
user=$(id -un)

# Each command that changes tags leaves who, how and what.
"$kindred" ingest --db topics.db "$data/unlabeled.jsonl" >/dev/null
expect 0 "$kindred" log --db topics.db --how ingest --json
json 'j["found"] == len(j["edits"]) > 0 and all(e["run"] == j["edits"][-1]["edit"] for e in j["edits"])'
json "all(e['who'] == '$user' and e['steps'][0]['step'] == 'predicted' for e in j['edits'])"
id=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["edits"][0]["id"])' "$out")
label=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["edits"][0]["steps"][0]["label"])' "$out")
"$kindred" tag --db topics.db "$id" --accept "$label" --add extra --who anna >/dev/null 2>&1
"$kindred" tag --db topics.db "$id" --reject extra --who ben >/dev/null
"$kindred" label rename --db topics.db cooking kitchen >/dev/null
expect 0 "$kindred" log --db topics.db "$id"
says 'anna'
says "+extra, =$label"
says '!extra'
says 'edits: 3'
expect 0 "$kindred" log --db topics.db --who anna --since 1h --until 2999-01-01 --json
json 'j["found"] == 1 and j["edits"][0]["how"] == "edit" and j["next"] is None'
expect 0 "$kindred" log --db topics.db --how label --limit 3 --json
json 'len(j["edits"]) == 3 < j["found"] and j["next"] == j["edits"][-1]["edit"]'
json 'all({s["step"]: s["label"] for s in e["steps"]} in ({"given": "kitchen", "taken_off": "cooking"}, {"predicted": "kitchen", "dropped": "cooking"}) for e in j["edits"])'
run=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["edits"][0]["run"])' "$out")

# What was changed again since stays.
expect 0 "$kindred" undo --db topics.db --day "$(date -u +%F)" --by anna --dry-run
says 'would take back 1 tag of 1 document, of 1 edit'
says "$id: extra (changed again by ben, edit"
expect 0 "$kindred" undo --db topics.db --run "$run"
says 'took back'
expect 0 "$kindred" label list --db topics.db --query kitchen --json
json 'j["found"] == 0'

expect 2 "$kindred" undo --db topics.db
errs 'expected --edit, --run or --day'
expect 1 "$kindred" undo --db topics.db --edit 999999
errs 'the history has no edit 999999; it begins with edit 1'
expect 1 "$kindred" log --db topics.db --since yesterday
errs "log.since: expected a day such as 2026-11-29"

# A damaged history is read as far as it is whole, and stops nobody.
printf 'garbage' | dd of=topics.db/kindred.history bs=1 seek=40 conv=notrunc status=none
expect 0 "$kindred" log --db topics.db --limit 1
errs 'bytes of the history are damaged, and left out'
expect 0 "$kindred" tag --db topics.db "$id" --add more

# Off, nothing is kept.
rm topics.db/kindred.history
expect 0 "$kindred" tag --db topics.db "$id" --add again --set history.keep=false
[ ! -e topics.db/kindred.history ] || fail "a history in spite of history.keep"
expect 0 "$kindred" log --db topics.db
says 'edits: 0'

# The review has missing and wrong tags, copies that people tagged differently, labels that are
# perhaps one, and how right predicted tags were.
make_topics
python3 - >copies.jsonl <<'PYTHON'
import json
for i, label in enumerate(["space", "Spaces"]):
    print(json.dumps({"id": f"copy{i}", "title": "A <copy>", "labels": [label],
                      "text": "The probe reached orbit and the rocket landed on the moon"}))
for i in range(3):
    print(json.dumps({"id": f"new{i}", "text": f"The rocket {i} brought the probe to orbit of the moon"}))
PYTHON
"$kindred" ingest --db topics.db copies.jsonl >/dev/null
"$kindred" tag --db topics.db new0 new1 --reject space >/dev/null
"$kindred" tag --db topics.db new2 --accept space >/dev/null
expect 0 "$kindred" review --db topics.db --limit 3
says 'Copies with different tags'
says 'differ in Spaces, space: copy0 copy1'
says 'Tags that are perhaps one'
says '  space: right 33 % of 3, before none judged'
says 'predicted tags that people judged right: 33 % of 3 in the last 7 days'
expect 0 "$kindred" review --db topics.db --limit 3 --json
json 'j["judged"] == {"accepted": 1, "refused": 2, "right": 1 / 3} and j["judged_before"]["right"] is None'
json '[d["label"] for d in j["drifting"]] == ["space"] and j["given"] == 3 and j["copies_found"] == 1'
json '["Spaces", "space"] in [s["labels"] for s in j["spellings"]]'
expect 0 "$kindred" review --db topics.db --limit 3 --min-similarity 0 --json
json 'j["copies"] == []'
expect 0 "$kindred" review --db topics.db --limit 3 --atom
python3 - "$out" <<'PYTHON' || fail "not an Atom feed"
import sys, xml.etree.ElementTree as tree
ATOM = "{http://www.w3.org/2005/Atom}"
feed = tree.parse(sys.argv[1]).getroot()
entries = feed.findall(ATOM + "entry")
ids = [entry.find(ATOM + "id").text for entry in entries]
assert feed.tag == ATOM + "feed" and len(set(ids)) == len(ids) > 2
assert any("A <copy>" in entry.find(ATOM + "summary").text for entry in entries)
PYTHON
expect 2 "$kindred" review --db topics.db --atom --json
