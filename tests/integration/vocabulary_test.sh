# kindred vocabulary: names of labels, loaded from files, and shown and understood everywhere.
source "$(dirname "$0")/assert.sh"
unset LANGUAGE LC_ALL LC_MESSAGES LANG
make_topics
cat >terms.csv <<'CSV'
id,name,language,synonym,broader
space,Outer space,en,cosmos|universe,
space,Weltraum,de,,
music,Music,en,tunes,
sport,Sports,en,games,
old,Games,en,,sport
CSV

# a file is loaded, and says how many labels it names
expect 0 "$kindred" vocabulary load --db topics.db terms.csv
says '4 terms stored in topics.db/kindred.vocabulary'
says '3 of 5 labels have names'
silent "$err"
expect 0 "$kindred" status --db topics.db --json
json 'j["vocabulary_terms"] == 4'

# names are shown beside labels, in the reader's language
expect 0 "$kindred" classify --db topics.db --text 'a rocket to the moon' --json
json 'j["tags"][0] == {"label": "space", "name": "Outer space", "confidence": j["tags"][0]["confidence"]}'
LANG=de_DE.UTF-8 expect 0 "$kindred" classify --db topics.db --text 'a rocket to the moon'
says 'Weltraum (space)'
expect 0 "$kindred" classify --db topics.db --text 'a rocket to the moon' --set 'vocabulary.languages=["de"]'
says 'Weltraum (space)'
LANGUAGE=fr:en LANG=de_DE.UTF-8 expect 0 "$kindred" label list --db topics.db
says 'Outer space (space)'
says 'cooking'
expect 0 "$kindred" search --db topics.db moon --json
json 'answer["names"]["space"] == "Outer space" and "science" not in answer["names"]'
json 'answer["facets"]["label"][0]["value"] == "space" and answer["facets"]["label"][0]["name"] == "Outer space"'
expect 0 "$kindred" export --db topics.db --csv
says 'id,title,labels,predicted,rejected_labels,topic,label_names,predicted_names'
says ',space,,,,Outer space,'
expect 0 "$kindred" evaluate --db topics.db --leave-one-out --labels
says 'Outer space (space)'
expect 0 "$kindred" suspects --db topics.db --html suspects.html
grep -q '"name":"Outer space"\|"space":"Outer space"' suspects.html || fail "no names on the page"

# names and synonyms are understood where labels are expected
expect 0 "$kindred" search --db topics.db 'label:"OUTER SPACE"' --json
json 'answer["total"]["estimate"] == 10 and answer["documents"][0]["labels"] == ["space"]'
expect 0 "$kindred" related --db topics.db --text moon --filter 'label:cosmos' --json
json 'all("space" in r["labels"] for r in answer["results"])'
expect 0 "$kindred" search --db topics.db cosmos --json
json 'answer["total"]["estimate"] >= 10'
expect 0 "$kindred" candidates --db topics.db Universe --json
json 'answer["request"]["label"] == "space"'
expect 0 "$kindred" index --db topics.db "$data/unlabeled.jsonl"
expect 0 "$kindred" tag --db topics.db new-moon --add 'outer space'
says 'from people: Outer space'
silent "$err"
expect 0 "$kindred" tag --db topics.db new-moon --add old
silent "$err"
expect 0 "$kindred" tag --db topics.db new-moon --add 'Outer spice'
errs "'Outer spice' is a new label; did you mean 'Outer space'?"
expect 0 "$kindred" label list --db topics.db --query univ --json
json '[l["label"] for l in answer["labels"]] == ["space"]'

# a name that several labels have lists their ids
expect 1 "$kindred" search --db topics.db 'label:games'
errs "2 labels are called 'games': expected one of their ids, old, sport"
expect 1 "$kindred" tag --db topics.db new-moon --add Games
errs 'old, sport'

# terms are shown and found
expect 0 "$kindred" vocabulary search --db topics.db GAME --json
json '[t["id"] for t in answer["terms"]] == ["old", "sport"] and answer["found"] == 2'
json 'answer["terms"][0]["above"] == ["sport"] and answer["names"] == {"sport": "Sports", "old": "Games"}'
json '[t["below"] for t in answer["terms"]] == [[], ["old"]]'
expect 0 "$kindred" vocabulary show --db topics.db sport
says 'narrower: Games'

# a filter takes a branch of them
expect 0 "$kindred" export --db topics.db --query 'narrower:Sports NOT label:sport'
json '[d["id"] for d in lines] == ["new-moon"]'
expect 0 "$kindred" export --db topics.db --query 'narrower:old'
json '[d["id"] for d in lines] == ["new-moon"]'
expect 1 "$kindred" export --db topics.db --query 'narrower:Games'
errs 'old, sport'
expect 0 "$kindred" vocabulary show --db topics.db Weltraum nothing
says 'names: Outer space (en), Weltraum (de)'
says 'synonyms: cosmos (en), universe (en)'
expect 0 "$kindred" vocabulary show --db topics.db --limit 2 --json
json 'answer["all"] == 4 and len(answer["terms"]) == 2 and answer["next"] == 2 and answer["languages"] == ["en", "de"]'

# mistakes are told with their lines, the first ten, and nothing changes without --skip-bad
python3 -c '
print("id,name,broader")
for i in range(12): print("x%d," % i)
print("good,Good,nowhere\nopen,\"a")' >bad.csv
cp topics.db/kindred.vocabulary before
expect 1 "$kindred" vocabulary load --db topics.db bad.csv
errs "bad.csv:15: a quote is never closed"
errs "bad.csv:2: 'x0': has no name"
errs "and 4 more mistakes"
errs 'nothing has changed; --skip-bad leaves out what is wrong'
cmp before topics.db/kindred.vocabulary || fail "it has changed"
expect 0 "$kindred" vocabulary load --db topics.db bad.csv --skip-bad --dry-run
says '1 term'
cmp before topics.db/kindred.vocabulary || fail "a dry run wrote"
expect 0 "$kindred" vocabulary load --db topics.db bad.csv --skip-bad
says '1 term stored'

# a vocabulary that fits no label says so
says '0 of '
says 'labels are such as Outer spice, cooking, music; ids of terms are such as good'
cat >uris.ttl <<'TTL'
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<http://example.org/t/space> skos:prefLabel "Outer space"@en .
TTL
expect 0 "$kindred" vocabulary load --db topics.db uris.ttl
says '--id-prefix http://example.org/t/'
expect 0 "$kindred" vocabulary load --db topics.db uris.ttl --id-prefix http://example.org/t/
says '1 of 7 labels has a name'
printf 'space\tErd\xfcbung\n' >latin.tsv
expect 0 "$kindred" vocabulary load --db topics.db latin.tsv
expect 0 "$kindred" label list --db topics.db --query space
says 'Erdübung (space)'
expect 1 "$kindred" vocabulary load --db topics.db missing.tsv
errs 'missing.tsv: cannot be opened'
expect 2 "$kindred" vocabulary load --db topics.db
expect 0 "$kindred" vocabulary load --db topics.db - <terms.csv
says '4 terms'

# an index that is only read is not written
revision() { "$kindred" status --db readonly.db --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["revision"])'; }
"$kindred" index --db readonly.db "$data/topics.jsonl" >/dev/null
before=$(revision)
expect 0 "$kindred" vocabulary load --db readonly.db terms.csv --set index.read_only=true
[ "$(revision)" = "$before" ] || fail "the index was written"
expect 0 "$kindred" label list --db readonly.db --set index.read_only=true
says 'Outer space (space)'

# a lost vocabulary is missed, and one that is removed is not
mv topics.db/kindred.vocabulary lost
expect 0 "$kindred" status --db topics.db
errs "expected this file, since the index had names for its labels; 'kindred vocabulary load' makes it again"
mv lost topics.db/kindred.vocabulary
expect 0 "$kindred" vocabulary remove --db topics.db
says 'removed the vocabulary'
expect 0 "$kindred" vocabulary remove --db topics.db
says 'no vocabulary'
expect 0 "$kindred" status --db topics.db
silent "$err"
expect 0 "$kindred" label list --db topics.db --query space --json
json 'answer["labels"][0] == {"label": "space", "documents": 11, "predicted": 0, "rejected": 0} and "names" not in answer'

# a damaged one is passed over, and said
echo damage >topics.db/kindred.vocabulary
expect 0 "$kindred" label list --db topics.db --verbose
errs 'kindred.vocabulary'
