# Whatever an index, a file name or a command line holds, the output of the program is safe to show:
# on the terminal, in pages and drawings, in messages. Hostile texts come from records, and bytes
# that are not UTF-8 from the database of another program.
source "$(dirname "$0")/assert.sh"

# decent FILE...: valid UTF-8; no control but newline, no bidirectional override, nothing that hides
cat >decent.py <<'EOF2'
import sys, unicodedata
tabs = "\t" if sys.argv[1] == "--tabs" else ""
for path in sys.argv[1 + len(tabs):]:
    with open(path, encoding="utf-8", newline="") as file:
        for number, line in enumerate(file, 1):
            for c in line:
                if c in "\n" + tabs or unicodedata.category(c) not in ("Cc", "Cf", "Zl", "Zp", "Cs"):
                    continue
                sys.exit(f"{path}:{number}: U+{ord(c):04X} in {ascii(line[:200])}")
EOF2
decent() { python3 decent.py "$@" || fail "not fit to be shown"; }

# shows STATUS COMMAND...: what it prints, and what it complains of, is decent; it goes on in $both
shows() {
  expect "$@"
  decent --tabs "$out" "$err"
  cat "$out" "$err" >"$both"
}
both=$work/.both
tells() { grep -qF -- "$1" "$both" || fail "no '$1' in $(cat "$both")"; }

python3 - <<'EOF2'
import json
evil = "\x1b[31m\x07\x00\x7f\x9b1m\u202etxt\u2066\u200b\ufeff\u2028end"
with open("evil.jsonl", "w") as file:
    for i in range(30):
        kind = "one" if i % 2 else "two"
        json.dump({"id": f"{evil}{i}", "title": evil + "\ttitle", "labels": [kind + evil],
                   "terms": {kind + evil: 2, "shared": 1, kind + "more": 1}}, file)
        print(file=file)
    print('{"id": "bad\\u001b[2J", "text": 3}', file=file)
    print('{"id": "\\u001b[2J\\u202e", "\\u001b]0;x": }', file=file)
with open("evil_id", "w") as file:
    file.write(evil.replace("\0", "") + "0")
EOF2
evil=$(cat evil_id)
shows 1 "$kindred" index --db evil.db --progress always --verbose evil.jsonl
tells 'evil.jsonl:31: '
shows 0 "$kindred" related --db evil.db --docid 1 --explain
tells '\x1b[31m\x07\x00\x7f\u009b1m\u202etxt\u2066\u200b\ufeff\u2028end'
shows 0 "$kindred" classify --db evil.db --docid 1 --voters --explain
tells '\x1b[31m'
shows 1 "$kindred" classify --db evil.db --jsonl evil.jsonl
shows 0 "$kindred" suspects --db evil.db --limit 5 --html evil_suspects.html
shows 0 "$kindred" duplicates --db evil.db --min-similarity 0.5
tells 'one\x1b[31m'
shows 1 "$kindred" candidates --db evil.db one
tells 'one\x1b[31m'
shows 0 "$kindred" geometry --db evil.db --html evil_geometry.html
tells 'one\x1b[31m'
shows 0 "$kindred" status --db evil.db --verbose
shows 0 "$kindred" tag --db evil.db --all --dry-run --progress always
shows 0 "$kindred" evaluate --db evil.db --leave-one-out --labels --confusion --html evil.html
tells 'one\x1b[31m'
shows 0 "$kindred" tune --db evil.db --dry-run
shows 0 "$kindred" topics train --db evil.db --rows 3 --columns 3 --topics 2 --progress always
shows 0 "$kindred" topics assign --db evil.db
shows 0 "$kindred" topics show --db evil.db
tells '\u202e'
shows 0 "$kindred" show --db evil.db --docid 1
tells '\u202etxt\u2066'
shows 0 "$kindred" search --db evil.db 'id:"'"$evil"'"'
shows 0 "$kindred" label list --db evil.db
tells 'one\x1b[31m'
shows 1 "$kindred" label remove --db evil.db "$evil"
shows 0 "$kindred" delete --db evil.db --all --dry-run
tells '\u202etxt\u2066'
shows 1 "$kindred" delete --db evil.db "$evil-none"
shows 0 "$kindred" export --db evil.db
shows 0 "$kindred" export --db evil.db --csv
shows 0 "$kindred" topics of --db evil.db --docid 1
shows 0 "$kindred" topics map --db evil.db --html map.html --svg map.svg --color labels
shows 0 "$kindred" topics export --db evil.db --out evil
shows 0 "$kindred" analyze --text "$evil"
decent evil.html evil_suspects.html evil_geometry.html map.html map.svg
grep -qF '\u202etxt' evil_geometry.html || fail "no label in the dendrogram"
grep -qF '\u202etxt' evil.html || fail "no label in the report"
grep -qF '\u202etxt' map.svg || fail "no name in the drawing"
python3 - <<'EOF2'
import json, re, xml.dom.minidom
xml.dom.minidom.parse("map.svg")
page = open("map.html", encoding="utf-8").read()
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
texts = json.dumps(data, ensure_ascii=False)
assert "\\\\u202e" in texts and "\u202e" not in texts and "\\u001b" not in texts, texts[:300]
EOF2

# JSON is data: it keeps what the index holds, and escapes what may not be shown
shows 0 "$kindred" related --db evil.db --docid 1 --json
json '"\x1b[31m\x07\x00\x7f\x9b1m\u202etxt\u2066\u200b\ufeff\u2028end" in j["results"][0]["id"]'

# messages: ids, queries, file names, settings, labels, what Xapian and the command line say
shows 1 "$kindred" related --db evil.db --id "$evil"
tells '\x1b[31m\x07'
shows 1 "$kindred" topics map --db evil.db --svg x.svg --color "$evil"
tells '\u202e'
shows 1 "$kindred" status --db "$evil"
tells 'no such database'
mkdir "$evil" "$evil.db"
for command in status 'index absent.jsonl' 'tag --all' 'tune --remove'; do
  # shellcheck disable=SC2086
  shows 1 "$kindred" $command --db "$evil/none"
done
shows 1 "$kindred" status --db "$evil"
shows 1 "$kindred" index --db evil.db "$evil"
shows 1 "$kindred" topics map --db evil.db --svg "$evil/no/such.svg"
tells '\x1b[31m'
shows 1 "$kindred" status --db evil.db --config "$evil"
shows 1 "$kindred" status --db evil.db --config "$evil.toml"
printf '[classify]\n"k\\u001b[2J\\u202e" = 3\n' >key.toml
shows 1 "$kindred" status --db evil.db --config key.toml
tells '\x1b[2J\u202e'
expect 0 "$kindred" settings --db evil.db --forget # or it would say what it remembers
printf '[analyzer]\nlanguage = "\\u001b[2J\\u202e"\n' >value.toml
shows 1 "$kindred" status --db evil.db --config value.toml
tells '\x1b[2J\u202e'
printf '[analyzer]\nlanguage = "\033[2J\xff"\n' >raw.toml
shows 1 "$kindred" status --db evil.db --config raw.toml
printf '[labels]\nprefix = "XP\\u001b[2J"\n' >prefix.toml
printf '{"id":"p","text":"nothing in common"}\n' >prefix.jsonl
shows 1 "$kindred" ingest --db prefix.db --config prefix.toml prefix.jsonl
tells 'XP\x1b[2J'
shows 2 "$kindred" status --db evil.db "$evil"
shows 2 "$kindred" "$evil"
tells "there is no command '\\x1b[31m"
shows 2 "$kindred" related --db evil.db --id x --limit "$evil"
shows 2 "$kindred" classify --db evil.db --text x --vote "$evil"
cp -r evil.db "$evil.db/evil.db"
shows 0 "$kindred" tune --db "$evil.db/evil.db" --remove
shows 0 "$kindred" status --db "$evil.db/evil.db" --verbose

# what another program wrote: Latin-1 ids, labels and words
if command -v scriptindex >/dev/null; then
  printf 'id : boolean=Q unique=Q field\nlabel : boolean=K\ntitle : field index=S index\nword : boolean=XW\n' >latin.script
  for i in 1 2 3 4 5 6; do
    printf 'id=caf\xe9-%s\ntitle=na\xefve \x9b31m moon %s\nlabel=gar\xe7on\xff\nword=\xe9%s\n\n' $i pair$((i / 2)) $i
  done >latin.dump
  scriptindex latin.db latin.script latin.dump >/dev/null
  shows 0 "$kindred" related --db latin.db --docid 2 --explain
  tells 'caf\xe9-'
  shows 0 "$kindred" classify --db latin.db --docid 2 --voters --explain
  tells 'gar\xe7on\xff'
  shows 0 "$kindred" evaluate --db latin.db --leave-one-out --labels --html latin.html
  shows 0 "$kindred" topics train --db latin.db --rows 2 --columns 2 --topics 1
  shows 0 "$kindred" topics show --db latin.db
  shows 0 "$kindred" topics map --db latin.db --svg latin.svg --html latin_map.html
  shows 0 "$kindred" topics export --db latin.db --out latin
  decent latin.html latin.svg latin_map.html
  grep -qF 'gar\\xe7on\\xff' latin.html || fail "no label in the report"
  grep -qF 'caf\xe9-1' latin.documents.csv || fail "no id in the CSV"
fi
