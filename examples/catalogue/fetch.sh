#!/usr/bin/env bash
# Writes this machine's package catalogue as JSON Lines: OUT_DIR/tagged.jsonl and untagged.jsonl.
# Long descriptions come from apt's lists if they are there. If not, they are downloaded into
# OUT_DIR; the lists of the machine are not changed. Without a network, short descriptions are used.
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
  # apt drops its privileges while it downloads, and must still be able to write.
  [ "$(id -u)" -ne 0 ] || chown -R _apt "$out/lists" 2>/dev/null || true
  apt-get update -o Dir::State::Lists="$out/lists" -o Acquire::Languages=en "$@" >/dev/null 2>&1 &&
    has_long_descriptions "$out/lists"
}

if ! has_long_descriptions "$lists"; then
  echo "downloading package descriptions"
  if download || download -o Dir::Etc::parts=/nonexistent; then
    lists=$out/lists
  else
    echo "cannot download long descriptions: using short ones"
  fi
fi
: >"$out/descriptions"
for file in "$lists"/*_i18n_Translation-en*; do
  [ ! -e "$file" ] || /usr/lib/apt/apt-helper cat-file "$file" >>"$out/descriptions"
done
apt-cache -o Dir::State::Lists="$lists" dumpavail |
  python3 "$here/catalogue.py" "$out" "$out/descriptions"
