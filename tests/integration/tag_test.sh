# kindred tag: runs over an index, killed and started again, and what people say about tags.
source "$(dirname "$0")/assert.sh"
make_topics
revision() { "$kindred" status --db "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["revision"])'; }

# a dry run says what would change, and changes nothing
"$kindred" index --db topics.db "$data/unlabeled.jsonl" >/dev/null
before=$(revision topics.db)
expect 0 "$kindred" tag --db topics.db --all --dry-run
says 'would change 4 of 45 documents: 5 tags given, 0 taken off'
says '4 with predicted tags, 40 with tags from people, 0 opted out'
says 'new-moon: +space 0.9'
silent "$err"
expect 0 "$kindred" tag --db topics.db --all --dry-run --json
json 'list(own) == ["dry_run", "matched", "continued", "examined", "gone", "written", "tagged", "labeled", "opted_out", "changed", "given", "taken_off", "rejected", "allowed", "sample", "run"]'
json 'j["dry_run"] is True and (j["matched"], j["changed"], j["given"], j["revision"]) == (45, 4, 5, '"$before"')'
json 'list(j["sample"][0]) == ["id", "docid", "given", "taken_off"] and len(j["sample"]) == 4'
[ "$(revision topics.db)" = "$before" ] || fail "a dry run wrote"

# the run does that; again, there is nothing to do
expect 0 "$kindred" tag --db topics.db --query 'moon' --json
json '(j["dry_run"], j["changed"]) == (False, 1)'
expect 0 "$kindred" tag --db topics.db --all --json
json '(j["changed"], j["tagged"], j["written"]) == (3, 4, 3)'
before=$(revision topics.db)
expect 0 "$kindred" tag --db topics.db --all --json
json '(j["changed"], j["tagged"], j["written"]) == (0, 4, 0)'
[ "$(revision topics.db)" = "$before" ] || fail "a run without changes wrote"

# what people say is kept
expect 0 "$kindred" tag --db topics.db --id new-moon --reject space --json
json 'j == {"id": "new-moon", "labels": [], "predicted": ["science"], "rejected": ["space"], "auto_tag": True}'
expect 0 "$kindred" tag --db topics.db --id new-soup --id new-song --opt-out
says 'opted out'
expect 0 "$kindred" tag --db topics.db --all --restart --json
json '(j["changed"], j["tagged"], j["opted_out"]) == (0, 2, 2)'
expect 0 "$kindred" ingest --db topics.db --json "$data/unlabeled.jsonl"
json '(j["replaced"], j["tagged"]) == (5, 2)'
expect 0 "$kindred" status --db topics.db --json
json '(j["tagged"], j["pending"], j["opted_out"], j["rejected"]) == (2, 0, 2, 1)'
expect 0 "$kindred" classify --db topics.db --id new-moon
says 'withheld: space'
expect 0 "$kindred" classify --db topics.db --id new-moon --json
json '[t["label"] for t in j["tags"]] == ["science"] and j["withheld"][0]["label"] == "space"'
expect 0 "$kindred" related --db topics.db --text 'moon rocks' --filter 'rejected:space' --json
json '[r["id"] for r in j["results"]] == ["new-moon"]'
expect 0 "$kindred" tag --db topics.db --id new-moon --undo space
expect 0 "$kindred" tag --db topics.db --id new-soup --id new-song --opt-in
expect 0 "$kindred" tag --db topics.db --all --json
json '(j["changed"], j["tagged"]) == (3, 4)'

# labels of people
expect 0 "$kindred" tag --db topics.db --id new-moon --add space --add "night sky" --json
json 'j == {"id": "new-moon", "labels": ["night sky", "space"], "predicted": ["science"], "rejected": [], "auto_tag": True}'
expect 0 "$kindred" related --db topics.db --text 'moon rocks' --filter 'label:"night sky"' --json
json '[r["id"] for r in j["results"]] == ["new-moon"]'
expect 0 "$kindred" tag --db topics.db --id new-moon --take-off space --take-off "night sky"
silent "$err"
expect 0 "$kindred" tag --db topics.db --query moon --json
json '(j["changed"], j["tagged"]) == (1, 1)'
expect 1 "$kindred" tag --db topics.db --id new-moon --take-off space
errs "document 'new-moon' does not have the label 'space', but a predicted tag, which can be rejected"
expect 0 "$kindred" tag --db topics.db --id new-moon --accept space --reject sport --json
json '(j["labels"], j["rejected"]) == (["space"], ["sport"])'
expect 1 "$kindred" tag --db topics.db --id new-moon --take-off spaze
errs "document 'new-moon' does not have the label 'spaze'; did you mean 'space'?"
expect 0 "$kindred" tag --db topics.db --id new-moon --undo space --undo sport --json
json '(j["labels"], j["rejected"]) == ([], [])'
expect 0 "$kindred" tag --db topics.db --query moon --json
expect 1 "$kindred" tag --db topics.db --id new-moon --add x --take-off x
errs "label 'x' is both given and taken off"

# rejections end at once
expect 0 "$kindred" tag --db topics.db --id new-moon --reject space --reject music
expect 0 "$kindred" tag --db topics.db --id new-soup --reject cooking
expect 0 "$kindred" tag --db topics.db --query 'moon' --allow-all --dry-run
says '2 rejected tags would be allowed again'
expect 0 "$kindred" tag --db topics.db --query 'moon' --allow-all --json
json '(j["allowed"], j["rejected"], j["given"]) == (2, 0, 1)'
expect 0 "$kindred" tag --db topics.db --all --allow-all
says '1 rejected tag allowed again'
expect 0 "$kindred" tag --db topics.db --all --allow-all --json
json '(j["allowed"], j["tagged"], j["written"]) == (0, 4, 0)'

# nothing matches, and that is said
expect 0 "$kindred" tag --db topics.db --query 'label:nobody'
says 'no document matches'
expect 0 "$kindred" tag --db topics.db --pending
says 'no document matches'

# documents without a word are those that do not have it
expect 0 "$kindred" tag --db topics.db --query 'moon' --dry-run --json
with=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["matched"])' "$out")
expect 0 "$kindred" tag --db topics.db --query=-Moon --dry-run --json
json 'j["matched"] + '"$with"' == 45'

# errors are clear
expect 1 "$kindred" tag --db topics.db --query 'moon XOR'
errs "moon XOR"
silent "$out"
expect 1 "$kindred" tag --db topics.db --id nobody --reject space
errs "no document with id 'nobody'"
expect 1 "$kindred" tag --db absent.db --all
errs 'absent.db: no such database'
[ ! -e absent.db ] || fail "a database was made"
"$kindred" index --db none.db "$data/unlabeled.jsonl" >/dev/null
expect 1 "$kindred" tag --db none.db --all
errs 'no document has a label, so there are no voters'
for wrong in '' '--id new-moon' '--reject space' '--all --query moon' '--id x --reject a --dry-run' \
  '--id x --opt-in --opt-out' '--allow-all' '--id x --undo a --allow-all'; do
  # shellcheck disable=SC2086
  expect 2 "$kindred" tag --db topics.db $wrong
  errs 'kindred: '
done

# another writer holds the lock
hold_lock topics.db
locked_out "$kindred" tag --db topics.db --all
expect 0 "$kindred" tag --db topics.db --all --dry-run
release_lock
