#!/usr/bin/env bash
# Shows Kindred on real data, in a few minutes. It installs missing packages, builds the program,
# and indexes the package catalogue of this machine with the tags that people gave (debtags). Then
# it tags the packages that have none, and shows ten of them with the reasons. All files are written
# to build/quickstart.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
step() { printf '\n== %s\n' "$*"; }
work=build/quickstart
data=$work/data
database=$work/catalogue.db

step "Installing what is missing"
config/install-packages.sh

# The CUDA backend takes about a third of the build, so it is built only if there is a GPU.
cuda=OFF
if [[ $(nvidia-smi -L 2>/dev/null) == "GPU "* ]]; then cuda=AUTO; fi

step "Building the kindred program in $work"
mkdir -p "$work"
cmake -S . -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKINDRED_TESTS=OFF -DKINDRED_CUDA=$cuda \
  >"$work/configure.log" 2>&1 ||
  { cat "$work/configure.log"; exit 1; }
cmake --build "$work" --target kindred | tail -n 1
kindred() { "$work/plugin/cli/kindred" "$@" --db "$database" --config "$settings"; }

mkdir -p "$data"
rm -rf "$database"
if command -v apt-cache >/dev/null && [ -n "$(apt-cache dumpavail 2>/dev/null | head -n 1)" ]; then
  step "Reading the package catalogue of this machine"
  examples/catalogue/fetch.sh "$data"
  settings=examples/catalogue/kindred.toml
  example=xapian-tools
else
  step "No package catalogue here: taking the small collection of the tests"
  cp tests/data/topics.jsonl "$data/tagged.jsonl"
  cp tests/data/unlabeled.jsonl "$data/untagged.jsonl"
  settings=config/kindred.toml
  example=$(python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["id"])' <"$data/tagged.jsonl")
fi

step "Indexing the documents that have tags"
kindred index "$data/tagged.jsonl"

step "Ingesting the documents that have none: Kindred tags them"
kindred ingest "$data/untagged.jsonl"

step "Ten of them, with the confidence of each tag and the documents it comes from"
examples/catalogue/choose.sh 10 "$data/untagged.jsonl" >"$data/chosen.jsonl"
kindred classify --jsonl "$data/chosen.jsonl" --neighbors --json |
  python3 examples/catalogue/show_tags.py "$data/chosen.jsonl"

step "Documents related to $example, and the terms they share"
kindred related --id "$example" --explain

step "What the database holds"
kindred status
cat <<END

Try it yourself:
  export PATH=\$PWD/$work/plugin/cli:\$PATH
  kindred related --db $database --config $settings --text "edit photos on the command line"
  kindred classify --db $database --config $settings --text "a library that plays MIDI files" --neighbors
END
