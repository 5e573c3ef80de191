#!/usr/bin/env bash
# Writes this machine's package catalogue as JSON Lines: OUT_DIR/tagged.jsonl and untagged.jsonl.
# Long descriptions are taken from apt's lists if they are there, else downloaded into OUT_DIR (the
# machine's own lists are not touched); without a network, short descriptions have to do.
#
# usage: fetch.sh OUT_DIR
set -euo pipefail
out=${1:?usage: fetch.sh OUT_DIR}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lists=$(apt-config shell dir Dir::State::Lists/d | sed "s/^dir='\(.*\)'$/\1/")
mkdir -p "$out"
out=$(cd "$out" && pwd)  # apt takes a relative path to be relative to its own directories

has_long_descriptions() { compgen -G "$1/*_i18n_Translation-en*" >/dev/null; }
download() {  # extra apt options
  rm -rf "$out/lists"
  mkdir -p "$out/lists/partial"
  # apt leaves its privileges behind while downloading, and must be able to write all the same.
  [ "$(id -u)" -ne 0 ] || chown -R _apt "$out/lists" 2>/dev/null || true
  apt-get update -o Dir::State::Lists="$out/lists" -o Acquire::Languages=en "$@" >/dev/null 2>&1 &&
    has_long_descriptions "$out/lists"
}

if ! has_long_descriptions "$lists"; then
  echo "downloading package descriptions"
  if download || download -o Dir::Etc::parts=/nonexistent; then
    lists=$out/lists
  else
    echo "no long descriptions to be had: going on with short ones"
  fi
fi
: >"$out/descriptions"
for file in "$lists"/*_i18n_Translation-en*; do
  [ ! -e "$file" ] || /usr/lib/apt/apt-helper cat-file "$file" >>"$out/descriptions"
done
apt-cache -o Dir::State::Lists="$lists" dumpavail |
  python3 "$here/catalogue.py" "$out" "$out/descriptions"
