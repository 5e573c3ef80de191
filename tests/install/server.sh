#!/bin/sh
# Installs the build tree (second argument) by cmake (the first) below a new prefix, and builds the
# search server there by find_package(kindred) alone: from a copy of its folder, so that nothing else
# of the source tree is in sight. Then it serves with the library that was installed.
set -eu
cmake=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for component in library development; do
  "$cmake" --install "$build" --prefix "$work/prefix" --component $component > "$work/log"
done
cp -r "$here/../../examples/search_server" "$work/server"
# As quickly as it compiles, all at once: it is started once.
"$cmake" -S "$work/server" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O0 \
  -DCMAKE_UNITY_BUILD=ON > "$work/log"
"$cmake" --build "$work/build" --parallel 2

library=$(find "$work/prefix" -name libkindred.so)
"$work/build/kindred-server" --version
"$work/build/kindred-server" --database "$work/db" --index.create true --library "$library" --port 0 \
  > "$work/out" 2> "$work/log" &
server=$!
for _ in $(seq 100); do
  [ ! -s "$work/out" ] || break
  sleep 0.1
done
kill -TERM $server
wait $server
grep '^http://127.0.0.1:' "$work/out" || { cat "$work/log" >&2; exit 1; }
