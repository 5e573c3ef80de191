# A mail database made by notmuch works unmodified.
source "$(dirname "$0")/../assert.sh"
need notmuch
mkdir -p mail/cur mail/new mail/tmp
python3 - "$data/topics.jsonl" <<'EOF2'
import json, sys
for n, line in enumerate(open(sys.argv[1])):
    record = json.loads(line)
    with open("mail/cur/%d:2,S" % n, "w", encoding="utf-8") as mail:
        mail.write("From: Nobody <nobody@example.org>\nTo: list@example.org\nMIME-Version: 1.0\n"
                   "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n"
                   "Date: Sat, 01 Jan 2022 00:00:%02d +0000\nMessage-ID: <%s@example.org>\n"
                   "Subject: %s\n\n%s\n" % (n, record["id"], record["id"], record["text"]))
EOF2
printf '[database]\npath=%s/mail\n[user]\nname=Nobody\nprimary_email=nobody@example.org\n[new]\ntags=\n[search]\nexclude_tags=\n' \
  "$work" >notmuch.conf
export NOTMUCH_CONFIG=$work/notmuch.conf HOME=$work
notmuch new >"$out" 2>"$err" || fail "notmuch new failed"
python3 - "$data/topics.jsonl" <<'EOF2' | notmuch tag --batch
import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    print(" ".join("+" + label for label in record["labels"]) + " -- id:%s@example.org" % record["id"])
EOF2
db=mail/.notmuch/xapian

expect 0 "$kindred" status --db $db --json
json 'j["documents"] >= 40 and j["labeled"] == 40 and j["labels"] == 5' # folders are documents too
expect 0 "$kindred" related --db $db --id bread-1@example.org --json
json 'j["results"][0]["id"] == "bread-2@example.org"'
expect 0 "$kindred" classify --db $db --id moon-1@example.org --json
json 'j["tags"][0]["label"] == "space"'
expect 0 "$kindred" classify --db $db --text 'bake bread in the oven' --json
json 'j["tags"][0]["label"] == "cooking"'

# notmuch reindex rewrites all terms of its messages except tags and properties, and keeps values.
# Nobody took anything off then: what people said still holds, and predicted tags come back.
for id in moon-2 bread-2 jazz-2 goal-2; do notmuch tag -space -cooking -music -sport -science -- "id:$id@example.org"; done
expect 0 "$kindred" tag --db $db --all --json
json '(j["labeled"], j["rejected"], j["changed"]) == (36, 0, 4)'
expect 0 "$kindred" tag --db $db --id jazz-2@example.org --remove music
expect 0 "$kindred" tag --db $db --id goal-2@example.org --opt-out
expect 0 "$kindred" tag --db $db --all
kept() {  # the terms of ours and the prediction of each of the four, one line a message
  local id
  for id in moon-2 bread-2 jazz-2 goal-2; do
    local docid
    docid=$(xapian-delve -1 -t "Q$id@example.org" $db | tail -1)
    echo "$id" "$(xapian-delve -1 -r "$docid" $db | grep -E '^X(AUTO|NOT|TAGGED|UNTAGGED)' | tr '\n' ' ')" \
      "$(xapian-delve -r "$docid" -V7001 $db | grep -o '"tags".*' || true)"
  done
}
kept >before.txt
grep -qE '^moon-2 .*XAUTO:?space .*XTAGGED' before.txt || fail "no predicted tag: $(cat before.txt)"
grep -qE '^jazz-2 .*XNOT:?music .*XTAGGED' before.txt || fail "no rejected tag: $(cat before.txt)"
grep -qE '^goal-2 .*XNOTAG .*XTAGGED' before.txt || fail "no opt-out: $(cat before.txt)"
notmuch reindex '*' >"$out" 2>"$err" || fail "notmuch reindex failed"
kept >after.txt
if grep -qE ' X(AUTO|NOT|TAGGED)' after.txt; then fail "notmuch reindex keeps our terms"; fi
expect 0 "$kindred" classify --db $db --id jazz-2@example.org --json
json '"music" not in [tag["label"] for tag in j["tags"]]'
expect 0 "$kindred" tag --db $db --all --json
json '(j["labeled"], j["rejected"], j["opted_out"]) == (36, 0, 1)'
kept >again.txt
cmp -s before.txt again.txt || fail "not as before: $(diff before.txt again.txt)"
expect 0 "$kindred" tag --db $db --all --json
json 'j["written"] == 0'
