# kindred related: by id, docid, text, several examples, filters, explanations.
source "$(dirname "$0")/assert.sh"
make_topics
related() { expect 0 "$kindred" related --db topics.db "$@"; }

related --id moon-1 --json
json 'list(answer) == ["question", "request", "revision", "results", "seconds"] and j["revision"] == 1'
json 'all(list(r) == ["id", "docid", "similarity", "rank_score", "labels", "title"] for r in j["results"])'
json '0 < len(j["results"]) <= 10 and "moon-1" not in [r["id"] for r in j["results"]]'
ordered() { json "[(-r['$1'], r['docid']) for r in j['results']] == sorted((-r['$1'], r['docid']) for r in j['results'])"; }
ordered rank_score
json 'all(0 < r["similarity"] <= 1 for r in j["results"]) and j["results"][0]["id"] == "moon-2"'
cp "$out" by_id
related --docid 1 --json
same by_id "id and docid of one document differ"

# without feedback, the order is by the similarity to the example, which stays what it was
cp "$out" moved
related --id moon-1 --no-feedback --limit 40 --json
ordered similarity
json 'all(r["rank_score"] == r["similarity"] for r in j["results"])'
json 'all({r["id"]: r["similarity"] for r in j["results"]}[m["id"]] == m["similarity"] for m in json.load(open("moved"))["results"])'
related --id moon-1 --no-feedback --limit 1
says 'similarity  docid'

related --id moon-1 --limit 3
says 'rank score  similarity'
says 'Moon rocks'
[ "$(wc -l <"$out")" = 4 ] || fail "expected a heading and 3 rows"

related --id moon-1 --json --explain --limit 2
json 'all(list(t) == ["term", "word", "contribution"] for r in j["results"] for t in r["terms"])'
json 'all(abs(sum(t["contribution"] for t in r["terms"]) - r["similarity"]) < 1e-5 for r in j["results"])'
json 'all(list(t) == ["term", "word", "contribution", "id", "docid"] for r in j["results"] for t in r["neighbor_terms"])'
json 'all(t["docid"] != r["docid"] and t["term"] not in [o["term"] for o in r["terms"]] for r in j["results"] for t in r["neighbor_terms"])'
related --id moon-1 --explain -k 2
says '  because of moon 81.0 %, lunar'
says '  also '

# a stem is explained by the word of what was asked, not by that of most documents
words() { json '{t["term"]: t["word"] for r in j["results"] for t in r["terms"]}.items() >= '"$1"'.items()'; }
related --text 'an astronaut between two moons and a rover' --json --explain --limit 40
words '{"Zmoon": "moons", "Zastronaut": "astronaut", "Zrover": "rover"}'
related --id moon-1 --json --explain --limit 40
words '{"Zmoon": "moon", "Zastronaut": "astronauts"}'
related --id moon-1 --text moons --json --explain --limit 40
words '{"Zastronaut": "astronauts"}'
expect 0 "$kindred" classify --db topics.db --text 'an astronaut between moons' --json --explain
json '[t["word"] for t in j["reasons"][0]["terms"]] == ["moons", "astronaut"]'

# texts, from the command line, a file, standard input
related --text 'strum the guitar' --json
json 'j["results"][0]["id"].startswith("guitar-")'
cp "$out" by_text
printf 'strum the guitar' >text
related --text-file text --json
same by_text "--text and --text-file differ"
related --text-file - --json <text
same by_text "--text and standard input differ"
related --lang de --text 'Saiten der Gitarre' --json
json 'j["results"][0]["id"] == "gitarre-de"'
related --text '-k' --json
related --text '[moon,mars]' --json
json 'len(j["results"]) > 0'
related --text $'caf\xe9 moon' --json
json 'len(j["results"]) > 0'

# examples and counter-examples are never results
related --id moon-1 --id bread-1 --json --limit 40
json 'not {"moon-1", "bread-1"} & {r["id"] for r in j["results"]}'
json '{"moon-2", "bread-2"} <= {r["id"] for r in j["results"]}'
related --id moon-1 --unlike moon-2 --unlike star-1 --json --limit 40
json 'not {"moon-1", "moon-2", "star-1"} & {r["id"] for r in j["results"]}'

# limits and filters
related --id moon-1 --min-similarity 0.99 --json
json 'j["results"] == []'
related --id moon-1 --min-similarity 0.99
says 'no related documents'
related --id moon-1 --filter 'label:science' --json
json '{r["id"] for r in j["results"]} <= {"moon-2", "mars-2", "star-1", "cake-2", "sound-1", "run-2"}'
json 'len(j["results"]) > 0'
related --id moon-1 --filter 'title:rocks NOT label:science' --json
json 'j["results"] == []'
related --id moon-1 --filter '-label:science' --limit 40 --json
json 'len(j["results"]) > 0 and "moon-2" not in [r["id"] for r in j["results"]]'
cp "$out" by_minus
related --id moon-1 --filter 'NOT label:science' --limit 40 --json
same by_minus "-label:x and NOT label:x differ"
related --id moon-1 --filter 'label:nosuchlabel' --json
json 'j["results"] == []'
for query in 'tab:space' 'subject:moon' 'labels:science' '"moon' '(((' 'moon)' '!!' 'label:'; do
  expect 1 "$kindred" related --db topics.db --id moon-1 --filter "$query"
  errs "kindred: filter '$query': "
done
expect 1 "$kindred" related --db topics.db --id moon-1 --filter 'moon labels:science'
errs "byte 6: unknown field 'labels', did you mean 'label'?"
python3 -c 'print("[classify]\nvote = \"prototype\"\nprototypes = \"(moon\"")' >prototypes.toml
expect 1 "$kindred" classify --db topics.db --config prototypes.toml --text moon
errs 'byte 1: a bracket that is not closed'
for command in tune suspects duplicates; do
  expect 1 "$kindred" $command --db topics.db --filter 'tab:x'
  errs "byte 1: unknown field 'tab'"
done
expect 1 "$kindred" tag --db topics.db --query 'tab:x'
errs "byte 1: unknown field 'tab'"
python3 -c 'print("moon" + " OR moon" * 30000, end="")' >operators.txt
printf '[classify]\nvote = "prototype"\nprototypes = "%s"\n' "$(cat operators.txt)" >operators.toml
expect 1 "$kindred" classify --db topics.db --config operators.toml --text moon
errs 'expected at most 65536 bytes'
related --text 'zzyzx plugh' --json
json 'j["results"] == []'
related --text '' --json
json 'j["results"] == []'

# what cannot be found
expect 1 "$kindred" related --db topics.db --id nobody
errs "no document with id 'nobody'"
expect 1 "$kindred" related --db topics.db --docid 4000
errs 'docid 4000'
expect 1 "$kindred" related --db topics.db --id moon-1 --unlike nobody
errs 'nobody'
expect 1 "$kindred" related --db topics.db --text-file missing
errs 'missing: the file cannot be read'
expect 1 "$kindred" related --db topics.db --text-file "$work"
errs 'cannot be read'

# the best documents of a query as examples and counter-examples
related --like-query 'title:moon' --json
cp "$out" by_query
json 'not {"moon-1", "moon-2"} & {r["id"] for r in j["results"]} and j["results"]'
related --like-query 'id:moon-1 id:moon-2' --unlike-query id:star-1 --limit 40 --json
cp "$out" by_query
related --id moon-1 --id moon-2 --unlike star-1 --limit 40 --json
same by_query "a query and ids of the same documents differ"
related --id bread-1 --like-query moon --like-top 1 --limit 40 --json
json '"bread-1" not in [r["id"] for r in j["results"]]'
json 'len({"moon-1", "moon-2"} & {r["id"] for r in j["results"]}) == 1'
expect 1 "$kindred" related --db topics.db --like-query unicorn
errs "like_query: no document matches 'unicorn'"
expect 1 "$kindred" related --db topics.db --like-query tab:x
errs "byte 1: unknown field 'tab'"

# near-duplicates are folded
python3 - "$data/topics.jsonl" >copies.jsonl <<'EOF2'
import json, sys
moon = json.loads(open(sys.argv[1], encoding="utf-8").readline())
for i in range(5):
    print(json.dumps(moon | {"id": f"copy-{i}", "text": moon["text"] + " Eagle." * (i == 4)}))
EOF2
"$kindred" index --db topics.db copies.jsonl >/dev/null
related --id moon-2 --limit 3 --json
json 'all("folded" not in r for r in j["results"])'
related --id moon-2 --limit 3 --fold --json
json 'j["results"][0]["id"] == "moon-1" and len(j["results"]) == 3'
json 'all(list(f) == ["id", "docid", "similarity"] for r in j["results"] for f in r["folded"])'
json '[f["id"] for f in j["results"][0]["folded"]][:4] == ["copy-0", "copy-1", "copy-2", "copy-3"]'
json 'all(r["folded"] == [] for r in j["results"][1:])'
related --id moon-2 --limit 3 --fold 0.8 --json
json '[f["id"] for f in j["results"][0]["folded"]][4:] == ["copy-4"]'
related --id moon-2 --limit 3 --fold 1 --json
json '[f["id"] for f in j["results"][0]["folded"]] == ["copy-0", "copy-1", "copy-2", "copy-3"]'
related --id moon-2 --limit 3 --fold
says '4: copy-0, copy-1, copy-2, [...]'
related --id moon-1 --fold 1 --limit 1 --json
json 'j["results"][0]["id"] == "copy-0" and len(j["results"][0]["folded"]) == 3'
