# kindred duplicates: groups of documents that are nearly the same.
source "$(dirname "$0")/assert.sh"
make_topics

expect 0 "$kindred" duplicates --db topics.db
says 'groups of near-duplicates: 0, with 0 of 40 documents'
silent "$err"

# a copy, and a copy of the copy with one more sentence; another text that is there three times
python3 - "$data/topics.jsonl" >copies.jsonl <<'EOF2'
import json, sys
records = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
moon, soup = records[0], next(r for r in records if "soup" in r["text"])
for name, record, more in [("moon-copy", moon, ""), ("moon-changed", moon, " The surface of the Moon."),
                           ("soup-copy", soup, ""), ("soup-third", soup, ""), ("soup-fourth", soup, "")]:
    print(json.dumps({"id": name, "title": record["title"], "text": record["text"] + more,
                      "labels": ["copy"], "lang": "en"}))
EOF2
"$kindred" index --db topics.db copies.jsonl >/dev/null
expect 0 "$kindred" duplicates --db topics.db --json
json 'list(own) == ["examined", "found", "grouped", "groups"]'
json '(j["examined"], j["found"], j["grouped"], len(lines)) == (45, 2, 7, 1)'
json 'all(list(g) == ["least_similarity", "greatest_similarity", "documents"] for g in j["groups"])'
json 'all(list(d) == ["id", "docid", "title", "labels"] for g in j["groups"] for d in g["documents"])'
json '[len(g["documents"]) for g in j["groups"]] == [4, 3]'
json '[d["id"] for d in j["groups"][1]["documents"]] == ["moon-1", "moon-copy", "moon-changed"]'
json 'j["groups"][1]["documents"][1]["labels"] == ["copy"]'
json '0.95 <= j["groups"][1]["least_similarity"] < j["groups"][1]["greatest_similarity"] == 1'
json 'j["groups"][0]["least_similarity"] == 1'

expect 0 "$kindred" duplicates --db topics.db --min-similarity 1
says 'groups of near-duplicates: 2, with 6 of 45 documents'
says 'moon-copy'
if grep -q moon-changed "$out"; then fail "another text is called the same"; fi
expect 0 "$kindred" duplicates --db topics.db --limit 1
says 'groups of near-duplicates: 2, with 7 of 45 documents; the largest 1 are shown'
if grep -q moon "$out"; then fail "a group beyond the limit"; fi
expect 0 "$kindred" duplicates --db topics.db --filter label:copy --json
json '(j["examined"], j["found"], j["grouped"]) == (5, 2, 5)'
"$kindred" duplicates --db topics.db --min-similarity 0.2 --threads 1 --json >one
expect 0 "$kindred" duplicates --db topics.db --min-similarity 0.2 --threads 2 --json
same one "two threads answer differently"

# ingest names the document that each one is most like, be it in the index or in the same batch
"$kindred" index --db again.db "$data/topics.jsonl" >/dev/null
expect 0 "$kindred" ingest --db again.db --set ingest.near_duplicates=0.95 copies.jsonl
says 'moon-copy: nearly the same as moon-1 (docid 1), similarity 1.0000'
says 'soup-fourth: nearly the same as'
says 'tagged 0, near-duplicates 5 in'
expect 0 "$kindred" index --db again.db --set ingest.near_duplicates=0.999 --json --documents copies.jsonl
json 'list(j) == ["file", "line", "id", "outcome", "tags", "pending", "reason", "near_duplicate"]'
json 'list(j["near_duplicate"]) == ["id", "docid", "similarity"]'
json '[l["near_duplicate"] is None for l in lines[:5]] == [False, True, False, False, False]'
json '(lines[5]["near_duplicates"], lines[5]["uncompared"], lines[5]["replaced"]) == (4, 0, 5)'
expect 0 "$kindred" index --db again.db --json --documents copies.jsonl
json '"near_duplicate" not in j and lines[5]["near_duplicates"] == 0'
printf '[ingest]\nnear_duplicates = 0.8\n' >near.toml
expect 0 "$kindred" index --db again.db --config near.toml --json copies.jsonl
json 'j["near_duplicates"] == 5'
echo damaged >again.db/kindred.tuning
expect 0 "$kindred" index --db again.db --config near.toml --json --documents --verbose copies.jsonl
json '"near_duplicate" not in j and lines[5]["uncompared"] == 5'
errs '5 documents could not be compared with the others'
errs 'again.db: the near-duplicates of 5 documents are not known: again.db/kindred.tuning'
