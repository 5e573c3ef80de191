#!/bin/bash
# Fails unless a host can use all that is installed (INCLUDE_DIR): each type that an installed
# header declares is defined in one of them, and each type that the public part of Engine names is
# defined by what engine.h includes. The compiler's options follow it.
#
# usage: engine_types.sh INCLUDE_DIR CXX [OPTION...]
set -euo pipefail
include=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

missing=$(grep -rhoE '^(class|struct) [A-Za-z]+;' "$include/kindred" | grep -oE '[A-Za-z]+;' |
  tr -d ';' | sort -u | while read -r type; do
  defined="^(class|struct) (KINDRED_API )?$type( final)?( : .*)? \{"
  grep -rqE "$defined" "$include/kindred" || echo "$type"
done)

[ -z "$missing" ] || {
  printf 'declared in an installed header, and defined in none:\n%s\n' "$missing" >&2
  exit 1
}

sed -n '/^class KINDRED_API Engine {/,/^ private:/p' "$include/kindred/engine.h" |
  sed 's|//.*||' | grep -oE '\b([A-Za-z]+::)?[A-Z][A-Za-z]+\b' | grep -vxE 'KINDRED_API|Xapian' | sort -u \
  >"$work/types"
grep -qx RelatedResult "$work/types" # else nothing was read

{
  echo '#include <kindred/engine.h>'
  echo 'using namespace kindred;'
  sed 's|.*|static_assert(sizeof(&) > 0);|' "$work/types"
} >"$work/types.cpp"
"$@" -std=c++20 -fsyntax-only -I "$include" "$work/types.cpp"
