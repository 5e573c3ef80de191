# What an index remembers of its settings, and where settings files are found.
source "$(dirname "$0")/assert.sh"
status() { expect 0 "$kindred" status --json "$@"; }

# an index that Kindred made remembers prefixes and analysis
printf '[labels]\nprefix = "XTAG"\n[index]\nid_prefix = "U"\n[analyzer]\nlanguage = "de"\n[classify]\nneighbors = 7\n' >de.toml
"$kindred" index --db de.db --config de.toml "$data/topics.jsonl" >/dev/null
[ "$(ls de.db | grep kindred)" = kindred.history ] || fail "a file of settings beside an index that Kindred made"
status --db de.db
json '(j["labels"], j["labeled"], j["remembered"], j["profile"]) == (5, 40, "metadata", "none")'
expect 0 "$kindred" settings --db de.db
says 'prefix = "XTAG"'
says 'language = "de"'
says '# remembered by the index: metadata'
if grep -q '^neighbors = ' "$out"; then fail "it remembers what does not shape it"; fi
expect 0 "$kindred" ingest --db de.db "$data/unlabeled.jsonl"
expect 0 "$kindred" related --db de.db --id moon-1 --filter 'label:space' --json
json 'j["results"]'
expect 0 "$kindred" tag --db de.db --all --json
expect 0 "$kindred" tag --db de.db --id new-moon --opt-out --json
json 'j["id"] == "new-moon"'

# a settings file that says something else is refused; one that says the same, or nothing, is not
printf '[labels]\nprefix = "K"\n' >k.toml
for command in status tune 'tag --all' 'related --id moon-1' 'classify --id moon-1'; do
  # shellcheck disable=SC2086
  expect 1 "$kindred" $command --db de.db --config k.toml
  errs 'labels.prefix: expected "XTAG", as the index remembers (metadata), got "K"'
done
expect 1 "$kindred" ingest --db de.db --config k.toml "$data/unlabeled.jsonl"
errs 'labels.prefix'
expect 1 "$kindred" tag --db de.db --config k.toml --id moon-1 --opt-out
errs 'labels.prefix'
printf '[analyzer]\nfold_accents = true\n' >fold.toml
expect 1 "$kindred" status --db de.db --config fold.toml
errs 'analyzer.fold_accents: expected false'
status --db de.db --config de.toml
printf '[classify]\nneighbors = 3\n' >k3.toml
status --db de.db --config k3.toml
json 'j["labels"] == 5'
file_is() { expect 0 "$kindred" settings "${@:2}"; says "# settings file: $1"; }
file_is k3.toml --db de.db --config k3.toml

# it can be told to remember something else, or to forget
cp -r de.db changed.db
expect 0 "$kindred" settings --db changed.db --config k.toml --remember
says 'remembered in metadata'
status --db changed.db
json 'j["labels"] == 0'
cp -r changed.db twice.db
expect 0 "$kindred" settings --db changed.db --forget
says 'forgotten, with the record of how its texts were analyzed'
expect 0 "$kindred" settings --db changed.db --forget
says 'the index remembers nothing'
expect 0 "$kindred" settings --db twice.db --forget --json
json 'j == {"forgotten": True, "analysis": True}'
expect 0 "$kindred" settings --db twice.db --forget --json
json 'j == {"forgotten": False, "analysis": False}'
status --db changed.db
json '(j["labels"], j["remembered"]) == (0, "")'
status --db changed.db --config de.toml
json 'j["labels"] == 5'
expect 2 "$kindred" settings --db changed.db --forget --remember

# what Xapian copies, it copies with what the index remembers
if command -v xapian-compact >/dev/null; then
  xapian-compact de.db compact.db >/dev/null
  status --db compact.db
  json '(j["labels"], j["remembered"]) == (5, "metadata")'
fi

# files: --config, $KINDRED_CONFIG, beside the index, the user's, in this order
make_topics
mkdir -p .config/kindred
printf '[labels]\nprefix = "K"\n' >.config/kindred/kindred.toml
file_is "$work/.config/kindred/kindred.toml" --db topics.db
cp k3.toml topics.db/kindred.toml
file_is topics.db/kindred.toml --db topics.db
KINDRED_CONFIG=de.toml expect 1 "$kindred" status --db topics.db
errs 'expected "en", as the index remembers (metadata), got "de"'
KINDRED_CONFIG=nowhere.toml expect 1 "$kindred" status --db topics.db
errs 'nowhere.toml'
KINDRED_CONFIG=de.toml file_is k.toml --db topics.db --config k.toml

# an index of another program remembers them in a file beside it, once something was stored
command -v scriptindex >/dev/null || exit 0
printf 'id : boolean=XID unique=XID field\ntext : index truncate=200 field=sample\nlabel : boolean=XCAT\n' >index.script
python3 - "$data/topics.jsonl" >dump <<'EOF2'
import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    print("id=%s\ntext=%s" % (record["id"], record["text"]))
    for label in record["labels"]:
        print("label=" + label)
    print()
EOF2
scriptindex omega.db index.script dump >/dev/null
rm -r .config
printf '[index]\nid_prefix = "XID"\n[labels]\nprefix = "XCAT"\n' >script.toml
status --db omega.db
json '(j["labels"], j["remembered"]) == (0, "")'
status --db omega.db --config script.toml
json 'j["labels"] == 5'
[ ! -e omega.db/kindred.settings ] || fail "a question has written"
expect 0 "$kindred" tune --db omega.db --config script.toml
grep -q 'prefix = "XCAT"' omega.db/kindred.settings || fail "no settings beside the index"
status --db omega.db
json '(j["labels"], j["remembered"]) == (5, "omega.db/kindred.settings") and j["tuning"]'
expect 0 "$kindred" classify --db omega.db --id moon-1 --json
json 'j["tags"][0]["label"] == "space"'
expect 1 "$kindred" status --db omega.db --config k.toml
errs 'labels.prefix: expected "XCAT", as the index remembers (omega.db/kindred.settings), got "K"'
expect 0 "$kindred" settings --db omega.db --forget
expect 0 "$kindred" settings --db omega.db --config script.toml --remember --json
json 'j["remembered"] == "omega.db/kindred.settings"'
printf 'nonsense' >omega.db/kindred.settings
expect 1 "$kindred" status --db omega.db
errs 'omega.db/kindred.settings:1: '

# an index that belongs to another program is not written: not even metadata, also by a tuning
"$kindred" index --db foreign.db "$data/topics.jsonl" "$data/held_out.jsonl" >/dev/null
printf '[index]\nread_only = true\ndirectory = "%s"\n' "$work" >read_only.toml
sum=$(cat foreign.db/* | cksum)
expect 0 "$kindred" tune --db foreign.db --config read_only.toml
expect 0 "$kindred" topics train --db foreign.db --config read_only.toml
status --db foreign.db --config read_only.toml
json 'j["tuning"]'
for command in 'tag --all' 'tag --id moon-1 --opt-out' 'related --all --store' 'topics assign' 'settings --remember' \
  "index $data/topics.jsonl" "ingest $data/topics.jsonl"; do
  # shellcheck disable=SC2086
  expect 1 "$kindred" $command --db foreign.db --config read_only.toml
  errs 'foreign.db: expected index.read_only = false, for this writes to the index'
done
expect 1 "$kindred" index --db none.db --config read_only.toml "$data/topics.jsonl"
[ ! -e none.db ] || fail "a database was made"
expect 0 "$kindred" tag --db foreign.db --config read_only.toml --all --dry-run
expect 0 "$kindred" tune --db foreign.db --config read_only.toml --remove
[ "$(cat foreign.db/* | cksum)" = "$sum" ] || fail "the index was written"

# all values that begin alike are no labels
printf '[labels]\nsystem = ["s*"]\n' >system.toml
"$kindred" index --db system.db --config system.toml "$data/topics.jsonl" >/dev/null
status --db system.db
json '(j["labels"], j["labeled"]) == (2, 20)'
