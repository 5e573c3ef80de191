#!/usr/bin/env bash
# Installs the Debian packages of a folder as an administrator would, over those of an older version,
# and holds that they end in a service that answers, keeps its settings and documents when it is
# upgraded and removed, and leaves nothing behind when it is purged. For a system that may be
# changed, such as a chroot: where systemd does not run, the commands of the unit are run as its user.
#
# usage: service.sh FOLDER     as root
set -euo pipefail
folder=$(realpath "${1:?usage: service.sh FOLDER}")
work=$(mktemp -d)
server=
end_service() { [ -z "$server" ] || { kill "$server"; wait "$server" || true; server=; }; }
trap 'end_service; rm -rf "$work"' EXIT
fail() { echo "FAILED at line ${BASH_LINENO[0]}: $*" >&2; exit 1; }
apt() { DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "apt-get $*"; }; }
unit=/usr/lib/systemd/system/kindred-server.service
address=http://127.0.0.1:8080
python() { python3 -B -c "$@"; }
answer() { python 'import sys, urllib.request
headers = {"Authorization": "Bearer " + sys.argv[3], "Content-Type": "application/json"} if sys.argv[2:] else {}
data = sys.argv[2].encode() if sys.argv[2:] else None
print(urllib.request.urlopen(urllib.request.Request(sys.argv[1], data, headers)).read().decode())' "$@"; }

commands_of() { sed -n "s/^$1=//p" $unit; }
start_service() {
  if [ -d /run/systemd/system ]; then
    systemctl is-active kindred-server >/dev/null || fail "the service does not run"
  else
    cd /var/lib/kindred
    # The shell unescapes \\ in quotes of the unit once, as systemd does.
    setpriv --reuid kindred --regid kindred --clear-groups \
      bash -c "$(commands_of ExecStartPre | sed 's/\\\\/\\/g')"
    # shellcheck disable=SC2046  # a command and its arguments
    setpriv --reuid kindred --regid kindred --clear-groups $(commands_of ExecStart) \
      >"$work/server" 2>&1 &
    server=$!
    cd /
  fi
  for _ in {1..100}; do
    if answer $address/readyz >"$work/ready" 2>&1; then return; fi
    sleep 0.1
  done
  cat "$work/server" "$work/ready" >&2
  fail "the server does not answer"
}
stop_service() { if [ -d /run/systemd/system ]; then systemctl stop kindred-server; else end_service; fi; }

# The same packages, as of an older version.
mkdir "$work/old" "$work/new"
for package in "$folder"/libkindred[0-9]*.deb "$folder"/kindred_*.deb "$folder"/kindred-server_*.deb; do
  cp "$package" "$work/new"
  dpkg-deb -R "$package" "$work/tree"
  sed -i -E 's/^Version: .*/Version: 0.0.9/; s/\(= [^)]*upstream1\)/(= 0.0.9)/' "$work/tree/DEBIAN/control"
  dpkg-deb -b "$work/tree" "$work/old/$(basename "$package")" >/dev/null
  rm -r "$work/tree"
done
chmod -R a+rX "$work"

echo "the packages of an older version end in a service that answers"
apt install python3 "$work"/old/*.deb
[ "$(stat -c %U:%a /var/lib/kindred)" = kindred:750 ] || fail "no folder of the user kindred"
start_service
[ "$(stat -c %U:%a /var/lib/kindred/token)" = kindred:600 ] || fail "no token of the user kindred"
token=$(cat /var/lib/kindred/token)
answer $address/documents '{"id": "moon", "text": "The Moon", "labels": ["space"]}' "$token" | grep -q added || fail "a document"
stop_service

echo "an upgrade keeps documents, the token and what the administrator changed"
sed -i 's/^name = ""/name = "Ours"/' /etc/kindred/kindred-server.toml
apt install "$work"/new/*.deb
[ "$(dpkg-query -W -f '${Version}' kindred-server)" != 0.0.9 ] || fail "not upgraded"
grep -q '^name = "Ours"' /etc/kindred/kindred-server.toml || fail "settings are lost"
start_service
[ "$(cat /var/lib/kindred/token)" = "$token" ] || fail "another token"
answer $address/documents/moon | grep -q 'The Moon' || fail "the document is lost"
stop_service

echo "removed, it leaves settings and documents; purged, nothing"
apt remove kindred-server
[ -e /etc/kindred/kindred-server.toml ] && [ -e /var/lib/kindred/index ] || fail "removing loses too much"
[ ! -e $unit ] || fail "the unit is still there"
apt purge kindred-server kindred "$(basename "$work"/new/libkindred* | cut -d_ -f1)"
[ ! -e /etc/kindred ] && [ ! -e /var/lib/kindred ] || fail "a purge leaves files"
echo "passed"
