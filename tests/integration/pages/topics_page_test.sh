# The page of kindred topics map, in a real browser: see topics_page.py; and that of evaluate --html, under its policy.
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

"$kindred" evaluate --db topics.db --folds 3 --html report.html >"$out"
sed 's/<main>/<main style="color: red">/' report.html >blocked.html
expect 0 python3 "$here/page_faults.py" "$browser" report.html hexagonal.html
expect 1 python3 "$here/page_faults.py" "$browser" blocked.html
errs 'Content Security Policy'
