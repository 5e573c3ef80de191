#!/usr/bin/env bash
# Quality of tagging on published collections, tuned by leave-one-out on their training parts only,
# beside a linear SVM on the same term counts. Needs python3-sklearn and python3-xapian.
#
# usage: quality.sh KINDRED DATA_DIR [COLLECTION...]
#
# DATA_DIR holds COLLECTION.jsonl.gz with records whose key "split" is "train" or "test". Without
# names: the four small ones. arxiv-abstracts (130,091 documents) takes some ten minutes. Collections
# of fewer than 2,000 documents are also cross-validated whole (folds.py). If it is set,
# $KINDRED_INDEX_CONFIG names a settings file to index with.
#
# ECE is that of the best label's confidence, "chance" what it would be of true probabilities, and
# "pairs" that of all pairs of a document and a label (kindred evaluate).
set -euo pipefail
kindred=$(realpath "${1:?usage: quality.sh KINDRED DATA_DIR [COLLECTION...]}")
data=$(realpath "${2:?usage: quality.sh KINDRED DATA_DIR [COLLECTION...]}")
here=$(realpath "$(dirname "$0")")
shift 2
[ $# -gt 0 ] || set -- reuters21578-apte90 20news-bydate cnae9-termcounts fakenews-es-v2
index_options=()
if [ -n "${KINDRED_INDEX_CONFIG-}" ]; then
  index_options=(--config "$(realpath "$KINDRED_INDEX_CONFIG")")
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python=${KINDRED_PYTHON:-/usr/bin/python3}  # Debian's, which has the packages

printf '%-20s %-12s %9s %9s %9s %7s %7s %7s %8s\n' \
  collection method 'micro F1' 'macro F1' accuracy ECE chance pairs seconds

row() {  # collection, method, JSON of evaluate, seconds
  "$python" - "$@" <<'PYTHON'
import json, sys
name, method, report, seconds = sys.argv[1:]
j = json.loads(report)
print(f"{name:20} {method:12} {j['micro_f1']:9.4f} {j['macro_f1']:9.4f} {j['accuracy']:9.4f} "
      f"{j['calibration_error']:7.4f} {j['calibration_error_by_chance']:7.4f} "
      f"{j['pair_calibration_error']:7.4f} {float(seconds):8.1f}", flush=True)
PYTHON
}

for name in "$@"; do
  zcat "$data/$name.jsonl.gz" | grep '"split": "train"' >train.jsonl
  zcat "$data/$name.jsonl.gz" | grep '"split": "test"' >test.jsonl
  "$kindred" index --db train.db "${index_options[@]}" train.jsonl >/dev/null
  "$kindred" index --db test.db "${index_options[@]}" test.jsonl >/dev/null
  printf '[classify]\nauto_tune = false\n' >as_it_is.toml
  evaluate() {
    "$kindred" evaluate --db train.db --config as_it_is.toml --jsonl test.jsonl --json
  }
  row "$name" 'untuned' "$(evaluate)" 0
  seconds=$("$kindred" tune --db train.db --json |
    "$python" -c 'import json, sys; print(json.load(sys.stdin)["seconds"])')
  row "$name" 'tuned' "$(evaluate)" "$seconds"
  "$python" "$here/../peers/svm_peer.py" "$name" train.db test.db
  if [ "$(cat train.jsonl test.jsonl | wc -l)" -lt 2000 ]; then
    cat train.jsonl test.jsonl >all.jsonl
    "$python" "$here/folds.py" "$name" "$kindred" all.jsonl
  fi
  rm -rf train.db test.db
done
