# A mail database made by notmuch works unmodified.
source "$(dirname "$0")/../assert.sh"
need notmuch
make_mail ''
db=mail/.notmuch/xapian

expect 0 "$kindred" status --db $db --json
json 'j["profile"] == "notmuch" and j["documents"] >= 40 and j["labeled"] == 40 and j["labels"] == 5' # folders are documents too
expect 0 "$kindred" status --db $db --guess
says 'profile = "notmuch"'
expect 0 "$kindred" related --db $db --id bread-1@example.org --json
json 'j["results"][0]["id"] == "bread-2@example.org"'
expect 0 "$kindred" classify --db $db --id moon-1@example.org --explain --json
json 'j["tags"][0]["label"] == "space" and "astronauts" in [t["word"] for t in j["reasons"][0]["terms"]]'
expect 0 "$kindred" classify --db $db --text 'bake bread in the oven' --json
json 'j["tags"][0]["label"] == "cooking"'

# ids as notmuch prints them, titles, and the fields of notmuch's own queries
expect 0 "$kindred" related --db $db --id id:bread-1@example.org --json
json '(j["results"][0]["id"], j["results"][0]["title"]) == ("bread-2@example.org", "bread-2")'
expect 0 "$kindred" related --db $db --id bread-1@example.org --filter 'tag:cooking subject:soup from:nobody' --json
json '[r["id"] for r in j["results"]] and all("soup" in r["title"] for r in j["results"])'
expect 0 "$kindred" tag --db $db --query 'is:cooking' --dry-run --json
json 'j["matched"] == 10'
expect 1 "$kindred" related --db $db --id bread-1@example.org --filter 'sbject:soup'
errs "did you mean 'subject'?"
expect 1 "$kindred" related --db $db --id id:nobody
errs "no document with id 'id:nobody'"

notmuch search --output=messages 'tag:cooking' >ids.txt # id:bread-1@example.org ...
expect 0 "$kindred" classify --db $db --ids-from ids.txt --json
json 'len(lines) == 10 and {j["id"]: j for j in lines}["soup-1@example.org"]["tags"][0]["label"] == "cooking"'
expect 0 "$kindred" related --db $db --ids-from - --limit 1 <ids.txt
[ "$(wc -l <"$out")" = 10 ] || fail "expected a line for each mail"

# tags that say in which state a mail is are no labels
notmuch tag +inbox +unread +flagged -- '*'
expect 0 "$kindred" status --db $db --json
json '(j["labels"], j["labeled"]) == (5, 40)'
for id in jazz-2 bread-2; do notmuch tag -music -cooking -- "id:$id@example.org"; done
expect 0 "$kindred" tag --db $db --all --dry-run --json
json '(j["labeled"], j["changed"]) == (38, 2)'
json '{c["given"][0]["label"] for c in j["sample"]} == {"music", "cooking"}'
expect 0 "$kindred" tag --db $db --id id:jazz-2@example.org --opt-in --json
json 'j["labels"] == []'
printf '[labels]\nsystem = []\n' >all_tags.toml # a user's own key goes first
expect 0 "$kindred" status --db $db --config all_tags.toml --json
json 'j["labels"] == 8 and j["labeled"] == 40'
expect 0 "$kindred" tag --db $db --all --config all_tags.toml --dry-run
says 'with tags from people'
expect 0 "$kindred" tag --db $db --query 'tag:inbox' --config all_tags.toml --dry-run
says 'all of these have tags from people; values that are none go into the setting labels.system'
notmuch tag -inbox -unread -flagged -- '*'
notmuch tag +music -- id:jazz-2@example.org
notmuch tag +cooking -- id:bread-2@example.org

# notmuch reindex rewrites all terms of its messages except tags and properties, and keeps values.
# Nobody took anything off then: what people said still holds, and predicted tags come back.
for id in moon-2 bread-2 jazz-2 goal-2; do notmuch tag -space -cooking -music -sport -science -- "id:$id@example.org"; done
expect 0 "$kindred" tag --db $db --all --json
json '(j["labeled"], j["rejected"], j["changed"]) == (36, 0, 4)'
expect 0 "$kindred" tag --db $db --id jazz-2@example.org --reject music
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
