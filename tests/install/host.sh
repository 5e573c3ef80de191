#!/bin/sh
# Runs a host (the remaining arguments) with a library and a new database, twice, and checks its
# output.
set -eu
library=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

db=$work/$(printf 'd\351b')  # a path is bytes, not UTF-8
LD_PRELOAD=${HOST_PRELOAD-} "$@" "$library" "$db" | tee "$work/out"
grep -q '^ingested: 3 ' "$work/out"
grep -q '^status: .*\b3\b' "$work/out"
grep -q '^related to host-1: host-3 (Rolls), similarity 0\.[0-9]*' "$work/out"
grep -q '^tag: kitchen, confidence 0.500$' "$work/out"
grep -q '^as expected: ' "$work/out"

LD_PRELOAD=${HOST_PRELOAD-} "$@" "$library" "$db" | grep '^ingested: '

. "$(dirname "$0")/refused.sh"
refused "$work/$(printf 'garbage\351')" "$@" "$library"
