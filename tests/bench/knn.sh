#!/bin/sh
# Exact neighbors by Kindred and by scipy on the same matrices, one thread each, one after the
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
: >"$work/peer.json"
for matrix in rcv1 reuters sparse_vectors; do
  if [ -f "$work/$matrix.csr" ]; then
    [ "$matrix" = sparse_vectors ] && smart=nnc || smart=ltc
    /usr/bin/python3 "$here/peers/knn_peer.py" "$work/$matrix.csr" 2000 10 $smart \
      >>"$work/peer.json"
  fi
done

/usr/bin/python3 - "$work/kindred.json" "$work/peer.json" <<'PYTHON'
import json
import sys

kindred = json.load(open(sys.argv[1]))
for line in open(sys.argv[2]):
    peer = json.loads(line)
    name = peer["matrix"].removesuffix(".csr")
    name = name if name in kindred else name + "_all_pairs"
    if name in kindred:
        ours, theirs = kindred[name]["useful_per_second"], peer["useful_per_second"]
        print(f"{name}: Kindred {ours:.3g}, scipy product + argpartition {theirs:.3g} "
              f"useful multiply-adds/s; ratio {ours / theirs:.1f}")
PYTHON
