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
expect 0 "$kindred" suspects --db topics.db --limit 1 --neighbors --html suspects.html
[ "$(grep -cE '^  0\.[0-9]{4}  ' "$out")" -gt 3 ] || fail "not all neighbors"
page_policy=$data/../integration/pages/page_policy.py
python3 "$page_policy" suspects.html || fail "the policy does not fit the page"
grep -q '<h2>1. A &lt;b&gt;title&lt;/b&gt;</h2>' suspects.html || fail "the title is not escaped"
grep -q '"id":"odd","labels":\["cooking","space"\],"advised":\[false,true\]' suspects.html || fail "no advice"
grep -qF "kindred index --db 'topics.db' corrected.jsonl" suspects.html || fail "no command to apply"
grep -qF 'topics.db: 2 documents whose neighbors' suspects.html || fail "another count"
expect 0 "$kindred" suspects --db topics.db --limit 1 --json
json 'list(own) == ["examined", "missing", "wrong"]'
json 'all(list(own[key]) == ["found", "clear", "suspects", "next"] for key in ("missing", "wrong"))'
json 'len(j["wrong"]["suspects"]) == j["wrong"]["found"] == 1 and j["wrong"]["next"] is None'
suspect='j["wrong"]["suspects"][0]'
json "list($suspect) == ['id', 'docid', 'title', 'labels', 'label', 'confidence', 'rival', 'proposed', 'reasons', 'neighbors']"
json "$suspect['proposed'][0]['label'] == $suspect['reasons'][0]['label'] == $suspect['rival']['label'] == 'space'"
json "all(list(n) == ['id', 'docid', 'similarity', 'labels', 'title'] and n['title'] for n in $suspect['neighbors'])"
json "$suspect['id'] == 'odd' and $suspect['labels'] == ['cooking'] and $suspect['label'] == 'cooking'"
json "$suspect['neighbors'] and all(v['id'] != 'odd' for v in $suspect['neighbors'])"

# Few reasons are shown at once; without suspects the page says so.
for n in 1 2 3 4; do echo "{\"id\": \"$n\", \"labels\": [\"a\", \"b\", \"c\"], \"text\": \"apple pear\"}"; done >plain.jsonl
"$kindred" index --db plain.db plain.jsonl >/dev/null
expect 0 "$kindred" suspects --db plain.db --html none.html
grep -qF "<p>No document's labels are in doubt.</p>" none.html || fail "nothing says that there are no suspects"
printf '{"id": "%s", "labels": ["d"], "text": "%s"}\n' odd 'apple pear' other river >plain.jsonl
"$kindred" index --db plain.db plain.jsonl >/dev/null
expect 0 "$kindred" suspects --db plain.db --html folded.html
grep -qF '<summary>1 more reason</summary>' folded.html || fail "all reasons are shown at once"
grep -qF '<summary>1 more neighbor</summary>' folded.html || fail "all neighbors are shown at once"

expect 0 "$kindred" geometry --db topics.db --html geometry.html
says 'informativeness 1.'
python3 "$page_policy" geometry.html || fail "the policy does not fit the page"
[ "$(grep -c '<text class="end"' geometry.html)" = 5 ] || fail "not all labels are in the dendrogram"
[ "$(grep -o 'class="turned"' geometry.html | wc -l)" = 10 ] || fail "not all labels are in the matrices"
! grep -qE 'nan|inf"' geometry.html || fail "a figure that is none"
expect 0 "$kindred" geometry --db topics.db --json
json 'list(own) == ["labels", "documents", "mean_square_distance", "nearest", "intra", "inter", "informativeness"]'
json 'len(j["labels"]) == len(j["documents"]) == len(j["mean_square_distance"]) == len(j["nearest"]) == 5'
json 'all(len(row) == 5 for row in j["mean_square_distance"]) and all(len(row) == 6 for row in j["nearest"])'
json 'all(0 <= d <= 2 for row in j["mean_square_distance"] for d in row)'
json 'j["informativeness"] > 1 and abs(j["informativeness"] - j["inter"] / j["intra"]) < 1e-12'
