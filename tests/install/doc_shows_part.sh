#!/bin/sh
# Fails unless each line of the C++ code in a page (the first argument) is a line of the file that
# is compiled (the second), in the same order. The page may leave out lines.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n '/^```cpp$/,/^```$/p' "$1" | grep -v '^```' > "$work/shown"
test -s "$work/shown"
! diff "$2" "$work/shown" | grep '^>'
