# kindred analyze.
source "$(dirname "$0")/assert.sh"

expect 0 "$kindred" analyze --lang en --text 'The running dogs of 1999' --json
json 'list(j) == ["language", "tokens"] and j["language"] == "en"'
json 'all(list(t) == ["position", "begin", "end", "surface", "word", "term", "steps", "dropped", "joined", "parts"] for t in j["tokens"])'
json 'all(list(s) == ["step", "result"] for t in j["tokens"] for s in t["steps"])'
json '[t["surface"] for t in j["tokens"]] == ["The", "running", "dogs", "of", "1999"]'
json '[t["position"] for t in j["tokens"]] == [1, 2, 3, 4, 5]'
json '[j["tokens"][i]["term"] for i in (0, 1, 2, 4)] == ["", "run", "dog", "1999"]'
json '[(t["begin"], t["end"]) for t in j["tokens"]] == [(0, 3), (4, 11), (12, 16), (17, 19), (20, 24)]'
json '{"step": "fold", "result": "the"} in j["tokens"][0]["steps"]'
json 'j["tokens"][0]["steps"][-1] == {"step": "stop_words", "result": ""}'
json 'j["tokens"][0]["word"] == "the" and j["tokens"][1]["word"] == "running"'
expect 0 "$kindred" analyze --text 'The running dogs'
says 'stem: run'
says 'language en'

printf 'gatos' >text
expect 0 "$kindred" analyze --lang pt_BR --text-file text --json
json 'j["language"] == "pt" and j["tokens"][0]["term"] == "gat"'
expect 0 "$kindred" analyze --lang pt --text-file - --json <text
json 'len(j["tokens"]) == 1'
expect 0 "$kindred" analyze --text '' --json
json 'j["tokens"] == []'
expect 0 "$kindred" analyze --text $'a\xffb \xc3' --json
json 'j["language"] == "en"'
expect 0 "$kindred" analyze --lang ja --text '私は東京に住んでいます' --json # words without spaces
json '"東京" in [t["term"] for t in j["tokens"]]'

printf '[analyzer]\nfilters = ["numbers", "stem"]\nlanguage = "de"\n' >settings.toml
expect 0 "$kindred" analyze --config settings.toml --text 'Hunde 1999' --json
json 'j["language"] == "de" and [t["term"] for t in j["tokens"]] == ["hund", ""]'

# compounds and their parts
printf 'Haus\nTür\n' >words
printf '[analyzer]\nlanguage = "de"\ncompounds = ["de=words"]\n' >compounds.toml
expect 0 "$kindred" analyze --config compounds.toml --text 'Die Haustüren' --json
json 'j["tokens"][1]["parts"] == ["haus", "tur"] and j["tokens"][1]["term"] == "haustur"'
json '{"step": "decompound", "result": "haus+türen"} in j["tokens"][1]["steps"]'
expect 0 "$kindred" analyze --config compounds.toml --text 'Die Haustüren'
says 'decompound: haus+türen'
says 'part: tur'
expect 0 "$kindred" analyze --config compounds.toml --text 'Die Haustüren' --html compounds.html
grep -qF '"parts":["haus","tur"]' compounds.html || fail "the page lacks the parts"
printf '[analyzer]\ncompounds = ["de"]\n' >wrong.toml
expect 1 "$kindred" analyze --config wrong.toml --text a
errs 'wrong.toml:2: analyzer.compounds: expected LANGUAGE=hunspell'

# why words are dropped, and features of several words
printf '[analyzer]\nngrams = 2\n' >joined.toml
expect 0 "$kindred" analyze --config joined.toml --text "The not good dog $(printf 'x%.0s' {1..65})" --json
json 'j["tokens"][0]["dropped"] == {"step": "stop_words", "reason": "a stop word"}'
json 'j["tokens"][2]["joined"] == ["not good"] and j["tokens"][2]["dropped"] is None'
json 'j["tokens"][4]["dropped"]["step"] == "length"'
expect 0 "$kindred" analyze --config joined.toml --text 'The not good dog'
says 'stop_words: - (a stop word)'
says 'joined: not good'
expect 0 "$kindred" analyze --config joined.toml --text 'The <b>not</b> good' --html page.html
silent "$out"
grep -qF '"surface":"The","word":"the","term":""' page.html || fail "the page lacks a dropped word"
expect 0 "$kindred" analyze --text '' --html empty.html
[ -s empty.html ] || fail "no page of an empty text"
expect 1 "$kindred" analyze --text x --html absent/page.html
errs 'absent/page.html'

# as an index reads it: by what that remembers, not by the settings of whoever asks
make_topics
expect 0 "$kindred" index --db german.db --set analyzer.language=de "$data/topics.jsonl"
for db in topics german; do
  expect 0 "$kindred" analyze --db $db.db --text 'The running Hunde' --json
  cp "$out" $db.json
done
cat topics.json german.json >"$out"
json '[[w["term"] for w in line["words"]] for line in lines] == [["", "Zrun", "Zhund"], ["Zthe", "Zrunning", "Zhund"]]'
expect 0 "$kindred" analyze --db topics.db --text 'The running Hunde'
says '1         the      - (a stop word)'
says '2         running  Zrun'
expect 2 "$kindred" analyze --db topics.db --text x --html page.html
