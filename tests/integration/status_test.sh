# kindred status.
source "$(dirname "$0")/assert.sh"
make_topics

expect 0 "$kindred" status --db topics.db --json
json 'list(own)[:8] == ["documents", "terms", "nonzeros", "labels", "vocabulary_terms", "uuid", "backend", "device"]'
json '(j["documents"], j["labels"], j["revision"]) == (40, 5, 1) and len(j["uuid"]) == 36'
json 'j["terms"] > 100 and j["nonzeros"] > j["terms"] and j["bytes"] > 0'
json 'j["backend"] in ("cpu", "cuda") and j["device"]'
json 'j["tagged"] == j["pending"] == j["opted_out"] == j["rejected"] == 0 and j["tuning"] is None'
json '(j["profile"], j["remembered"]) == ("none", "metadata")'
json 'all(list(p) == ["prefix", "terms", "documents"] for p in j["prefixes"])'
json '{"prefix": "K", "terms": 5, "documents": 40} in j["prefixes"]'
json '(j["backend"] == "cpu") == (j["compute_capability"] == "") == (j["device_bytes"] == 0)'
expect 0 "$kindred" status --db topics.db --backend cpu
says 'documents         40'
says 'backend           cpu'

# the revision moves with the database, in step with the answers
"$kindred" index --db topics.db "$data/unlabeled.jsonl" >/dev/null
expect 0 "$kindred" status --db topics.db --json
json '(j["documents"], j["revision"]) == (45, 2)'
expect 0 "$kindred" related --db topics.db --id moon-1 --json
json 'j["revision"] == 2'

# several databases behind a stub
"$kindred" index --db more.db "$data/held_out.jsonl" >/dev/null
printf 'auto topics.db\nauto more.db\n' >stub
expect 0 "$kindred" status --db stub --json
json 'j["documents"] == 53 and "revision" not in answer'
json '[s["revision"] for s in j["shards"]] == [2, 1] '
json 'all(len(s["uuid"]) == 36 for s in j["shards"])'
expect 0 "$kindred" status --db stub
says 'revision 2'
for question in 'related --id test-3' 'classify --id test-3' 'duplicates' 'tag --all --dry-run'; do
  # shellcheck disable=SC2086
  expect 0 "$kindred" $question --db stub --json
  json '"revision" not in answer and [s["revision"] for s in answer["shards"]] == [2, 1]'
done
expect 0 "$kindred" related --db stub --id test-3 --json
json 'j["results"][0]["id"].startswith("bread-")'
