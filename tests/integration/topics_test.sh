# kindred topics: train, show, of, map, export, and what each refuses.
source "$(dirname "$0")/assert.sh"
make_topics

expect 1 "$kindred" topics show --db topics.db
errs 'there is no map'
expect 0 "$kindred" topics train --db topics.db --rows 4 --columns 5 --epochs 10 --seed 1 --topics 3 --progress always --json
json 'list(own["map"])[:7] == ["units", "documents", "epochs", "quantization_error", "topographic_error", "map_revision", "training_seconds"]'
json 'j["units"] == 20 and j["topics"] == 3 and 1 <= j["epochs"] <= 10'
errs 'epoch 1 of 10: sigma 2.00'
cp topics.db/kindred.som first
expect 0 "$kindred" topics train --db topics.db --rows 4 --columns 5 --epochs 10 --topics 3 --threads 1 --seed 1
silent "$err"
says '20 units, 3 topics'
says "'kindred topics assign' stores the topics of documents"

expect 0 "$kindred" topics show --db topics.db
says 'documents)'
expect 0 "$kindred" topics show --db topics.db --json
json 'sum(t["documents"] for t in j["topics"]) == j["documents"]'
json '[t["number"] for t in j["topics"]] == [1, 2, 3] and all(t["terms"] and t["typical"] for t in j["topics"])'
json 'list(j["topics"][0]) == ["number", "name", "documents", "neighbors", "terms", "typical"]'

expect 0 "$kindred" topics of --db topics.db --id moon-1 --text 'quarks and gluons' --json
json 'list(j) == ["unit", "row", "column", "topic", "name", "distance", "novelty", "map_revision"]'
json 'j["unit"] == 5 * j["row"] + j["column"] and len(lines) == 2 and lines[1]["novelty"] == 1'
# a text without a term of the map has no place on it
expect 0 "$kindred" topics of --db topics.db --text zzzz
says 'no topic: none of its terms is on the map'
expect 0 "$kindred" topics of --db topics.db --text zzzz --text 'zzzz moon' --json
json 'list(lines[0]) == list(lines[1]) and lines[0]["novelty"] == 1 and lines[0]["map_revision"] == lines[1]["map_revision"]'
json 'all(lines[0][key] is None for key in ("unit", "row", "column", "topic", "name", "distance"))'
json 'lines[1]["topic"] >= 1'
expect 1 "$kindred" topics of --db topics.db --id nobody
errs 'nobody'

# Each name lies in the region of its own topic, in the drawing and on the page alike.
expect 0 "$kindred" topics map --db topics.db --html map.html --svg map.svg
cat >names.py <<'EOF2'
import json, re, xml.dom.minidom
units = []
for path in xml.dom.minidom.parse("map.svg").getElementsByTagName("path"):
    if path.getAttribute("class") == "borders":
        continue
    corners = [float(n) for n in re.findall(r"[-\d.]+", path.getAttribute("d"))]
    topic = path.firstChild.firstChild.data.split(": ")[0]
    units.append((sum(corners[::2]) / 6, sum(corners[1::2]) / 6, topic))
def topic_at(x, y):
    return min(units, key=lambda u: (u[0] - x) ** 2 + (u[1] - y) ** 2)[2]
lines, topics = [], set()
for text in xml.dom.minidom.parse("map.svg").getElementsByTagName("text"):
    if text.parentNode.getAttribute("class") != "names":
        continue
    x, y, size, width = (float(text.getAttribute(a)) for a in ("x", "y", "font-size", "textLength"))
    name = text.firstChild.data
    under = {topic_at(x + part * width / 2, y + up * size)
             for part in (-1, -.5, 0, .5, 1) for up in (-.7, -.35, 0)}
    assert len(under) == 1, (name, under)
    assert name.isdigit() or name.rstrip(",") in min(under) or name in min(under), (name, under)
    lines.append(name)
    topics |= under
assert topics == {u[2] for u in units} and lines, (topics, lines)
page = open("map.html", encoding="utf-8").read()
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
assert len(data["units"]) == 20 and len(data["topics"]) == 3
assert not re.search(r'(src|href)="', page), "the page needs nothing else"
assert [name[0] for name in data["names"]] == lines
for name, x, y, size, width in data["names"] + data["small_names"]:
    under = {min(data["units"], key=lambda u: (u["x"] - x - part * width / 2) ** 2 + (u["y"] - y) ** 2)["topic"]
             for part in (-1, -.5, 0, .5, 1)}
    assert len(under) == 1, (name, under)
    topic = data["topics"][min(under) - 1]["name"]
    assert name == str(min(under)) or name.rstrip(",") in topic, (name, topic)
EOF2
python3 names.py || fail "a name lies outside its region"

# The legend lies below the map, inside the drawing, and no entry covers another: on maps of any size,
# under any coloring.
cat >legend.py <<'EOF2'
import re, sys, xml.dom.minidom
drawing = xml.dom.minidom.parse(sys.argv[1]).documentElement
width, height = (float(drawing.getAttribute(a)) for a in ("width", "height"))
units = [path for path in drawing.getElementsByTagName("path") if path.getAttribute("fill")]
bottom = max(float(y) for unit in units for y in re.findall(r"[-\d.]+", unit.getAttribute("d"))[1::2])
boxes, texts = [], []
for rect in drawing.getElementsByTagName("g")[1].getElementsByTagName("rect"):
    x, y, across, down = (float(rect.getAttribute(a)) for a in ("x", "y", "width", "height"))
    boxes.append((x, y, x + across, y + down))
for text in drawing.getElementsByTagName("text"):
    if text.parentNode.getAttribute("class") == "legend":
        x, y, font, length = (float(text.getAttribute(a)) for a in ("x", "y", "font-size", "textLength"))
        boxes.append((x - length / 2, y - .8 * font, x + length / 2, y + .2 * font))
        texts.append(text.firstChild.data)
for i, (left, top, right, low) in enumerate(boxes):
    assert 0 <= left < right <= width and bottom < top < low <= height, boxes[i]
    assert all(right <= b[0] or b[2] <= left or low <= b[1] or b[3] <= top for b in boxes[:i]), (boxes[i], texts)
print(" ".join(texts))
EOF2
for color in heights documents topics labels moon; do
  expect 0 "$kindred" topics map --db topics.db --svg map.svg --color "$color"
  expect 0 python3 legend.py map.svg
  says '40 documents, 20 units, 3 topics unit: similar documents, 2.0 on average border between topics'
  case $color in
    heights) says 'Color: distance of each unit to its neighbors 0' ;;
    documents) says 'Color: documents 0' ;;
    labels) for label in cooking music space sport; do says "$label"; done ;;
    moon) says "Color: weight of 'moon' 0" ;;
  esac
done
expect 1 "$kindred" topics map --db topics.db --svg map.svg --color nosuchword
errs "no term 'nosuchword'"
python3 -c 'import xml.dom.minidom as x; assert len(x.parse("map.svg").getElementsByTagName("path")) == 21'
expect 0 "$kindred" topics map --db topics.db --html map.html --json
json 'j == {"files": ["map.html"]}'
python3 "$data/../integration/pages/page_policy.py" map.html || fail "the policy does not fit the page"
expect 1 "$kindred" topics map --db topics.db --svg no/such/map.svg
errs 'no/such/map.svg: cannot be written: No such file'

expect 0 "$kindred" topics export --db topics.db --out out --json
python3 - <<'PYTHON'
import csv
documents = list(csv.DictReader(open("out.documents.csv", encoding="utf-8")))
units = list(csv.DictReader(open("out.units.csv", encoding="utf-8")))
assert len(units) == 20 and sum(int(u["documents"]) for u in units) == len(documents)
assert all(int(d["row"]) * 5 + int(d["column"]) == int(d["unit"]) for d in documents)
PYTHON

# No spreadsheet takes a cell of text for a formula, numbers stay numbers, and the text can be
# restored as docs/topics.md says.
cat >formulas.py <<'PYTHON'
import csv, json, re, sys, textwrap
ids = ["=1+1", "+1", "-5", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201",
       "'quoted", "''", "a;=1", "a; +1", ";-1", "a;b", "back\\slash", "\\x3d1", "\\", "say \"=1\", he said", "nul\0esc\x1b[2J",
       "\u202eright", "\x9b", "\"=1\"", "|=1", "two\nlines", "=cmd|' /C calc'!A0"]
if sys.argv[1] == "make":
    for text in ids:
        print(json.dumps({"id": text, "labels": [text], "terms": {"XTERM" + text: 1, "moon": 1}}))
    sys.exit()

with open(sys.argv[1], encoding="utf-8") as file:  # the way to undo it, as users are told
    exec(textwrap.dedent(re.search(r"^    def undo.*?\n\n", file.read(), re.S | re.M)[0]))

with open("formulas.documents.csv", encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))
assert [undo(row["id"]) for row in rows] == ids, [undo(row["id"]) for row in rows]
whole = "".join(open("formulas." + part + ".csv", encoding="utf-8", newline="").read() for part in ("documents", "units", "topics"))
assert not re.search("[\0-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", whole)
for separator in ",", ";":
    for line in whole.split("\r\n"):
        for cell in next(csv.reader([line], delimiter=separator), []):
            assert re.fullmatch(r"-?[\d.e-]+", cell) or not re.match("[ \u00a0]*[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]", cell), cell
for row in rows:
    assert all(float(row[key]) >= 0 for key in ("docid", "unit", "row", "column", "topic", "novelty"))
with open("formulas.units.csv", encoding="utf-8", newline="") as file:
    labels = {undo(row["label"]) for row in csv.DictReader(file)} - {""}
assert labels and labels <= {text.strip() for text in ids}, labels
PYTHON
python3 formulas.py make >formulas.jsonl
expect 0 "$kindred" index --db formulas.db formulas.jsonl
printf '[topics]\nmin_df = 1\n' >formulas.toml
expect 0 "$kindred" topics train --db formulas.db --rows 6 --columns 6 --topics 2 --config formulas.toml
expect 0 "$kindred" topics export --db formulas.db --out formulas
python3 formulas.py "$data/../../docs/topics.md" || fail "a cell is a formula, or cannot be undone"

# Documents that are there already get terms and a value, to filter by.
expect 0 "$kindred" topics assign --db topics.db --json
json 'list(own)[1:] == ["matched", "continued", "examined", "gone", "written"]'
json 'j["matched"] == j["examined"] == 40 and j["continued"] == j["gone"] == 0'
json 'j["written"] == 37' # the others have no term that is on the map
[ "$(xapian-delve -V7002 topics.db | grep -o '[0-9]*:{' | wc -l)" = 37 ] || fail "a place for what has none"
expect 0 "$kindred" topics assign --db topics.db --progress always --restart
says 'placed 40 of 40 documents: 0 got a new place, 40 stayed as they were'
errs 'placed 40'
expect 0 "$kindred" topics train --db topics.db --rows 3 --columns 3 --topics 2 --json
expect 0 "$kindred" topics assign --db topics.db --json
json 'j["written"] == 37'
expect 0 "$kindred" topics train --db topics.db --rows 4 --columns 5 --epochs 10 --seed 1 --topics 3
expect 0 "$kindred" topics assign --db topics.db
says ': 37 got a new place, 3 stayed as they were'
# the same map but for how long it took and which revision it is of
for map in topics.db/kindred.som first; do python3 "$data/../integration/map_bytes.py" "$map" >"$(basename "$map").bytes"; done
cmp kindred.som.bytes first.bytes || fail "the same seed made another map"

# The documents in a unit and around it vote on documents that lie there.
expect 0 "$kindred" classify --db topics.db --id moon-1 --vote unit --explain --json
json 'list(j["unit"]) == ["unit", "topic", "documents"] and j["unit"]["documents"] > 0'
json '"space" in [t["label"] for t in j["tags"]] and j["reasons"][0]["voters"]'
expect 0 "$kindred" classify --db topics.db --id moon-1 --vote unit --explain
says 'documents there and around it voted'
expect 0 "$kindred" evaluate --db topics.db --leave-one-out --vote unit --json
json 'j["micro_f1"] > 0.5'

# Maps of one unit, of more units than documents, of too many, of nothing; a full disk.
cp -r topics.db odd.db
expect 0 "$kindred" topics train --db odd.db --rows 1 --columns 1 --json
json 'j["units"] == 1 and j["topics"] == 1 and j["topographic_error"] == 0'
expect 0 "$kindred" topics show --db odd.db
expect 0 "$kindred" topics of --db odd.db --id moon-1
expect 0 "$kindred" topics map --db odd.db --html odd.html --svg odd.svg
expect 0 python3 legend.py odd.svg
expect 0 "$kindred" topics export --db odd.db --out odd
expect 0 "$kindred" topics train --db odd.db --rows 20 --columns 30 --json
json 'j["units"] == 600 and j["documents"] == 40'
expect 0 "$kindred" topics map --db odd.db --html odd.html --svg odd.svg
expect 0 python3 legend.py odd.svg
cp odd.db/kindred.som before
printf '[topics]\nmemory_mb = 100\n' >little.toml
expect 1 "$kindred" topics train --db odd.db --rows 1000 --columns 1000 --config little.toml
errs 'a map of 1000000 units over'
errs 'expected a smaller map'
(
  trap '' XFSZ  # the write fails instead
  ulimit -f 1
  expect 1 "$kindred" topics train --db odd.db --rows 2 --columns 2
  errs 'kindred.som: cannot be written'
  expect 1 "$kindred" topics assign --db odd.db
  errs 'cannot give documents their topics'
)
cmp before odd.db/kindred.som || fail "another map than before"
[ "$(documents odd.db)" = 40 ]
expect 0 "$kindred" topics assign --db odd.db
: >nothing.jsonl
"$kindred" index --db nothing.db nothing.jsonl >/dev/null
expect 1 "$kindred" topics train --db nothing.db
errs 'expected documents'
expect 1 "$kindred" topics assign --db nothing.db
errs 'there is no map'
expect 1 "$kindred" classify --db nothing.db --text moon --vote unit
errs 'there is no map'

# Ideographs take a square each, so that no name is drawn out to be wider.
n=0
for text in 月面 月面着陸 音楽 音楽会場; do echo "{\"id\": \"$((n += 1))\", \"text\": \"$text\"}"; done >wide.jsonl
"$kindred" index --db wide.db wide.jsonl >/dev/null
expect 0 "$kindred" topics train --db wide.db --rows 3 --columns 4 --topics 2
expect 0 "$kindred" topics map --db wide.db --svg wide.svg
python3 - <<'PYTHON' || fail "a Japanese name is drawn out"
import re
lines = re.findall(r'font-size="([\d.]+)" textLength="([\d.]+)"[^>]*>([^<]+)<', open("wide.svg", encoding="utf-8").read())
squares = [len(re.findall(r"[^\x00-\x7f]", name)) for _, _, name in lines]
assert max(squares) > 1, lines
assert all(n == 0 or n <= float(width) / float(size) < n + .7 for n, (size, width, _) in zip(squares, lines)), lines
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
errs 'train it again'
printf x >>topics.db/kindred.som
expect 1 "$kindred" topics show --db topics.db
errs 'topics.db/kindred.som: the map is damaged: expected '
errs '; make it again'
rm topics.db/kindred.som
mkdir topics.db/kindred.som
expect 1 "$kindred" topics show --db topics.db
errs 'topics.db/kindred.som: Is a directory, expected a regular file'
expect 0 "$kindred" ingest --db topics.db --verbose late.jsonl
errs 'documents get no topic: topics.db/kindred.som: Is a directory'

# a map that is resumed keeps its size, lattice, seed and start, so these options are refused
for own in '--rows 4' '--columns 4' '--seed 2' '--lattice rectangular' '--toroidal' '--start uniform'; do
  # shellcheck disable=SC2086
  expect 2 "$kindred" topics train --db topics.db --resume $own
  errs 'expected --resume without'
done

for wrong in '' 'train' 'train --db topics.db --rows 0' 'train --db topics.db --lattice round' \
  'map --db topics.db' 'of --db topics.db' 'export --db topics.db' 'assign' 'assign --db topics.db --rows 3' 'nonsense'; do
  # shellcheck disable=SC2086
  expect 2 "$kindred" topics $wrong
done
