#!/usr/bin/env bash
# Draws a map of this machine's package catalogue, with named topics: the picture of docs/topics.md.
# The machine's packages decide what is on it.
#
# usage: map.sh KINDRED FILE.svg
set -euo pipefail
kindred=${1:?usage: map.sh KINDRED FILE.svg}
file=${2:?usage: map.sh KINDRED FILE.svg}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$(dirname "${BASH_SOURCE[0]}")/fetch.sh" "$work"
"$kindred" index --db "$work/packages.db" "$work/tagged.jsonl" "$work/untagged.jsonl"
"$kindred" topics train --db "$work/packages.db"
"$kindred" topics map --db "$work/packages.db" --svg "$file"
