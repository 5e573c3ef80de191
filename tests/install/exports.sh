#!/bin/sh
# Fails if libkindred.so (the first argument) exports anything but the C ABI and C++ names of the
# namespace kindred, or lacks a function of the headers of the C ABI (the others).
set -eu
exported=$(nm -D --defined-only "$1" | c++filt | cut -d' ' -f3-)
shift
stray=$(printf '%s\n' "$exported" |
  grep -Ev '^(kindred_[a-z_]+$|((vtable|typeinfo|typeinfo name) for )?kindred::)' || true)
if [ -n "$stray" ]; then
  printf 'exported, but not part of the interface:\n%s\n' "$stray" >&2
  exit 1
fi

declared=$(cat "$@" | tr '\n' ' ' | grep -oE 'KINDRED_API [^;(]*kindred_[a-z_]+\(' |
  grep -oE 'kindred_[a-z_]+\(' | tr -d '(')
for name in $declared; do
  printf '%s\n' "$exported" | grep -qx "$name" || { echo "not exported: $name" >&2; exit 1; }
done
echo "$(printf '%s\n' $declared | wc -l) C functions, $(printf '%s\n' "$exported" | wc -l) names"
