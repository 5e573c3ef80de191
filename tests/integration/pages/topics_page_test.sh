# The page of kindred topics map, in a real browser: see topics_page.py; and the reports: see
# report_pages.py. A page that breaks its policy is found out.
source "$(dirname "$0")/../assert.sh"
here=$data/../integration/pages
need python3
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  skip "chromium is not installed"
make_topics
for lattice in hexagonal rectangular; do
  "$kindred" topics train --db topics.db --rows 6 --columns 7 --topics 4 --seed 1 --lattice "$lattice"
  "$kindred" topics map --db topics.db --html "$lattice.html"
  expect 0 python3 "$here/topics_page.py" "$browser" "$lattice.html" guitar
  says 'phone dark'
done

python3 - "$data/topics.jsonl" <<'EOF2' >single.jsonl
import json, sys
for n, line in enumerate(open(sys.argv[1])):
    record = json.loads(line)
    label = "a label with a very long name, " + record["labels"][0] if n % 7 else "幅の広い W" + 40 * "W"
    print(json.dumps({**record, "labels": [label]}))
EOF2
"$kindred" index --db single.db single.jsonl >/dev/null
"$kindred" evaluate --db single.db --folds 3 --html report.html >"$out"
"$kindred" suspects --db single.db --html suspects.html >"$out"
"$kindred" geometry --db single.db --html geometry.html >"$out"
"$kindred" analyze --text 'The <b>not</b> good dogs' --html analysis.html
expect 0 python3 "$here/report_pages.py" "$browser" report.html suspects.html geometry.html analysis.html
says 'analysis.html phone dark'
sed 's/<main>/<main style="color: red">/' report.html >blocked.html
expect 0 python3 "$here/page_faults.py" "$browser" report.html hexagonal.html
expect 1 python3 "$here/page_faults.py" "$browser" blocked.html
errs 'Content Security Policy'
