#!/bin/sh
# Installs the build tree (second argument) by cmake (the first) below a new prefix, and moves the
# prefix. Then builds and runs programs of C and C++ by find_package(kindred), and a C program by
# pkg-config where nothing of Xapian can be found. At last the installation is removed.
set -eu
cmake=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
manifest=$build/install_manifest.txt
# whoever has installed from this folder may still want to remove that
[ ! -e "$manifest" ] || cp "$manifest" "$work/manifest"
restore() {
  rm -f "$manifest"
  [ ! -e "$work/manifest" ] || cp "$work/manifest" "$manifest"
  rm -rf "$work"
}
trap restore EXIT
sanitize=${KINDRED_SANITIZE:+-fsanitize=$KINDRED_SANITIZE}

"$cmake" --install "$build" --prefix "$work/first" > "$work/log"
mv "$work/first" "$work/prefix"  # nothing may remember where it was installed
library=$(find "$work/prefix" -name libkindred.so)
libdir=$(dirname "$library")
export LD_LIBRARY_PATH="$libdir"

test "$(ls "$work/prefix/include")" = kindred
test -s "$work/prefix/share/man/man1/kindred-topics-map.1"
test -s "$work/prefix/share/bash-completion/completions/kindred"
test -s "$work/prefix/share/zsh/site-functions/_kindred"
unit=$work/prefix/lib/systemd/system/kindred-server.service
[ ! -e "$work/prefix/bin/kindred-server" ] ||
  grep -q "^ExecStart=$work/first/bin/kindred-server " "$unit"
stray=$(grep -rnE '#include "|#include <(plugin|analyzer|config|gpu)/' "$work/prefix/include" || true)
test -z "$stray" || { printf 'not below kindred/:\n%s\n' "$stray" >&2; exit 1; }

"$cmake" -S "$here/cmake_consumer" -B "$work/cmake_consumer" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_C_FLAGS="$sanitize" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror $sanitize"
"$cmake" --build "$work/cmake_consumer"
"$work/cmake_consumer/consumer" "$work/cxx.db"
"$work/cmake_consumer/c_consumer" "$work/c.db"

# The only .pc files in sight are Kindred's, and every Xapian header is an error.
mkdir "$work/no_xapian" "$work/no_xapian/xapian"
echo '#error "a header of Xapian was included"' > "$work/no_xapian/xapian.h"
flags=$(PKG_CONFIG_LIBDIR="$libdir/pkgconfig" pkg-config --cflags --libs kindred)
case "$flags" in *xapian*) echo "kindred.pc brings Xapian: $flags" >&2; exit 1 ;; esac
# shellcheck disable=SC2086  # flags are words
${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Werror $sanitize -I"$work/no_xapian" \
  "$here/pkg_config_consumer/main.c" -o "$work/c_consumer" $flags
"$work/c_consumer" "$work/pkg.db"
PKG_CONFIG_PATH="$libdir/pkgconfig" pkg-config --libs kindred-cpp | grep -q -- '-lkindred.*-lxapian'

mv "$work/prefix" "$work/first"
"$cmake" --build "$build" --target uninstall > "$work/log"
left=$(find "$work/first" ! -type d -o -path '*kindred*')
test -z "$left" || { printf 'not removed:\n%s\n' "$left" >&2; exit 1; }
