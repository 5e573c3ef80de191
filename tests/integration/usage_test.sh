# The command line: help, versions, exit status 2 if it is wrong, 1 for wrong settings.
source "$(dirname "$0")/assert.sh"
make_topics

expect 0 "$kindred" --help
says 'Examples:'
for command in index ingest search show delete related classify evaluate geometry suspects candidates duplicates tag label log undo review vocabulary tune topics export mirror status settings analyze; do
  says "$command"
  "$kindred" "$command" --help >help
  [ $command != topics ] || "$kindred" topics train --help >>help
  [ $command != label ] || "$kindred" label list --help >>help
  [ $command != vocabulary ] || "$kindred" vocabulary load --help >>help
  for option in --help --json --config; do
    grep -qF -- "$option" help || fail "$command --help does not tell of $option"
  done
  grep -qF "kindred $command " help || fail "$command --help has no example"
done
expect 0 "$kindred" related --help
for field in title label predicted rejected topic unit id lang; do
  grep -qE "\b$field\b" <(sed -n '/A filter is/,$p' "$out") || fail "the help on filters lacks $field"
done
expect 0 "$kindred" --version
says 'kindred '
expect 0 "$kindred" -v

wrong() {
  expect 2 "$kindred" "$@"
  errs 'kindred: '
  silent "$out"
}
wrong topics nonsense --db topics.db
errs "there is no command 'nonsense'"
errs "Try 'kindred topics --help'"
wrong accept
errs "there is no command 'accept'; did you mean 'tag --accept'?"
wrong --nonsense
wrong status
errs '--db'
wrong status --db
wrong status --db topics.db --nonsense
errs "Try 'kindred status --help'"
wrong status --db topics.db extra
wrong search --db topics.db -label:space
errs "there is no option '-label:space'; if it is none, write -- before it"
wrong search --db topics.db --limt 1 moon
errs "there is no option '--limt'; did you mean '--limit'?"
expect 0 "$kindred" search --db topics.db --json -- -label:space
json 'j["total"]["estimate"] == 30'
KINDRED_DB=topics.db expect 0 "$kindred" search --limit 1 -- -label:space # the usual database, too
says 'of 30 documents'
expect 1 "$kindred" label remove --db topics.db -- -x
errs "no document has the label '-x'"
wrong index --db x.db
wrong index --db x.db --progress sometimes "$data/topics.jsonl"
wrong related --db topics.db
errs '--text-file'
wrong related --db topics.db --id moon-1 --limit 0
errs 'expected a whole number from 1'
for k in -1 ten 1.5 '' 99999999999999999999 0x10 '5 '; do
  wrong related --db topics.db --id moon-1 --limit "$k"
done
for threshold in -0.1 1.1 nan inf half ''; do
  wrong related --db topics.db --id moon-1 --min-similarity "$threshold"
  wrong classify --db topics.db --id moon-1 --min-confidence "$threshold"
done
wrong related --db topics.db --like-query moon --like-top 0
wrong related --db topics.db --unlike-query moon
errs '--like-query is required'
wrong related --db topics.db --docid 0
wrong related --db topics.db --docid 4294967296
wrong classify --db topics.db
wrong classify --db topics.db --id moon-1 --text moon
wrong classify --db topics.db --id moon-1 --id moon-2
wrong classify --db topics.db moon-1 --id moon-2
wrong show --db topics.db
errs 'expected an ID, --id or --docid'
wrong delete --db topics.db
errs 'expected an ID, --docid, --ids-from, --query or --all'
wrong delete --db topics.db moon-1 --all
wrong label --db topics.db
wrong label rename --db topics.db space
wrong label remove --db topics.db ''
errs 'expected a label'
wrong search --db topics.db
wrong search --db topics.db ''
errs 'expected a query'
wrong classify --db topics.db --text x --limit 0
wrong classify --db topics.db --text x --set weighting.smart=xyz
errs 'SMART'
wrong classify --db topics.db --text x --set weighting.smart=Ltn
errs 'expected the letter c after L'
wrong status --db topics.db --backend abacus
wrong status --db topics.db --threads -1
wrong status --db topics.db --set backend.devices=256
wrong status --db topics.db --set backend.devices=0,x
wrong evaluate --db topics.db
wrong evaluate --db topics.db --jsonl "$data/topics.jsonl" --leave-one-out
errs 'expected exactly one of FILE, --jsonl, --leave-one-out and --folds'
wrong evaluate
errs '--db is required: it names the index, as $KINDRED_DB or a folder .kindred here or above does'
wrong label
errs 'expected one of the commands list, rename, remove'
wrong label --db topics.db
errs "'--db' goes behind a command, as in 'kindred label list --db'"
wrong --db topics.db status
errs "'--db' goes behind a command, as in 'kindred status --db'"
wrong evaluate --db topics.db "$data/topics.jsonl"
errs 'expected FILE without --db'
wrong evaluate -
wrong evaluate --db topics.db --leave-one-out --folds 5
wrong evaluate --db topics.db --leave-one-out --split test
wrong evaluate --db topics.db --leave-one-out --seed 1
wrong evaluate --db topics.db --folds 1
wrong analyze
wrong analyze --text a --text-file b
wrong suspects --db topics.db --limit 0
errs 'expected a whole number from 1 to 4294967295'
wrong candidates --db topics.db
wrong candidates --db topics.db space --limit 0
wrong candidates --db topics.db space --min-confidence 1.5
wrong duplicates --db topics.db --limit 0
for threshold in 0 -0.1 1.1 nan half ''; do
  wrong duplicates --db topics.db --min-similarity "$threshold"
  errs 'expected a number above 0, at most 1'
done
for threshold in -0.1 1.5 nan half; do
  wrong ingest --db x.db --set ingest.near_duplicates="$threshold" "$data/topics.jsonl"
  errs 'ingest.near_duplicates: expected'
  wrong related --db topics.db --id moon-1 --fold="$threshold"
done
wrong status --db topics.db --set nonsense
errs "expected KEY=VALUE, found 'nonsense'"
wrong status --db topics.db --set backend.knd=cpu
errs "did you mean 'backend.kind'?"
wrong tag --db topics.db --set query=moon
errs "'query'"  # a key of the question has an option of its own
wrong tune --db topics.db --documents 1
wrong tune --db topics.db --seed -1
errs 'expected a whole number from 0'
wrong topics
wrong topics of --db topics.db
errs "Try 'kindred topics of --help'"

# leading zeros do not make a number octal
"$kindred" related --db topics.db --docid 10 --limit 9 >ten
expect 0 "$kindred" related --db topics.db --docid 010 --limit 09
cmp -s ten "$out" || fail "010 is not ten"

# an empty name, as from a variable that is not set, does not count as a missing option
wrong status --db ''
errs "--db: expected a database, found ''"
wrong status --db topics.db --config ''
wrong classify --db topics.db --jsonl ''
wrong evaluate --db topics.db --leave-one-out --html ''
wrong topics export --db topics.db --out ''
wrong tag --db topics.db --query ''
errs '--all tags all documents'

# a language that nobody knows
wrong classify --db topics.db --text moon --lang klingonish
wrong analyze --text moon --lang klingonish
errs 'expected an ISO 639 code'
[ ! -e x.db ] || fail "a wrong command line made a database"

# a failure is reported on standard error, and standard output has nothing but JSON
for command in status export mirror 'show x' 'search x' 'delete x' log 'log x' 'undo --edit 1' review 'label list' 'label rename x y' 'label remove x' 'vocabulary show' 'vocabulary search x' 'vocabulary remove' 'related x' 'related --id x' 'classify --text x' "classify --jsonl $data/unlabeled.jsonl" geometry suspects duplicates 'candidates x' \
  'evaluate --leave-one-out' 'tag --all' 'tag --id x --opt-out' tune 'tune --remove' 'topics train' 'topics show' \
  'topics of --id x' 'topics assign' 'topics map --svg x.svg' 'topics export --out x' 'index absent.jsonl' 'ingest absent.jsonl'; do
  # shellcheck disable=SC2086
  expect 1 "$kindred" $command --db absent.db --json
  errs 'kindred: absent'
  silent "$out"
done
printf '%s\n' '{"id": "a"' '{"id": "b", "text": "moon"}' >half.jsonl
expect 1 "$kindred" classify --db topics.db --jsonl half.jsonl --json
json 'len(lines) == 2 and j["line"] == 1 and lines[1]["id"] == "b"'
expect 1 "$kindred" index --db half.db half.jsonl --json
json '(j["added"], j["failed"]) == (1, 1)'

# settings: exit status 1, with file, line and key
printf '[classify]\nks = 3\n' >settings.toml
expect 1 "$kindred" status --db topics.db --config settings.toml
errs "kindred: settings.toml:2: unknown key 'classify.ks'"
expect 1 "$kindred" status --db topics.db --config missing.toml
errs 'missing.toml'
expect 1 "$kindred" index --db x.db --config missing.toml "$data/topics.jsonl"
[ ! -e x.db ] || fail "a database was made in spite of wrong settings"

# standard output that cannot be written
status=0
"$kindred" status --db topics.db >/dev/full 2>"$err" || status=$?
[ $status = 1 ] || fail "a full disk went unnoticed"
errs 'cannot write to standard output'

# -k is the number of related documents, and nothing else
expect 2 "$kindred" classify --db topics.db --text moon -k 3
errs "there is no option '-k'"
