# Documents one by one: kindred show, search and delete. Also kindred label, index --split, and kindred
# evaluate of a file by itself.
source "$(dirname "$0")/assert.sh"
make_topics
"$kindred" ingest --db topics.db "$data/unlabeled.jsonl" >/dev/null
"$kindred" tag --db topics.db --id new-soup --reject cooking >/dev/null

# show
expect 0 "$kindred" show --db topics.db moon-2
says 'moon-2'
says 'title: Moon rocks'
says 'tags from people: science, space'
says 'text: Astronauts brought'
expect 0 "$kindred" show --db topics.db new-moon --id new-soup --docid 1 --json
json '[l["id"] for l in lines] == ["new-moon", "new-soup", "moon-1"] and lines[2]["docid"] == 1'
json 'j["predicted"][0]["label"] == "space" and lines[1]["rejected_labels"] == ["cooking"]'
json 'lines[2]["labels"] == ["space"] and "topic" not in j'
"$kindred" topics train --db topics.db --rows 3 --columns 3 --topics 2 >/dev/null
expect 0 "$kindred" show --db topics.db moon-1 --json
json 'j["topic"]["number"] in (1, 2) and j["url"] == "https://example.org/moon-1"'
expect 1 "$kindred" show --db topics.db nobody
errs "no document with id 'nobody'"

# a long text is cut between words
python3 -c 'import json; print(json.dumps({"id": "long", "text": "größer " * 90}))' >long.jsonl
"$kindred" index --db long.db long.jsonl >/dev/null
expect 0 "$kindred" show --db long.db long
says ' größer…'
expect 0 "$kindred" search --db long.db größer
says 'größer größer'


# a document without a title is shown by its first words, wherever documents are listed
"$kindred" index --db topics.db long.jsonl >/dev/null
expect 0 "$kindred" related --db topics.db --text größer
says 'größer größer'
expect 0 "$kindred" related --db topics.db --text größer --json
json 'j["results"][0]["title"].startswith("größer größer") and j["results"][0]["title"].endswith("…")'
expect 0 "$kindred" show --db topics.db long --json
json 'j["title"] == ""'
"$kindred" delete --db topics.db long >/dev/null

# ids as arguments
"$kindred" related --db topics.db --id moon-1 >by_option
expect 0 "$kindred" related --db topics.db moon-1
cmp -s by_option "$out" || fail 'an argument is another id'
expect 0 "$kindred" classify --db topics.db moon-1 --json
json 'j["id"] == "moon-1"'

expect 0 "$kindred" tag --db topics.db moon-1 star-1 --add argued --json
errs "'argued' is a new label"
json '[(l["id"], "argued" in l["labels"]) for l in lines] == [("moon-1", True), ("star-1", True)]'
expect 0 "$kindred" tag --db topics.db moon-1 --id star-1 --take-off argued --json
json 'all("argued" not in l["labels"] for l in lines) and len(lines) == 2'
expect 2 "$kindred" tag --db topics.db moon-1
errs '--add, --take-off, --opt-out or --opt-in with ID'

# --voters: the nearest five, with titles
expect 0 "$kindred" classify --db topics.db moon-2 --voters
says 'Apollo lands on the Moon'
says 'voters; --json has all'
[ "$(grep -c '^0\.[0-9]*  [a-z0-9-]*  ' "$out")" -ge 5 ] || fail 'fewer than five voters'

# search: the document that is named, then the best first, as Xapian ranks them
expect 0 "$kindred" search --db topics.db moon-1 --json
json 'j["documents"][0]["id"] == "moon-1" and j["total"] == {"estimate": len(j["documents"]), "exact": True}'
expect 0 "$kindred" search --db topics.db 'moon orbit' --json
json '[r["id"] for r in j["documents"]] == ["new-moon", "moon-1"] and j["total"]["estimate"] == 2'
expect 0 "$kindred" search --db topics.db 'predicted:space'
says 'Back to the Moon  space?'
expect 0 "$kindred" search --db topics.db 'tag:space' --limit 100 --json
json 'all("space" in d["labels"] + [t["label"] for t in d["predicted"]] for d in j["documents"])'
json 'j["total"]["estimate"] == 11'
expect 0 "$kindred" search --db topics.db 'label:space' --limit 3
says 'the best 3 of 10 documents'
expect 0 "$kindred" search --db topics.db nothinglikeit
says 'no document matches'
expect 0 "$kindred" search --db topics.db 'apollo lands'  # begins a title
says 'moon-1'
expect 0 "$kindred" search --db topics.db 'orbti'
says 'did you mean: orbit'
expect 1 "$kindred" search --db topics.db 'nofield:moon'
errs "unknown field 'nofield'"

# labels: where people gave them, where they are predicted, and where they are rejected
expect 0 "$kindred" label list --db topics.db --json
json '[l for l in j["labels"] if l["label"] == "cooking"] == [{"label": "cooking", "documents": 10, "predicted": 0, "rejected": 1}]'

# lists of labels: in pages, by name, or those of most documents first
printf '%s\n' '{"id":"a","labels":["Zürich","zurich west","b"]}' '{"id":"b","labels":["Zürich","ärzte"]}' \
  '{"id":"c","labels":["zurich west","Zürich"]}' '{"id":"d","labels":["c","b"]}' >cities.jsonl
"$kindred" index --allow-empty --db cities.db cities.jsonl >/dev/null
listed() { # the labels that are expected, found and next; options
  expect 0 "$kindred" label list --db cities.db --json "${@:2}"
  json "([l['label'] for l in j['labels']], j['found'], j['next']) == $1"
}
listed '(["Zürich", "b", "c", "zurich west", "ärzte"], 5, None)'
listed '(["Zürich", "b"], 5, 2)' --limit 2
listed '(["c", "zurich west"], 5, 4)' --limit 2 --offset 2
listed '(["ärzte"], 5, None)' --limit 2 --offset 4
listed '([], 5, None)' --offset 9
listed '(["Zürich", "b", "zurich west", "c", "ärzte"], 5, None)' --sort documents
listed '(["Zürich", "zurich west"], 2, None)' --query ZURICH
listed '(["Zürich"], 2, 1)' --query zürich --limit 1
listed '(["ärzte"], 1, None)' --query Arzt
listed '([], 0, None)' --query nothing
expect 0 "$kindred" label list --db cities.db --limit 2 --sort documents
says '2 of 5 labels'
expect 2 "$kindred" label list --db cities.db --sort size
expect 2 "$kindred" label list --db cities.db --limit 0
expect 0 "$kindred" label rename --help
grep -A1 'NEW' "$out" | grep -q 'empty' && fail 'the help offers a name that is refused'
expect 0 "$kindred" label rename --db topics.db cooking food --dry-run
says 'would change 11 documents'
printf '{"id":"n%s","text":"bread","labels":["nest/a%s","nest"]}\n' 1 1 2 2 >nested.jsonl
"$kindred" index --db nested.db nested.jsonl >"$out"
expect 0 "$kindred" label rename --db nested.db nest home
errs '2 labels below it keep their names: nest/a1, nest/a2'
expect 0 "$kindred" label rename --db nested.db home house
silent "$err"
expect 0 "$kindred" label rename --db topics.db cooking ' food ' --json
json '(j["dry_run"], j["documents"]) == (False, 11)'
expect 0 "$kindred" show --db topics.db bread-1 new-soup --json
json 'j["labels"] == ["food"] and lines[1]["rejected_labels"] == ["food"]'
expect 1 "$kindred" label rename --db topics.db cooking food
errs "no document has the label 'cooking'"
"$kindred" tag --db topics.db --all >/dev/null # what the others tell of it has changed
"$kindred" show --db topics.db new-moon --json >before
expect 0 "$kindred" label rename --db topics.db space sky
expect 0 "$kindred" show --db topics.db new-moon --json
sed 's/"space"/"sky"/' before >renamed
same renamed 'the confidence is another one'
expect 0 "$kindred" tag --db topics.db --all --json
json '(j["changed"], j["rejected"]) == (0, 0)' # nobody has taken anything off
expect 0 "$kindred" label rename --db topics.db science sky
expect 0 "$kindred" show --db topics.db moon-2 --json
json 'j["labels"] == ["sky"]'
expect 0 "$kindred" label remove --db topics.db sky
says 'changed 14 documents'
expect 0 "$kindred" show --db topics.db moon-2 new-moon --json
json 'j["labels"] == [] and lines[1]["predicted"] == [] and "rejected_labels" not in lines[1]'
expect 1 "$kindred" label rename --db topics.db food food
errs 'expected another name'
expect 1 "$kindred" label remove --db topics.db foot
errs "did you mean 'food'?"

# delete
expect 0 "$kindred" delete --db topics.db --query 'label:food' --dry-run
says 'would delete 10 documents'
says 'bread-1  Sourdough bread'
[ "$(documents topics.db)" = 45 ] || fail 'a dry run deleted'
expect 0 "$kindred" delete --db topics.db --query 'label:food'
says 'deleted 10 documents'
expect 1 "$kindred" delete --db topics.db moon-1 bread-1 moon-1 --json
errs "no document with id 'bread-1'"
json 'j == {"dry_run": False, "deleted": 1, "unknown": 1}'
echo moon-2 | expect 0 "$kindred" delete --db topics.db --ids-from -
[ "$(documents topics.db)" = 33 ] || fail 'other documents were deleted'

# a label that a record gives is not rejected, also after it was
echo '{"id":"g","text":"moon","labels":["sky"],"rejected_labels":["sky","sea"]}' >given.jsonl
expect 0 "$kindred" index --db given.db given.jsonl
expect 0 "$kindred" show --db given.db g --json
json 'j["labels"] == ["sky"] and j["rejected_labels"] == ["sea"]'
expect 0 "$kindred" tag --db given.db g --reject sky
echo '{"id":"g","text":"moon","labels":["sky"]}' >given.jsonl
expect 0 "$kindred" index --db given.db given.jsonl
expect 0 "$kindred" show --db given.db g --json
json 'j["labels"] == ["sky"] and j["rejected_labels"] == ["sea"]'

# an index without ids: docids in digits are taken everywhere
make_index plain.db 'words("", "moon")' < <(printf '{}\n%.0s' 1 2 3 4)
expect 0 "$kindred" related --db plain.db --id 2 --json
expect 0 "$kindred" tag --db plain.db 2 --add space
expect 0 "$kindred" tag --db plain.db --docid 3 --add space
expect 0 "$kindred" label list --db plain.db --json
json 'j["labels"][0]["documents"] == 2'
expect 1 "$kindred" tag --db plain.db --docid 9 --add space
errs 'no document with docid 9'
expect 1 "$kindred" tag --db plain.db 02 --add space
errs "no document with id '02'"
expect 0 "$kindred" delete --db plain.db 1
expect 0 "$kindred" delete --db plain.db --docid 4
[ "$(documents plain.db)" = 2 ] || fail 'documents of an index without ids stayed'
expect 0 "$kindred" delete --db plain.db --all
[ "$(documents plain.db)" = 0 ] || fail 'documents without ids stayed'

# an id of several documents names none of them
make_index twice.db 'words("", "moon"), term("Qsame")' < <(printf '{}\n%.0s' 1 2 3)
for command in "related" "show" "tag --add x" "delete"; do
  # shellcheck disable=SC2086
  expect 1 "$kindred" $command --db twice.db same
  errs "the id 'same' is that of 3 documents; name one by its docid: 1, 2, 3"
done
expect 0 "$kindred" show --db twice.db --docid 2
expect 0 "$kindred" delete --db twice.db --docid 2
[ "$(documents twice.db)" = 2 ] || fail 'another document was deleted'

# splits
python3 - "$data/topics.jsonl" <<'E2'
import json, sys
records = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
with open("split.jsonl", "w") as file:
    for n, record in enumerate(records):
        print(json.dumps(dict(record, split="test" if n % 4 == 0 else "train")), file=file)
E2
expect 0 "$kindred" index --db train.db --split train split.jsonl
says 'added 30,'
expect 0 "$kindred" evaluate --db train.db --jsonl split.jsonl --split test
grep -v seconds "$out" | sed 2d >by_database
mkdir tmp
export TMPDIR=$work/tmp
expect 0 "$kindred" evaluate split.jsonl
grep -v seconds "$out" | sed 2d >by_itself
cmp -s by_database by_itself || fail 'a file by itself has other measures'
sed -n 1p "$out" | grep -q '^The best tag is right for [0-9]* of 10 documents; of the tags given [0-9]* % are right' || fail 'no sentence'
says 'Measured: split.jsonl, split test by the others'
expect 0 "$kindred" evaluate "$data/topics.jsonl" --json
json 'j["documents"] == 8' # every fifth
expect 1 "$kindred" evaluate "$data/unlabeled.jsonl"
errs 'unlabeled.jsonl: no records with labels to learn from'
grep '"test"' split.jsonl >test.jsonl
expect 1 "$kindred" evaluate test.jsonl
errs 'test.jsonl: no records with labels to learn from'
[ -z "$(ls tmp)" ] || fail 'a temporary index is left'
