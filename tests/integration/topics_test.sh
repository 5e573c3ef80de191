# kindred topics: train, show, of, map, export, and what each refuses.
source "$(dirname "$0")/assert.sh"
make_topics

expect 1 "$kindred" topics show --db topics.db
errs 'there is no map'
expect 0 "$kindred" topics train --db topics.db --rows 4 --columns 5 --epochs 10 --seed 1 --topics 3 --json
json 'list(j)[:7] == ["units", "documents", "epochs", "quantization_error", "topographic_error", "topics", "seconds"]'
json 'j["units"] == 20 and j["topics"] == 3 and 1 <= j["epochs"] <= 10'
errs 'epoch 1 of 10: sigma 2.00'
cp topics.db/kindred.som first
expect 0 "$kindred" topics train --db topics.db --rows 4 --columns 5 --epochs 10 --topics 3 --quiet --threads 1 --seed 1
silent "$err"
says '20 units, 3 topics'

expect 0 "$kindred" topics show --db topics.db
says 'documents)'
expect 0 "$kindred" topics show --db topics.db --json
json 'sum(t["documents"] for t in j["topics"]) == j["documents"]'
json '[t["topic"] for t in j["topics"]] == [1, 2, 3] and all(t["terms"] and t["typical"] for t in j["topics"])'
json 'list(j["topics"][0]) == ["topic", "name", "documents", "neighbors", "terms", "typical"]'

expect 0 "$kindred" topics of --db topics.db --id moon-1 --text 'quarks and gluons' --json
json 'list(j) == ["unit", "row", "column", "topic", "name", "distance", "novelty", "revision"]'
json 'j["unit"] == 5 * j["row"] + j["column"] and len(lines) == 2 and lines[1]["novelty"] == 1'
expect 1 "$kindred" topics of --db topics.db --id nobody
errs 'nobody'

for color in heights documents topics labels moon; do
  expect 0 "$kindred" topics map --db topics.db --svg map.svg --png map.png --color "$color"
done
expect 1 "$kindred" topics map --db topics.db --svg map.svg --color nosuchword
errs "no term 'nosuchword'"
python3 -c 'import xml.dom.minidom as x; assert len(x.parse("map.svg").getElementsByTagName("path")) == 21'
[ "$(head -c 8 map.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "no PNG"
expect 0 "$kindred" topics map --db topics.db --html map.html --json
json 'j == {"files": ["map.html"]}'
python3 - <<'PYTHON'
import json, re
page = open("map.html", encoding="utf-8").read()
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
assert len(data["units"]) == 20 and len(data["topics"]) == 3
assert not re.search(r'(src|href)="', page), "the page needs nothing else"
PYTHON
expect 1 "$kindred" topics map --db topics.db --svg no/such/map.svg
errs 'no/such/map.svg: cannot be written'

expect 0 "$kindred" topics export --db topics.db --out out --json
python3 - <<'PYTHON'
import csv
documents = list(csv.DictReader(open("out.documents.csv", encoding="utf-8")))
units = list(csv.DictReader(open("out.units.csv", encoding="utf-8")))
assert len(units) == 20 and sum(int(u["documents"]) for u in units) == len(documents)
def numbers(path):
    return [[float(x) for x in line.split()] for line in open(path) if not line.startswith("%")]
heights, best, weights = numbers("out.umx"), numbers("out.bm"), numbers("out.wts")
assert [len(row) for row in heights] == [5] * 4 and len(best) == len(documents)
assert all(b[1] * 5 + b[2] == int(d["unit"]) for b, d in zip(best, documents))
columns = int(open("out.wts").readlines()[1].split()[1])
assert len(weights) == 20 and all(len(row) == columns for row in weights)
PYTHON

# Another revision of the same index keeps its map; another index has to make its own.
printf '%s\n' '{"id": "late", "text": "rockets to the moon"}' >late.jsonl
expect 0 "$kindred" ingest --db topics.db late.jsonl
expect 0 "$kindred" topics of --db topics.db --id late
cp -r topics.db copy.db
expect 0 "$kindred" topics show --db copy.db
"$kindred" index --db other.db late.jsonl >/dev/null
cp topics.db/kindred.som other.db/
expect 1 "$kindred" topics show --db other.db
errs 'train it anew'
printf x >>topics.db/kindred.som
expect 1 "$kindred" topics show --db topics.db
errs 'damaged'

for wrong in '' 'train' 'train --db topics.db --rows 0' 'train --db topics.db --lattice round' \
  'map --db topics.db' 'of --db topics.db' 'export --db topics.db' 'nonsense'; do
  # shellcheck disable=SC2086
  expect 2 "$kindred" topics $wrong
done
