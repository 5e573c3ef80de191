#!/usr/bin/env bash
# Shows Kindred on real data. It installs missing packages, builds the program and
# the search server, and indexes the package catalogue of this machine with the tags that people gave
# (debtags). Then it tags the packages that have none, and shows ten of them with the reasons. At the
# end the server has the catalogue on a page, and goes on until it is stopped. All files are written
# to build/quickstart.
#
# usage: quickstart.sh [--no-serve]
#   --no-serve   end without a map, a server and its page
#
# Its test has it take the programs of the build QUICKSTART_BUILD and the small collection of the
# tests, and write to QUICKSTART_WORK.
set -euo pipefail
serve=yes
for argument; do
  case $argument in
    --no-serve) serve=no ;;
    *)
      echo "quickstart.sh: unknown option $argument; usage: quickstart.sh [--no-serve]" >&2
      exit 2
      ;;
  esac
done
cd "$(dirname "${BASH_SOURCE[0]}")/.."
step() { printf '\n== %s\n' "$*"; }
work=${QUICKSTART_WORK:-build/quickstart}
build=${QUICKSTART_BUILD:-$work}
data=$work/data
database=$work/catalogue.db
server=$build/examples/search_server/kindred-server

# The server of an earlier run reads the database, which is made anew.
if [ -f "$work/server.pid" ]; then
  kill "$(cat "$work/server.pid")" 2>/dev/null || true
  rm "$work/server.pid"
fi

build_programs() {
  step "Installing what is missing"
  config/install-packages.sh build quickstart

  # The CUDA backend takes about a third of the build, so it is built only if there is a GPU.
  local cuda=OFF targets=(kindred)
  if [[ $(nvidia-smi -L 2>/dev/null) == "GPU "* ]]; then cuda=AUTO; fi

  step "Building in $work"
  mkdir -p "$work"
  cmake -S . -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKINDRED_TESTS=OFF \
    -DKINDRED_CUDA=$cuda >"$work/configure.log" 2>&1 ||
    { cat "$work/configure.log"; exit 1; }
  if [ $serve = yes ] && ! cmake --build "$work" --target help | grep '^kindred-server:' >/dev/null; then
    echo "without the search server, as libraries that it needs are missing"
    serve=no
  fi
  if [ $serve = yes ]; then targets+=(kindred-server); fi
  cmake --build "$work" --target "${targets[@]}"
}
if [ -z "${QUICKSTART_BUILD-}" ]; then build_programs; fi
kindred() { "$build/plugin/cli/kindred" "$@" --db "$database" --config "$settings"; }

mkdir -p "$data"
rm -rf "$database"
if [ -z "${QUICKSTART_BUILD-}" ] && command -v apt-cache >/dev/null && [ -n "$(apt-cache dumpavail 2>/dev/null | head -n 1)" ]; then
  step "Reading the package catalogue of this machine"
  examples/catalogue/fetch.sh "$data"
  settings=examples/catalogue/kindred.toml
  example=xapian-tools
else
  step "No package catalogue here: taking the small collection of the tests"
  cp tests/data/topics.jsonl "$data/tagged.jsonl"
  cp tests/data/unlabeled.jsonl "$data/untagged.jsonl"
  settings=$data/kindred.toml  # empty: the defaults
  : >"$settings"
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

# start_server PORT: at any free port if PORT is 0. Fails if the server cannot use it.
start_server() {
  "$server" --database "$database" --library "$build/plugin/libkindred.so" --port "$1" \
    --name "Packages of this machine" >"$work/server.address" 2>"$work/server.log" </dev/null &
  local pid=$!
  for _ in {1..300}; do
    if [ -s "$work/server.address" ]; then
      echo $pid >"$work/server.pid"
      return
    fi
    kill -0 $pid 2>/dev/null || return 1
    sleep 0.1
  done
  kill $pid
  return 1
}

if [ $serve = yes ]; then
  step "Making a map of its topics"
  kindred topics train
  kindred topics assign

  step "Serving it"
  start_server 8080 || start_server 0 || { cat "$work/server.log"; exit 1; }
  cat <<END
The catalogue is at $(cat "$work/server.address")
It stays there until you stop it: kill \$(cat $work/server.pid)
END
fi
cat <<END

Try it yourself:
  export PATH=\$PWD/$build/plugin/cli:\$PATH
  kindred related --db $database --config $settings --text "edit photos on the command line"
  kindred classify --db $database --config $settings --text "a library that plays MIDI files" --neighbors
END
