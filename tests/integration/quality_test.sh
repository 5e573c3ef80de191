# Default settings on published collections, if they are there: no change may go below these floors.
# The collections are looked for in $KINDRED_CORPORA, default ../shared/data beside the checkout.
source "$(dirname "$0")/assert.sh"

corpora=${KINDRED_CORPORA:-$data/../../../shared/data}
[ -d "$corpora" ] || skip "no corpora in $corpora"

# floor CORPUS MEASURE LEAST: trains on the train split, evaluates the test split
floor() {
  zcat "$corpora/$1.jsonl.gz" | grep '"split": "train"' >train.jsonl
  "$kindred" index --db "$1.db" train.jsonl >/dev/null
  expect 0 "$kindred" evaluate --db "$1.db" --jsonl "$corpora/$1.jsonl.gz" --split test --json
  cat "$out"
  json "j['$2'] >= $3"
}
floor reuters21578-apte90 micro_f1 .88
floor 20news-bydate accuracy .86
