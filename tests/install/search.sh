#!/bin/sh
# Runs the C++ host (the argument) with a new database, and checks which notes it ranks how.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$1" "$work/db" | tee "$work/out"
# Bread has the word, but is not similar to itself; rolls are similar; soup has the word, too.
# The note about tides has the word, but another label.
test "$(grep '^[0-9]' "$work/out" | cut -d' ' -f1 | sort | tr '\n' ' ')" = "1 3 4 "
grep -q '^tag kitchen: 3 documents$' "$work/out"
test "$(head -1 "$work/out" | cut -d' ' -f1)" = 3

. "$(dirname "$0")/refused.sh"
refused "$work/garbage" "$1"
