#!/usr/bin/env bash
# Installs the packages of config/apt-packages.txt that this machine lacks, without asking. On a
# machine without apt it prints the list and succeeds; the build then says what is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
mapfile -t wanted < <(sed 's/#.*//' apt-packages.txt | awk 'NF {print $1}')
if ! command -v apt-get >/dev/null; then
  echo "no apt here; these Debian packages, or the like, are needed: ${wanted[*]}"
  exit 0
fi
missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
echo "installing: ${missing[*]}"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if ! { "${as_root[@]}" apt-get update -q &&
  "${as_root[@]}" apt-get install -q -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
rm -f "$log"
