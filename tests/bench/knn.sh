#!/bin/sh
# Exact neighbors by Kindred and by scipy on the same matrix, one thread each, one after the
# other in one run, and the ratio of their useful multiply-adds a second.
#
# usage: knn.sh KNN_BENCH [option of knn_bench ...]     for example: knn.sh build/dev/tests/bench/knn_bench
# KNN_BENCH is of a build with -DKINDRED_BENCHES=ON.
set -eu
bench=$1
shift
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$bench" --dump "$work" --json "$work/kindred.json" "$@"
/usr/bin/python3 "$here/peers/knn_peer.py" "$work/rcv1.csr" "$work/kindred.json"
