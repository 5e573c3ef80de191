#!/bin/sh
# Fails unless the C host in docs/abi.md (the first argument) equals the one that is compiled (the
# second).
set -eu
sed -n '/^```c$/,/^```$/p' "$1" | sed '1d;$d' | diff - "$2"
