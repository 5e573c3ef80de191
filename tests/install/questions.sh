#!/bin/sh
# Runs a host that asks every question (the arguments after the list of questions) with a new
# database, and checks that it has an answer to each.
set -eu
questions=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

LD_PRELOAD=${HOST_PRELOAD-} "$@" "$work/db" "$questions" > "$work/out"
cut -f 1 "$questions" > "$work/asked"
grep '"seconds":' "$work/out" | cut -f 1 | diff "$work/asked" -

. "$(dirname "$0")/refused.sh"
refused "$work/garbage" "$@"
