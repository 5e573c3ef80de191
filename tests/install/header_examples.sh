#!/bin/bash
# Fails unless the examples in comments of headers compile: lines that begin with "///     ". Each
# is the body of a function, which may use the names below. MADE_DIR has the headers that are made.
#
# usage: header_examples.sh CXX SOURCE_DIR MADE_DIR HEADER...
set -euo pipefail
compiler=$1
cd "$2"
made=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{
  echo '#include <iostream>'
  printf '#include "%s"\n' gpu/csr.h plugin/engine.h "$@"
  cat <<'NAMES'
using namespace kindred;
struct Scratch {};
extern Engine engine;
extern Xapian::Query words;
extern CsrView counts;
NAMES

  for header; do
    example=$(sed -n 's|^///     ||p' "$header")
    [ -n "$example" ] || {
      echo "$header: expected an example in a comment" >&2
      exit 1
    }
    printf 'void of_%s() {\n#line 1 "%s, example"\n%s\n}\n' \
      "$(basename "$header" .h)" "$header" "$example"
  done
} >"$work/shown.cpp"

"$compiler" -std=c++20 -Wall -Wextra -Werror -Wno-unused-variable -fsyntax-only -I . -I "$made" \
  "$work/shown.cpp"
