# kindred analyze.
source "$(dirname "$0")/assert.sh"

expect 0 "$kindred" analyze --lang en --text 'The running dogs of 1999' --json
json 'list(j) == ["language", "tokens"] and j["language"] == "en"'
json 'all(list(t) == ["position", "surface", "word", "term", "steps"] for t in j["tokens"])'
json 'all(list(s) == ["step", "result"] for t in j["tokens"] for s in t["steps"])'
json '[t["surface"] for t in j["tokens"]] == ["The", "running", "dogs", "of", "1999"]'
json '[t["position"] for t in j["tokens"]] == [1, 2, 3, 4, 5]'
json '[j["tokens"][i]["term"] for i in (0, 1, 2, 4)] == ["", "run", "dog", "1999"]'
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

printf '[analyzer]\nnumbers = false\nlanguage = "de"\n' >settings.toml
expect 0 "$kindred" analyze --config settings.toml --text 'Hunde 1999' --json
json 'j["language"] == "de" and [t["term"] for t in j["tokens"]] == ["hund", ""]'
