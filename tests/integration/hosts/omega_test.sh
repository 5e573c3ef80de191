# The templates of examples/hosts/omega, by the real omega: tags, predicted tags, and related
# documents beside Omega's own.
source "$(dirname "$0")/../assert.sh"
omega=${KINDRED_OMEGA:-/usr/lib/cgi-bin/omega/omega}
[ -x "$omega" ] || skip "omega is not installed"
glue=$(realpath "$data/../../examples/hosts/omega")
mkdir -p databases templates log
cp "$glue/kindred" "$glue/kindred-related" templates
printf 'database_dir %s/databases\ntemplate_dir %s/templates\nlog_dir %s/log\ncdb_dir %s\n' \
  "$work" "$work" "$work" "$work" >omega.conf
export OMEGA_CONFIG_FILE=$work/omega.conf
db=databases/default
# labels and ids may hold anything
python3 - "$data/topics.jsonl" <<'EOF2' >odd.jsonl
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    record = json.loads(line)
    record["labels"] = [{"cooking": 'c"o\\ok <b>&$html{x}', "music": "Music"}.get(label, label)
                        for label in record["labels"]]
    print(json.dumps(record))
EOF2
"$kindred" index --db $db odd.jsonl >/dev/null
"$kindred" ingest --db $db "$data/unlabeled.jsonl" >/dev/null
search() { expect 0 "$omega" FMT=kindred "$@"; }
pairs() { grep -oE "$1" "$out" | sed 's/<[^>]*>//g' | tr '\n' ' '; }

# tags of people, and predicted ones with the confidence
search P=moon
says '<li class="label"><a href="?DB=default&amp;FMT=kindred&amp;B=Kspace">space</a></li>'
says '<li class="predicted"><a href="?DB=default&amp;FMT=kindred&amp;B=XAUTOspace">space</a> <meter min="0" max="100" value="96">'
search P=soup B='XAUTOc"o\ok <b>&$html{x}'
says '<a href="?DB=default&amp;FMT=kindred&amp;B=XAUTOc%22o%5Cok%20%3Cb%3E%26%24html%7Bx%7D">c&quot;o\ok &lt;b&gt;&amp;$html{x}</a> <meter min="0" max="100" value="95">'
says '<h1 id="hits">1 document</h1>'
search P=song B=XAUTO:Music # a capital after the prefix
says '>Music</a> <meter'
if grep -q '<b>&' "$out"; then fail "a label as markup"; fi

# what is like a document: by Omega, and by Kindred where it is stored
search MORELIKE=1
says 'Like “Apollo lands on the Moon”, by Omega'
says 'Nothing is stored, see kindred related --store.'
"$kindred" related --db $db --all --store --limit 5 >/dev/null
search MORELIKE=1
says 'data-id="moon-1"'
says '&amp;HITSPERPAGE=5&amp;B=Qnew-moon&amp;B=Qmoon-2&amp;'
expect 0 "$omega" FMT=kindred-related B=Qnew-moon B=Qrocket-1 B=Qmoon-2
[ "$(grep -oE 'order: [0-9]+"|>[^<]+</a>' "$out" | tr '\n' ' ')" = \
  'order: 2" >Moon rocks</a> order: 1" >A rocket that lands</a> order: 0" >Back to the Moon</a> ' ] ||
  fail "not in the order of the ids"
search MORELIKE=Qmoon-1 # as Omega allows; which document that is a template cannot know
says 'by Omega'
search 'P=<script>alert(1)</script>'
if grep -q '<script>alert' "$out"; then fail "a query as markup"; fi

# a database of omindex, by a file of the site
if command -v omindex >/dev/null; then
  mkdir html
  for name in a b; do echo "<title>Page $name</title><p>the moon and the tide" >html/$name.html; done
  echo '<title>Other</title><p>bread and soup' >html/c.html
  omindex --db databases/pages --url /pages html >/dev/null 2>&1
  "$kindred" related --db databases/pages --all --store >/dev/null
  # shellcheck disable=SC2016
  printf '$set{id_prefix,U}$set{server,/kindred}' >templates/kindred-site
  docid=$(xapian-delve -1 -t U/pages/a.html databases/pages | tail -1)
  search DB=pages MORELIKE="$docid"
  says 'data-kindred="/kindred" data-id="/pages/a.html"'
  says '&amp;B=U%2Fpages%2Fb.html'
  expect 0 "$omega" FMT=kindred-related DB=pages B=U/pages/b.html
  says '>Page b</a>'
fi

# shellcheck disable=SC2016
printf '$set{server,/kindred}' >templates/kindred-site
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || exit 0
build=$(dirname "$kindred")/../..
server=${KINDRED_SERVER-$build/examples/search_server/kindred-server}
if [ -x "$server" ]; then
  server="$server --library $build/plugin/libkindred.so"
else
  server=
fi
KINDRED=$kindred expect 0 python3 "$data/../integration/hosts/omega_site.py" "$omega" $db "$browser" \
  "$server" ${SHOT-}
