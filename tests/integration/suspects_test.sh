# kindred suspects and kindred geometry: labels that neighbors speak against, and how far labels are
# apart.
source "$(dirname "$0")/assert.sh"
make_topics

printf '%s\n' '{"id": "odd", "labels": ["cooking"],
"title": "A <b>title</b>", "text": "The probe reached orbit and the rocket landed on the moon"}' | tr '\n' ' ' >odd.jsonl
"$kindred" index --db topics.db odd.jsonl >/dev/null

expect 0 "$kindred" suspects --db topics.db --limit 3
says 'odd: cooking 0.0002 of the vote, but space'
says 'Tags that look wrong: 1'
says '  A <b>title</b>'
[ "$(grep -cE '^  0\.[0-9]{4}  ' "$out")" -le 18 ] || fail "more than three neighbors each"
expect 0 "$kindred" suspects --db topics.db --limit 1 --voters --html suspects.html
[ "$(grep -cE '^  0\.[0-9]{4}  ' "$out")" -gt 3 ] || fail "not all neighbors"
page_policy=$data/../integration/pages/page_policy.py
python3 "$page_policy" suspects.html || fail "the policy does not fit the page"
grep -qF '"title":"A \u003cb>title\u003c/b>"' suspects.html || fail "the title could end the data"
expect 0 "$kindred" suspects --db topics.db --limit 1 --json
json 'list(own) == ["examined", "missing", "wrong", "labeled"]'
json 'all(list(own[key]) == ["found", "clear", "suspects", "next"] for key in ("missing", "wrong"))'
json 'len(j["wrong"]["suspects"]) == j["wrong"]["found"] == 1 and j["wrong"]["next"] is None'
suspect='j["wrong"]["suspects"][0]'
json "list($suspect) == ['id', 'docid', 'title', 'labels', 'label', 'confidence', 'rival', 'proposed', 'reasons', 'voters']"
json "$suspect['proposed'][0]['label'] == $suspect['reasons'][0]['label'] == $suspect['rival']['label'] == 'space'"
json "all(list(n) == ['id', 'docid', 'similarity', 'labels', 'title'] and n['title'] for n in $suspect['voters'])"
json "$suspect['id'] == 'odd' and $suspect['labels'] == ['cooking'] and $suspect['label'] == 'cooking'"
json "$suspect['voters'] and all(v['id'] != 'odd' for v in $suspect['voters'])"

# A search looks at no more documents than it is asked to, and goes on from there. What was found is
# kept until the index, its tuning or the settings change.
python3 - <<'EOF2'
import json, random
draw = random.Random(1)
with open("many.jsonl", "w") as file:
    for i in range(1200):
        label = i % 6
        words = [f"w{label}x{draw.randrange(12)}" for _ in range(6)] + [f"v{draw.randrange(900)}"]
        labels = [f"l{label}" if draw.random() < .9 else "l0"]
        print(json.dumps({"id": str(i), "text": " ".join(words), "labels": labels}), file=file)
EOF2
"$kindred" index --db many.db many.jsonl >/dev/null
looked_at() {  # documents, options
  expect 0 "$kindred" suspects --db many.db "${@:2}" --json
  json "(j['examined'], j['labeled']) == ($1, 1200)"
}
cp -r many.db fresh.db
looked_at 1200 --limit 1000
json 'j["missing"]["found"] + j["wrong"]["found"] > 8'
cp "$out" whole
[ -f many.db/kindred.suspects ] || fail "the list is not kept"
expect 0 "$kindred" suspects --db fresh.db --documents 500 --json
json 'j["examined"] == 500'
expect 0 "$kindred" suspects --db fresh.db --documents 300 --json
json 'j["examined"] == 500'
same_lists='import json, sys; a, b = (json.load(open(path)) for path in sys.argv[1:])
sys.exit(any(a[key] != b[key] for key in ("examined", "labeled", "missing", "wrong")))'
"$kindred" suspects --db many.db --limit 1000 --json >kept
"$kindred" suspects --db fresh.db --limit 1000 --json >grown
for again in kept grown; do
  python3 -c "$same_lists" whole $again || fail "a list that is $again has something else"
done
looked_at 1200 --documents 100
looked_at 100 --documents 100 --set weighting.smart=lrc
looked_at 100 --documents 100
"$kindred" tune --db many.db >/dev/null
looked_at 50 --documents 50
looked_at 1200
"$kindred" tag --db many.db --id 7 --add l2 >/dev/null
looked_at 50 --documents 50
expect 0 "$kindred" suspects --db many.db --query 'label:l1' --documents 20 --json
json 'j["examined"] == 20 < j["labeled"] < 1200'
looked_at 50 --documents 50
printf x >>many.db/kindred.suspects
looked_at 50 --documents 50 --verbose
errs 'suspects are not read: many.db/kindred.suspects: the list of suspects is damaged'

expect 0 "$kindred" geometry --db topics.db --html geometry.html
says 'informativeness 1.'
python3 "$page_policy" geometry.html || fail "the policy does not fit the page"
grep -q '"report":"geometry","subject":"topics.db"' geometry.html || fail "the report lacks the answer"
expect 0 "$kindred" geometry --db topics.db --json
json 'list(own) == ["labels", "documents", "mean_square_distance", "nearest", "intra", "inter", "informativeness"]'
json 'len(j["labels"]) == len(j["documents"]) == len(j["mean_square_distance"]) == len(j["nearest"]) == 5'
json 'all(len(row) == 5 for row in j["mean_square_distance"]) and all(len(row) == 6 for row in j["nearest"])'
json 'all(0 <= d <= 2 for row in j["mean_square_distance"] for d in row)'
json 'j["informativeness"] > 1 and abs(j["informativeness"] - j["inter"] / j["intra"]) < 1e-12'
