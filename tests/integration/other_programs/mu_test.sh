# A mail database made by mu works unmodified, and is never written.
source "$(dirname "$0")/../assert.sh"
need mu
make_mu_mail
db=mu/xapian

expect 0 "$kindred" status --db $db --json
json '(j["profile"], j["documents"], j["labels"], j["labeled"]) == ("mu", 41, 5, 40)'
expect 0 "$kindred" status --db $db --guess
says 'profile = "mu"'

# ids as mails have them, also if mu folds and cuts them; titles as they are
long=$(printf 'X%.0s' {1..300})@example.org
expect 0 "$kindred" related --db $db --id 'msgid:Bread-1@Example.org' --json
json '(j["results"][0]["id"], j["results"][0]["title"]) == ("bread-2@example.org", "Re: \"bread-2\" \\o/")'
expect 0 "$kindred" related --db $db --id "$long" --limit 1

# words of body and subject are the features: not whole subjects, paths or dates
expect 0 "$kindred" export --db $db --query 'msgid:bread-1@example.org'
json '"re" in j["terms"] and not any(" " in term or "/" in term or "cur" == term for term in j["terms"])'
# a text has the words that mu gives it
expect 0 "$kindred" related --db $db --limit 1 --json --text "$(cat odd.txt)"
json 'j["results"][0]["similarity"] > 0.9999 and len(j["results"][0]["id"]) == 239'

# tags are the labels; flags, folders and the rest can be asked for
expect 0 "$kindred" classify --db $db --text 'bake bread in the oven' --explain --json
json 'j["tags"][0]["label"] == "cooking" and "oven" in [t["word"] for t in j["reasons"][0]["terms"]]'
expect 0 "$kindred" related --db $db --id bread-1@example.org --json \
  --filter 'tag:cooking subject:soup flag:s maildir:/inbox prio:n mime:text/plain from:nobody'
json '[r["id"] for r in j["results"]] and all("soup" in r["id"] for r in j["results"])'
printf '[labels]\nprefix = "M"\n' >folders.toml
expect 0 "$kindred" classify --db $db --config folders.toml --text 'bread' --json
json 'j["tags"][0]["label"] == "/inbox"'

# Kindred follows what mu writes, and writes nothing itself; predictions are handed out
expect 0 "$kindred" mirror --db $db
mail new-1 'Hot bread' 'bake the bread in a hot oven with flour and dough' ''
index_mail
expect 0 "$kindred" related --db $db --id new-1@example.org --verbose --limit 1
errs 'saved mirror: read 1 documents'
says 'bread-'
before=$(cat $db/*.glass $db/iamglass | md5sum)
expect 0 "$kindred" export --db $db --query 'subject:hot'
json '(j["labels"], j["predicted"][0]["label"]) == ([], "cooking") and j["predicted"][0]["confidence"] > 0.5'
expect 1 "$kindred" tag --db $db --all
errs 'read_only'
[ "$before" = "$(cat $db/*.glass $db/iamglass | md5sum)" ] || fail 'the database of mu was changed'
