#!/bin/sh
# Runs a curating host (the arguments) with a new database, and checks its output.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

LD_PRELOAD=${HOST_PRELOAD-} "$@" "$work/db" > "$work/out"
diff - "$work/out" << 'END'
label kitchen: 2 documents, 1 predicted
label sea: 3 documents, 1 predicted
suspect: w1 (Dough) has sea, but its neighbors say kitchen, first Bread
n1 (Loaf): from people; predicted kitchen 0.80; refused
n2 (Sails): from people; predicted sea 1.00; refused
n1 (Loaf): from people kitchen; predicted; refused
n2 (Sails): from people; predicted; refused sea
w1 (Dough): from people kitchen; predicted; refused
label kitchen: 4 documents, 0 predicted
label sea: 2 documents, 0 predicted
map: 3 x 3 units, 7 documents placed, first b1
measured micro_f1: yes
measured informativeness: yes
settings: labels have the prefix K
terms of 'the rising tides' (en): - Zrise Ztide
deleted: 1, unknown: 1
END

echo 'no database' > "$work/garbage"
if LD_PRELOAD=${HOST_PRELOAD-} "$@" "$work/garbage" 2> "$work/error"; then
  echo "the host opened a file that is not a database" >&2
  exit 1
fi
grep -q garbage "$work/error"
