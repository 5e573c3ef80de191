#!/bin/sh
# Fails unless the C code of a page (the second argument) compiles, as the body of a function, with
# the compiler (the first) and kindred.h (the third).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/kindred"
ln -s "$3" "$work/kindred/kindred.h"
sed -n '/^```c$/,/^```$/p' "$2" | grep -v '^```' > "$work/shown"
{
  echo '#include <stdio.h>'
  grep '^#include' "$work/shown"
  echo 'int main(void) {'
  grep -v '^#include' "$work/shown"
  echo 'return 0; }'
} > "$work/shown.c"
"$1" -std=c99 -Wall -Wextra -Werror -fsyntax-only -I "$work" "$work/shown.c"
