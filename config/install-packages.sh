#!/usr/bin/env bash
# Installs the packages of config/apt-packages.txt that this machine lacks, after it has shown them
# and, on a terminal, asked. Packages that only the quickstart or tests use are left out, and named,
# if the release does not have them. On a machine without apt it prints the list and succeeds; the
# build then says what is missing.
#
# usage: install-packages.sh [-y] [PART...]
#   -y     do not ask
#   PART   build, quickstart, tests; all three if none is given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
ask=no
if [ -t 0 ] && [ -t 1 ]; then ask=yes; fi
if [ "${1-}" = -y ]; then
  ask=no
  shift
fi
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(build quickstart tests)
for part in "${parts[@]}"; do
  grep -qxF "[$part]" apt-packages.txt || {
    echo "install-packages.sh: unknown part $part; known here: build, quickstart, tests" >&2
    exit 2
  }
done

packages() { awk -v part="[$1]" '/^\[/ {within = $0 == part; next} within && /^[^#]/' apt-packages.txt; }
installed() { [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == *"ok installed" ]]; }
offered() { { apt-cache madison "$@" 2>/dev/null || true; } | awk '$NF != "Sources" {print $1}' | sort -u; }

if ! command -v apt-get >/dev/null; then
  echo "no apt here; these Debian packages, or the like, are needed:"
  for part in "${parts[@]}"; do echo "  $part: $(packages "$part" | xargs)"; done
  exit 0
fi
needed=()  # to be installed: at first what the build needs
useful=()
list=
for part in "${parts[@]}"; do
  lacking=()
  for package in $(packages "$part"); do
    installed "$package" || lacking+=("$package")
  done
  [ ${#lacking[@]} -gt 0 ] || continue
  if [ "$part" = build ]; then needed=("${lacking[@]}"); else useful+=("${lacking[@]}"); fi
  list+="  $part: ${lacking[*]}"$'\n'
done
[ -n "$list" ] || exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
quietly() {  # on a terminal all is shown, elsewhere only what fails
  local log
  if [ -t 1 ]; then
    "$@"
    return
  fi
  log=$(mktemp)
  "$@" >"$log" 2>&1 || { cat "$log" >&2; rm "$log"; return 1; }
  rm "$log"
}
# Lists that have a compiler are there; what they lack, no update brings.
if [ -z "$(offered g++)" ] || [ -n "$(offered "${needed[@]}" "${useful[@]}")" ]; then
  printf 'installing\n%s' "$list"
  if [ $ask = yes ]; then
    read -rp "Install them with apt-get? [Y/n] " answer
    case $answer in [Nn]*) echo "nothing was installed"; exit 1 ;; esac
  fi
  quietly "${as_root[@]}" apt-get update -q
fi
here=" $(offered "${useful[@]}" | xargs) "
left_out=()
for package in "${useful[@]}"; do
  if [[ $here == *" $package "* ]]; then needed+=("$package"); else left_out+=("$package"); fi
done
[ ${#left_out[@]} -eq 0 ] ||
  echo "left out, as this release does not have them: ${left_out[*]} (tests of them are skipped)"
[ ${#needed[@]} -eq 0 ] ||
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${needed[@]}"
