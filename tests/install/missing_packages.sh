#!/usr/bin/env bash
# Whether config/install-packages.sh installs what is missing of the parts that are asked for, shows
# it first, and leaves out, with a word, what the release does not have, but for what the build
# needs. apt and dpkg are stand-ins that read files of this test.
#
# usage: missing_packages.sh SOURCE_DIR
set -euo pipefail
script=${1:?usage: missing_packages.sh SOURCE_DIR}/config/install-packages.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir bin
cat >bin/apt-get <<'SH'
#!/bin/sh
echo "$*" >>"$WORK/asked"
case " $* " in *" none "*) echo "no package none"; exit 100 ;; esac
SH
cat >bin/apt-cache <<'SH'
#!/bin/sh
shift
for package; do grep -qx "$package" "$WORK/lacking" || echo "$package | 1.0 | an archive Packages"; done
echo "apt-xapian-index | 1.0 | an archive Sources"
SH
cat >bin/dpkg-query <<'SH'
#!/bin/sh
for package; do :; done
if grep -qx "$package" "$WORK/missing"; then exit 1; fi
printf 'install ok installed'
SH
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
chmod +x bin/*
export WORK=$PWD PATH=$PWD/bin:$PATH

fail() {
  echo "FAILED at line ${BASH_LINENO[0]}: $*"
  cat out
  exit 1
}
run() {  # STATUS PART...
  local status=0
  : >asked
  "$script" "${@:2}" >out 2>&1 || status=$?
  [ $status = "$1" ] || fail "exit status $status, expected $1"
}
install='install -q -y --no-install-recommends'

printf '%s\n' cmake python3 prometheus-cpp-dev fish apt-xapian-index >missing
printf '%s\n' prometheus-cpp-dev apt-xapian-index >lacking
run 0 build quickstart
grep -qx '  build: cmake' out || fail "no list of what the build needs"
grep -qx '  quickstart: prometheus-cpp-dev python3' out || fail "no list of what the quickstart shows"
grep -q 'left out.*: prometheus-cpp-dev (' out || fail "nothing is left out"
[ "$(cat asked)" = "update -q"$'\n'"$install cmake python3" ] || fail "expected cmake and python3"
run 0
[ "$(tail -n 1 asked)" = "$install cmake python3 fish" ] || fail "expected those of tests, too"

echo apt-xapian-index >missing
run 0
grep -q 'left out.*: apt-xapian-index (' out || fail "nothing is left out"
[ ! -s asked ] || fail "asked apt for what it does not have"

printf '%s\n' cmake >missing
printf '%s\n' cmake g++ >lacking  # no lists yet
run 0 build
[ "$(cat asked)" = "update -q"$'\n'"$install cmake" ] || fail "expected cmake"

sed -i 's/" none "/" cmake "/' bin/apt-get
run 1 build
grep -q 'no package none' out || fail "not what apt says"

: >missing
run 0
[ ! -s out ] || fail "expected nothing"
run 2 none
grep -q 'unknown part none; known here: build, quickstart, tests' out || fail "an unknown part"
