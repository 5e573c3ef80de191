# A database made by Omega's omindex, of a folder of HTML, works unmodified.
source "$(dirname "$0")/../assert.sh"
need omindex
mkdir html
python3 - "$data/topics.jsonl" <<'EOF2'
import html, json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    record = json.loads(line)
    with open("html/%s.html" % record["id"], "w", encoding="utf-8") as page:
        page.write("<html><head><meta charset=utf-8><title>%s</title></head><body>%s</body></html>\n"
                   % (html.escape(record["title"]), html.escape(record["text"])))
EOF2
omindex --db omega.db --url /topics html >"$out" 2>"$err" || fail "omindex failed"

expect 0 "$kindred" status --db omega.db --json
json '(j["profile"], j["documents"], j["labeled"]) == ("omega", 40, 0)'
json '{"prefix": "U", "terms": 40, "documents": 40} in j["prefixes"]'
expect 0 "$kindred" related --db omega.db --id /topics/moon-1.html --json
json '(j["results"][0]["id"], j["results"][0]["title"]) == ("/topics/moon-2.html", "Moon rocks")'
expect 0 "$kindred" related --db omega.db --text 'bake bread' --filter 'type:text/html ext:html title:bread' --json
json 'j["results"] and all("bread" in r["id"] for r in j["results"])'
expect 0 "$kindred" topics train --db omega.db --rows 3 --columns 3
expect 0 "$kindred" status --db omega.db
errs 'omega.db: no document has a label to learn from (a term under K); it is read as the profile omega says'
expect 0 "$kindred" status --db omega.db --guess
says 'profile = "omega"'
