# kindred suspects and kindred geometry: labels that neighbors speak against, and how far labels are
# apart.
source "$(dirname "$0")/assert.sh"
make_topics

printf '%s\n' '{"id": "odd", "labels": ["cooking"],
"title": "A <b>title</b>", "text": "The probe reached orbit and the rocket landed on the moon"}' | tr '\n' ' ' >odd.jsonl
"$kindred" index --db topics.db odd.jsonl >/dev/null

expect 0 "$kindred" suspects --db topics.db --limit 3
says 'odd: cooking 0.0000 of the vote, but space'
says 'Tags that look wrong: 1'
says '  A <b>title</b>'
[ "$(grep -cE '^  0\.[0-9]{4}  ' "$out")" -le 18 ] || fail "more than three neighbors each"
expect 0 "$kindred" suspects --db topics.db --limit 1 --voters --html suspects.html
[ "$(grep -cE '^  0\.[0-9]{4}  ' "$out")" -gt 3 ] || fail "not all neighbors"
page_policy=$data/../integration/pages/page_policy.py
python3 "$page_policy" suspects.html || fail "the policy does not fit the page"
grep -qF '"title":"A \u003cb>title\u003c/b>"' suspects.html || fail "the title could end the data"
expect 0 "$kindred" suspects --db topics.db --limit 1 --json
json 'list(own) == ["examined", "missing", "wrong"]'
json 'all(list(own[key]) == ["found", "clear", "suspects", "next"] for key in ("missing", "wrong"))'
json 'len(j["wrong"]["suspects"]) == j["wrong"]["found"] == 1 and j["wrong"]["next"] is None'
suspect='j["wrong"]["suspects"][0]'
json "list($suspect) == ['id', 'docid', 'title', 'labels', 'label', 'confidence', 'rival', 'proposed', 'reasons', 'voters']"
json "$suspect['proposed'][0]['label'] == $suspect['reasons'][0]['label'] == $suspect['rival']['label'] == 'space'"
json "all(list(n) == ['id', 'docid', 'similarity', 'labels', 'title'] and n['title'] for n in $suspect['voters'])"
json "$suspect['id'] == 'odd' and $suspect['labels'] == ['cooking'] and $suspect['label'] == 'cooking'"
json "$suspect['voters'] and all(v['id'] != 'odd' for v in $suspect['voters'])"

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
