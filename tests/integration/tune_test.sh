# kindred tune, and what follows it.
source "$(dirname "$0")/assert.sh"
make_topics

# nothing is stored by a dry run; the report is complete
expect 0 "$kindred" tune --db topics.db --dry-run --json
json 'j["file"] is None and j["scores"]["documents"] == 40'
[ ! -e topics.db/kindred.tuning ] || fail "a dry run stored something"
json 'j["seconds"] > 0'
json '0 <= j["expected_accuracy"] <= j["expected_at_most"] <= min(j["expected_accuracy"] + 0.1, 1) + 1e-9'
json '0 <= j["drift"] <= 0.1 and 0 <= j["siblings"] <= 1 and j["alone"] == 0'
expect 0 "$kindred" tune --db topics.db --dry-run
grep -qE '^0\.[0-9]{4}  ' "$out" || fail "what was measured is not in the table"
expect 0 "$kindred" tune --db topics.db --dry-run --documents 30 --json
json 'j["method"] == {"vote": "blend", "neighbors": 45, "linear": False}'

expect 0 "$kindred" tune --db topics.db
says 'measured by leave-one-out on 40 documents'
[[ "$(head -1 "$out")" == 'expect the best tag of '*' % of later documents to be right'* ]] ||
  fail "the first line does not say what to expect"
says 'stored in topics.db/kindred.tuning'
expect 0 "$kindred" status --db topics.db --json
json 'j["tuning"]["known_terms"] > 0 and j["tuning"]["revision"] == 1'
expect 0 "$kindred" status --db topics.db
says 'tags by'
expect 0 "$kindred" classify --db topics.db --text "bake the bread in the oven" --explain --json
json 'j["tags"][0]["label"] == "cooking" and j["reasons"][0]["voters"] and j["reasons"][0]["terms"]'
json 'all(m["threshold"] is None or m["label"] for m in j["near_misses"])'
expect 0 "$kindred" classify --db topics.db --text "bake the bread in the oven" --explain
says 'because of'
expect 0 "$kindred" ingest --db topics.db "$data/unlabeled.jsonl"
says 'tagged'
expect 0 "$kindred" evaluate --db topics.db --jsonl "$data/held_out.jsonl"
says 'calibration error'

# bad input: a damaged file, another index's, a filter that leaves nothing
cp topics.db/kindred.tuning good
printf x >>topics.db/kindred.tuning
expect 1 "$kindred" classify --db topics.db --text bread
errs 'topics.db/kindred.tuning: the tuning is damaged'
"$kindred" index --db other.db "$data/topics.jsonl" >/dev/null
cp good other.db/kindred.tuning
expect 0 "$kindred" classify --db other.db --text bread
errs 'the tuning is not used: made for another index'
printf '[classify]\nuse_tuning = false\n' >untuned.toml
expect 0 "$kindred" classify --db other.db --text bread --config untuned.toml
mkfifo fifo.toml
expect 1 "$kindred" classify --db other.db --text bread --config fifo.toml
errs 'fifo.toml: the settings file cannot be read: Is a FIFO, expected a regular file'
expect 1 "$kindred" tune --db other.db --filter 'label:nothing'
errs 'found 0'
expect 0 "$kindred" tune --db other.db --remove
says 'removed'
says "stays untuned until 'kindred tune'"
expect 0 "$kindred" tune --db other.db --remove --json
json 'j["removed"] is False'
expect 0 "$kindred" classify --db other.db --text bread
expect 1 "$kindred" tune --db absent.db --remove
errs 'absent.db: no such database'
mkdir other.db/kindred.tuning
expect 1 "$kindred" classify --db other.db --text bread
errs 'other.db/kindred.tuning: Is a directory, expected a regular file'
expect 1 "$kindred" tune --db other.db
errs 'other.db/kindred.tuning: Is a directory, expected a regular file'

# an index tunes itself before it answers about one document, a file, or many of its own
for more in again- anew-; do sed "s/\"id\": *\"/&$more/" "$data/topics.jsonl"; done >again.jsonl
for question in '--id moon-1' "--jsonl $data/unlabeled.jsonl" '--ids-from ids.txt' '--all'; do
  rm -rf itself.db
  "$kindred" index --db itself.db "$data/topics.jsonl" again.jsonl >/dev/null
  echo moon-1 >ids.txt
  # shellcheck disable=SC2086
  expect 0 "$kindred" classify --db itself.db $question
  expect 0 "$kindred" status --db itself.db --json
  json 'j["tuning"]["automatic"]'
done

# What it knew of a label is lost with that, so it is due when the label comes back.
run_of() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["run"])' "$out"; }
expect 0 "$kindred" label remove --db itself.db music --json
run=$(run_of)
expect 0 "$kindred" status --db itself.db --json
json 'not j["tuning_due"]'
expect 0 "$kindred" undo --db itself.db --run "$run"
expect 0 "$kindred" status --db itself.db --json
json 'j["tuning_due"]'
expect 0 "$kindred" tune --db itself.db --remove
expect 0 "$kindred" classify --db itself.db --text rocket
expect 0 "$kindred" status --db itself.db --json
json 'j["tuning"] is None'

# a tuning whose filter leaves no voter is not used, and everything says so
rm -rf itself.db
sed 's/"labels": *\[/&"verified", /' "$data/topics.jsonl" >verified.jsonl
"$kindred" index --db verified.db verified.jsonl >/dev/null
expect 0 "$kindred" tune --db verified.db --filter 'label:verified'
expect 0 "$kindred" label rename --db verified.db verified checked --json
run=$(run_of)
expect 0 "$kindred" status --db verified.db --json
json 'j["tuning"]["filter"] == "label:\"checked\"" and j["tuning_unused"] == ""'

# An undo gives the label its name back there, too.
expect 0 "$kindred" undo --db verified.db --run "$run" --json
run=$(run_of)
expect 0 "$kindred" status --db verified.db --json
json 'j["tuning"]["filter"] == "label:\"verified\"" and not j["tuning_due"]'
expect 0 "$kindred" undo --db verified.db --run "$run"
expect 0 "$kindred" status --db verified.db --json
json 'j["tuning"]["filter"] == "label:\"checked\""'
expect 0 "$kindred" label rename --db verified.db space cooking
says "two labels are one now, so the tuning is due: 'kindred tune'"
expect 0 "$kindred" label remove --db verified.db checked
expect 0 "$kindred" status --db verified.db --json
json 'j["tuning"] is None and "matches fewer than 2 labeled documents" in j["tuning_unused"]'
expect 0 "$kindred" status --db verified.db
says 'not used: its filter'
expect 0 "$kindred" classify --db verified.db --text bread --json
json '"not used" in j["tuning_unused"] and j["tags"][0]["label"] == "cooking"'
errs 'verified.db: the tuning is not used: its filter'

# an index that its host makes anew in place: a tuning that Kindred found is replaced in silence, one
# by hand is told of, and nothing else fails
rm -rf anew.db
"$kindred" index --db anew.db "$data/topics.jsonl" again.jsonl >/dev/null
"$kindred" classify --db anew.db --text bread >/dev/null
"$kindred" topics train --db anew.db --rows 2 --columns 2 >/dev/null
mkdir kept
mv anew.db/kindred.* kept
rm -rf anew.db
"$kindred" index --db anew.db "$data/topics.jsonl" again.jsonl "$data/held_out.jsonl" >/dev/null
cp kept/kindred.tuning kept/kindred.som anew.db
for command in related status show search classify; do
  case $command in
    related | classify) set -- --text bread ;;
    show | search) set -- bread-1 ;;
    status) set -- ;;
  esac
  expect 0 "$kindred" $command --db anew.db "$@"
  silent "$err"
done
expect 0 "$kindred" status --db anew.db --json
json 'j["tuning"]["automatic"] and j["tuning_unused"] == ""'
expect 1 "$kindred" topics show --db anew.db
errs 'train it again'

# all documents are deleted, and come back
expect 0 "$kindred" delete --db anew.db --all
for command in "status" "related --text bread" "classify --text bread"; do
  # shellcheck disable=SC2086
  expect 0 "$kindred" $command --db anew.db
done
"$kindred" index --db anew.db "$data/topics.jsonl" >/dev/null
expect 0 "$kindred" status --db anew.db --json
json 'j["tuning"]["automatic"]'

# where no label has a second document, nothing is promised
for i in 1 2 3 4; do printf '{"id":"%s","text":"own%sx word","labels":["l%s"]}\n' "$i" "$i" "$i"; done >lone.jsonl
expect 0 "$kindred" index --db lone.db lone.jsonl
expect 0 "$kindred" tune --db lone.db --dry-run --json
json 'j["alone"] == 1 and j["expected_accuracy"] == 0 and "expected_at_most" not in j'
expect 0 "$kindred" tune --db lone.db --dry-run
[ "$(head -1 "$out")" = 'what to expect of later documents is not measured: no label has a second document' ] ||
  fail "a promise that nothing measured"

# what thresholds are for
expect 0 "$kindred" tune --db topics.db --for precision=0.9
says 'thresholds for precision=0.9: of the tags given '
expect 0 "$kindred" status --db topics.db --json
json 'j["tuning"]["goal"] == "precision=0.9" and 0 <= j["tuning"]["scores"]["recall"] <= 1'
expect 0 "$kindred" tune --db topics.db --for top=2
expect 0 "$kindred" classify --db topics.db --text 'bake the bread in the oven' --json
json 'len(j["tags"]) == 2'
expect 1 "$kindred" tune --db topics.db --for recall
errs "goal: expected micro, macro, precision=P with P between 0 and 1, or top=N with N from 1 to 1000, found 'recall'"
expect 0 "$kindred" tune --db topics.db
says 'thresholds for the mean of micro and macro F1'
