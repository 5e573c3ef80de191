#!/usr/bin/env bash
# Shows Kindred on real data: the package catalogue of this machine, with the tags that people gave
# (debtags). Kindred learns from these, tags the packages that have none, and says how well; then a
# page shows the catalogue, until it is stopped. All files are written to build/quickstart.
#
# usage: quickstart.sh [-y] [--packages] [--no-serve]
#   -y           do not ask before packages are installed
#   --packages   build nothing: install and use the Debian packages of config/package.sh
#   --no-serve   end without a map, a server and its page
#
# Its test has it take the programs of the build QUICKSTART_BUILD and the small collection of the
# tests, and write to QUICKSTART_WORK.
set -euo pipefail
serve=yes
programs=${QUICKSTART_BUILD:+ready}
programs=${programs:-build}
ask=()
for argument; do
  case $argument in
    -y) ask=(-y) ;;
    --packages) programs=packages ;;
    --no-serve) serve=no ;;
    *)
      echo "quickstart.sh: unknown option $argument;" \
        "usage: quickstart.sh [-y] [--packages] [--no-serve]" >&2
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
program=$build/plugin/cli/kindred
server=$build/examples/search_server/kindred-server
library=$build/plugin/libkindred.so
building=  # the process that builds the server

# A server that is still there reads the database, which is made anew.
if [ -f "$work/server.pid" ]; then
  kill "$(cat "$work/server.pid")" 2>/dev/null || true
  rm "$work/server.pid"
fi
mkdir -p "$data"
rm -rf "$database"

build_programs() {
  step "Installing what is missing"
  config/install-packages.sh "${ask[@]}" build quickstart

  # The CUDA backend takes about a third of the build, so it is built only if there is a GPU.
  local cuda=OFF
  if [[ $(nvidia-smi -L 2>/dev/null) == "GPU "* ]]; then cuda=AUTO; fi

  step "Building the program in $work"
  cmake -S . -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKINDRED_TESTS=OFF \
    -DKINDRED_QUICK_BUILD=ON -DKINDRED_CUDA=$cuda >"$work/configure.log" 2>&1 ||
    { cat "$work/configure.log"; exit 1; }
  if [ $serve = yes ] && ! cmake --build "$work" --target help | grep '^kindred-server:' >/dev/null; then
    echo "without the search server, as libraries that it needs are missing"
    serve=no
  fi
  cmake --build "$work" --target kindred
  if [ $serve = yes ]; then
    cmake --build "$work" --target kindred-server >"$work/server.build.log" 2>&1 &
    building=$!
    trap 'kill $building 2>/dev/null || true' EXIT
  fi
}

install_programs() {
  step "Installing Kindred's packages"
  compgen -G "build/packages/*.deb" >/dev/null ||
    { echo "quickstart.sh: no packages in build/packages; config/package.sh makes them" >&2; exit 1; }
  config/install-packages.sh "${ask[@]}" quickstart
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  # Of the same version, too, those that were built last are taken.
  "${as_root[@]}" apt-get install -q -y --reinstall --no-install-recommends \
    ./build/packages/libkindred[0-9]*.deb ./build/packages/kindred_*.deb \
    ./build/packages/kindred-server_*.deb
  program=kindred
  server=kindred-server
  library=libkindred.so.0
}

case $programs in
  build) build_programs ;;
  packages) install_programs ;;
esac
kindred() { command "$program" "$@" --db "$database" --config "$settings"; }

if [ $programs != ready ] && command -v apt-cache >/dev/null && [ -n "$(apt-cache dumpavail 2>/dev/null | head -n 1)" ]; then
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

step "Indexing the documents that people tagged"
kindred index "$data/tagged.jsonl"

# The package debtags knows what its tags are called.
debtags=/var/lib/debtags/vocabulary
if [ "$settings" = examples/catalogue/kindred.toml ] && [ -r $debtags ]; then
  step "Giving the tags their names"
  awk '/^Tag: / { tag = $2 } /^$/ { tag = "" }
       /^Description: / && tag { sub(/^Description: /, ""); print tag "\t" $0 }' \
    $debtags >"$data/names.tsv"
  kindred vocabulary load "$data/names.tsv"
fi

step "Adding the documents that nobody tagged: Kindred tags them"
kindred ingest "$data/untagged.jsonl"

step "Ten of them, with the words and the documents that speak for each tag"
examples/catalogue/choose.sh 10 "$data/untagged.jsonl" >"$data/chosen.jsonl"
kindred status --json >"$data/status.json"
kindred classify --jsonl "$data/chosen.jsonl" --explain --json |
  python3 examples/catalogue/show_tags.py "$data/chosen.jsonl" "$data/status.json"

step "Documents related to $example, and the words they share"
kindred related --id "$example" --limit 5 --explain

# start_server PORT: at any free port if PORT is 0. Fails if the server cannot use it.
start_server() {
  "$server" --database "$database" --library "$library" --port "$1" \
    --index.kindred_settings "$settings" --name "Packages of this machine" >"$work/server.address" 2>"$work/server.log" </dev/null &
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
  if [ -n "$building" ]; then
    step "Building the search server"
    tail -n +1 -f --pid=$building "$work/server.build.log"
    wait $building
    trap - EXIT
  fi
  step "Serving it; a map of its topics is made meanwhile"
  start_server 8080 || start_server 0 || { cat "$work/server.log"; exit 1; }
  python3 examples/catalogue/make_map.py "$(cat "$work/server.address")"
fi

printf '\nTry it yourself:\n'
[ "$program" = kindred ] || echo "  export PATH=\$PWD/$(dirname "$program"):\$PATH"
cat <<END
  kindred related --db $database --config $settings --text "edit photos on the command line"
  kindred classify --db $database --config $settings --text "a library that plays MIDI files"
END
if [ $serve = yes ]; then
  cat <<END

The page stays until you stop it: kill \$(cat $work/server.pid)
The catalogue is at $(cat "$work/server.address")
END
fi
