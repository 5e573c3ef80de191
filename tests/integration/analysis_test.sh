# An index knows how its texts were analyzed.
source "$(dirname "$0")/assert.sh"

# lemmas of a list, recorded when the index is made
printf 'moon\tmoons\nbake\tbaking\nbake\tbaked\n' >en.tsv
printf '[analyzer]\nlemmas = ["en=en.tsv"]\n' >lemmas.toml
expect 0 "$kindred" analyze --config lemmas.toml --text 'Baking moons rising' --json
json '[t["term"] for t in j["tokens"]] == ["bake", "moon", "rise"]'
json 'j["tokens"][0]["steps"][-1] == {"step": "lemma", "result": "bake"}'
expect 0 "$kindred" index --db lemmas.db --config lemmas.toml "$data/topics.jsonl"
expect 0 "$kindred" status --db lemmas.db --json
json 'j["analysis"]["recorded"] and j["analysis"]["other_versions"] == ""'
json 'j["analysis"]["rules"]["analyzer.lemmas"].startswith("en=file ")'
json 'j["analysis"]["versions"]["ICU"] and j["analysis"]["versions"]["Snowball"]'
json 'all(list(d) == ["name", "path"] for d in j["dictionaries"])'
expect 0 "$kindred" status --db lemmas.db
says 'analyzer.lemmas'
says 'as the index records'

# another list at the same path is another analysis, for questions and for writers
cp -r lemmas.db accepted.db
printf 'luna\tmoons\n' >en.tsv
for command in status 'related --id moon-1' 'tag --all' "index $data/unlabeled.jsonl"; do
  # shellcheck disable=SC2086
  expect 1 "$kindred" $command --db lemmas.db
  errs 'expected the analysis that the index was made with: analyzer.lemmas: en=file '
  errs ' there, en=file '
  errs ' here'
done
expect 0 "$kindred" settings --db accepted.db --remember
expect 0 "$kindred" status --db accepted.db
rm en.tsv
expect 1 "$kindred" status --db accepted.db
errs 'en.tsv'

# a dictionary that is not there stops the index from being made
printf '[analyzer]\nlemmas = ["eo=hunspell"]\n' >eo.toml
expect 1 "$kindred" index --db eo.db --config eo.toml "$data/topics.jsonl"
errs 'package myspell-eo'
[ ! -e eo.db ] || fail "a database was made"
printf '[analyzer]\nlemmas = ["eo"]\n' >wrong.toml
expect 1 "$kindred" analyze --config wrong.toml --text a
errs 'wrong.toml:2: analyzer.lemmas: expected LANGUAGE=hunspell'

# other versions are said, and nothing is refused; a damaged record is
/usr/bin/python3 -c 'import xapian' 2>/dev/null || exit 0
make_topics
cp -r topics.db damaged.db
metadata() {
  python3 - "$1" "$2" <<'PYTHON'
import sys, xapian
database = xapian.WritableDatabase(sys.argv[1])
text = database.get_metadata("kindred.analysis").decode()
database.set_metadata("kindred.analysis", eval(sys.argv[2])(text))
database.commit()
PYTHON
}
metadata topics.db 'lambda text: __import__("re").sub("\"ICU\":\"[^\"]*\"", "\"ICU\":\"12.3\"", text)'
expect 0 "$kindred" status --db topics.db --json --verbose
json '"ICU: 12.3 there, " in j["analysis"]["other_versions"]'
errs 'the index was analyzed with other versions'
[ "$(grep -c 'other versions' "$err")" = 1 ] || fail "said more than once"
metadata damaged.db 'lambda text: "nonsense"'
expect 1 "$kindred" status --db damaged.db
errs 'kindred.analysis'

# stems that another program made tell their language
make_index german.db 'generator.set_stemmer(xapian.Stem("german")); words("", line)' <<'EOF2'
Die Katzen schliefen in den warmen Häusern der Nachbarinnen und träumten von Mäusen
Richtige Entscheidungen brauchen Zeiten der Ruhe, sagten freundliche Lehrerinnen
Wichtige Zeitungen berichteten gestern ausführlich über kommende Veranstaltungen
Unsere Großeltern erzählten abends lustige Geschichten aus vergangenen Jahrzehnten
EOF2
expect 0 "$kindred" status --db german.db --json
json 'j["analysis"]["rules"]["analyzer.language"] == "\"de\"" and not j["analysis"]["recorded"]'
expect 0 "$kindred" related --db german.db --text 'Entscheidung' --json
json '[r["docid"] for r in j["results"]] == [2]'
printf '[analyzer]\nlanguage = "en"\n' >en.toml
expect 0 "$kindred" status --db german.db --config en.toml --json
json 'j["analysis"]["rules"]["analyzer.language"] == "\"en\""'

# stems without a prefix, as STEM_ALL makes them, are recognized, and questions are stemmed
cat >texts <<'EOF2'
Because of the very warm evenings, the cats were sleeping before the houses of neighbors
Only once had any of the mice been living above the kitchens, having escaped other cats
Dreaming of mice during the nights, they were being ourselves, because nobody was watching
Grandparents were telling stories, having heard them once before, only for amusement
Newspapers reported very important decisions and beautiful celebrations during holidays
Travelling companies announced surprising changes because any other choices had failed
EOF2
for name in all none; do
  make_index $name.db "generator.set_stemmer(xapian.Stem('english'))
generator.set_stemming_strategy(generator.STEM_${name^^}); words('', line)" <texts
done
expect 0 "$kindred" related --db all.db --text 'decision celebrates' --json
json '[r["docid"] for r in j["results"]] == [5]'
expect 0 "$kindred" related --db none.db --text 'decision celebrates' --json
json 'j["results"] == []'
expect 0 "$kindred" related --db none.db --text 'decisions' --json
json '[r["docid"] for r in j["results"]] == [5]'
printf '[index]\nstemmed_words = false\n' >plain.toml
expect 0 "$kindred" related --db all.db --config plain.toml --text 'decisions' --json
json 'j["results"] == []'
printf '[analyzer]\nlanguage = "de"\n' >de.toml
expect 0 "$kindred" related --db all.db --config de.toml --text 'decisions' --json
json 'j["results"] == []'
