#!/bin/sh
# Runs a host that keeps an index in order (the arguments) with a new database, and checks its
# output.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

LD_PRELOAD=${HOST_PRELOAD-} "$@" "$work/db" > "$work/out"
diff - "$work/out" << 'END'
committed: 6 documents
bake rolls in the oven: kitchen
a harbor at low tide: sea
candidate for sea: n2
nearly the same: b1 n1
topics: 2, of 6 documents
knead the dough: has a topic
topics stored: 6, told of 6
related documents stored: 6
tuned: yes
n1 may be tagged
changed since: no; saved for the next start
END
