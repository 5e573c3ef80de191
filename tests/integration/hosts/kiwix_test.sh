# The pages of kiwix-serve with related articles, by examples/hosts/kiwix and kindred-server on a ZIM file.
source "$(dirname "$0")/../assert.sh"
need zimwriterfs kiwix-serve curl
server=$(dirname "$kindred")/../../examples/search_server/kindred-server
[ -x "$server" ] || skip 'kindred-server was not built'
glue=$(realpath "$data/../../examples/hosts/kiwix")
make_zim
"$kindred" status --db wiki.zim 2>&1 | grep -q 'without libzim' && skip 'built without libzim'
expect 0 "$kindred" topics train --db wiki.zim --rows 4 --columns 4
mkdir site && cp "$glue/kindred.js" site
expect 0 "$kindred" topics map --db wiki.zim --html site/map.html

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
kiwix=$(free_port)
kiwix-serve -i 127.0.0.1 -p "$kiwix" wiki.zim >kiwix.log 2>&1 &
pids=($!)
"$server" --database wiki.zim --library "$(dirname "$kindred")/../libkindred.so" --port 0 >server.txt 2>server.log &
pids+=($!)
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
wait_for() { for _ in $(seq 300); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; fail "no answer: $*"; }
wait_for grep -q http server.txt
kindred_port=$(grep -oE ':[0-9]+' server.txt | tr -d :)
wait_for curl -sf "http://127.0.0.1:$kindred_port/readyz"
wait_for curl -sf "http://127.0.0.1:$kiwix/wiki/A/space/7.html"
post() { expect 0 curl -sf -H 'Content-Type: application/json' -d "$2" "http://127.0.0.1:$1"; }

# the server answers about articles by their paths, with the titles of the archive
post "$kindred_port/related" '{"like": [{"id": "A/space/7.html"}], "limit": 8}'
json 'len(j["results"]) == 8 and all(r["id"].startswith("A/space/") and r["title"].startswith("Über space, Nº ") for r in j["results"])'
expect 0 curl -sf "http://127.0.0.1:$kindred_port/search?q=rocket"
json 'j["total"]["estimate"] == 100 and j["documents"][0]["id"].startswith("A/space/") and j["documents"][0]["title"].startswith("Über")'
expect 0 curl -sf "http://127.0.0.1:$kindred_port/documents/A%2Fmusic%2F3.html"
json '(j["id"], j["title"], j["labels"]) == ("A/music/3.html", "Über music, Nº 3", [])'

command -v nginx >/dev/null || exit 0
port=$(free_port)
sed "s|listen 8080|listen 127.0.0.1:$port|; s|:8081|:$kiwix|; s|:8082|:$kindred_port|; s|/usr/share/kindred/hosts/kiwix|$work/site|" \
  "$glue/nginx.conf" >kiwix.conf
printf 'pid nginx.pid; error_log nginx.log; daemon off; user root; events {} http { access_log off; include kiwix.conf; types { text/html html; text/javascript js; } %s}' \
  "$(printf '%s_temp_path tmp;\n' client_body proxy fastcgi uwsgi scgi)" >nginx.conf
nginx -p "$work" -c nginx.conf >nginx.out 2>&1 &
pids+=($!)
wait_for curl -sf "http://127.0.0.1:$port/kindred/kindred.js"
expect 0 curl -sf --compressed "http://127.0.0.1:$port/wiki/A/space/7.html"
says '<script src="/kindred/kindred.js" defer></script></body>'
expect 0 curl -sf "http://127.0.0.1:$port/kindred/map.html"
post "$port/kindred/api/related" '{"like": [{"id": "A/food/7.html"}], "limit": 8, "fold": 0.95}'
json 'all(r["id"].startswith("A/food/") for r in j["results"])'
expect 22 curl -sf "http://127.0.0.1:$port/kindred/api/settings"

command -v chromium >/dev/null || exit 0
chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=5000 --dump-dom \
  "http://127.0.0.1:$port/wiki/A/space/7.html" >"$out" 2>"$err" || fail 'chromium failed'
says '<nav id="kindred" aria-label="Related articles"'
says 'href="/wiki/A/space/'
