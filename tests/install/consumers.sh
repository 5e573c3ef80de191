#!/bin/sh
# Installs the build tree (second argument) by cmake (the first) below a new prefix, moves the
# prefix, then builds and runs a C++ program by find_package(kindred) and a C program by pkg-config.
set -eu
cmake=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sanitize=${KINDRED_SANITIZE:+-fsanitize=$KINDRED_SANITIZE}

"$cmake" --install "$build" --prefix "$work/first" > "$work/log"
mv "$work/first" "$work/prefix"  # nothing may remember where it was installed
library=$(find "$work/prefix" -name libkindred.so)
libdir=$(dirname "$library")
export LD_LIBRARY_PATH="$libdir"

"$cmake" -S "$here/cmake_consumer" -B "$work/cmake_consumer" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror $sanitize"
"$cmake" --build "$work/cmake_consumer"
"$work/cmake_consumer/consumer" "$work/cxx.db"

export PKG_CONFIG_PATH="$libdir/pkgconfig"
# shellcheck disable=SC2046,SC2086  # flags are words
${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Werror $sanitize "$here/pkg_config_consumer/main.c" \
  -o "$work/c_consumer" $(pkg-config --cflags --libs kindred)
"$work/c_consumer" "$work/c.db"
