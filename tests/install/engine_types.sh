#!/bin/bash
# Fails unless a host can use all of Engine: each type that its public part names is defined by what
# engine.h includes, as it is installed (INCLUDE_DIR). The compiler's options follow it.
#
# usage: engine_types.sh INCLUDE_DIR CXX [OPTION...]
set -euo pipefail
include=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

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
