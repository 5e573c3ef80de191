#!/bin/sh
# Makes the Debian packages of the build tree (second argument) by cpack (the first), installs them by
# dpkg below a new root, builds and runs programs with what is there, and removes them again.
set -eu
cpack=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
case $(id -u) in
  0) as_root= ;;
  *) command -v fakeroot > /dev/null || { echo "skipped: fakeroot is not installed"; exit 77; }
     as_root=fakeroot ;;
esac
command -v dpkg-shlibdeps > /dev/null || { echo "skipped: dpkg-dev is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$work/packages" > "$work/log" 2>&1 ||
  { cat "$work/log" >&2; exit 1; }
rm -rf "$work/packages/_CPack_Packages"
field() { dpkg-deb -f "$work"/packages/"$1"_*.deb "$2"; }
holds() {
  dpkg-deb -c "$work"/packages/"$1"_*.deb > "$work/log"
  grep -q " \./$2$" "$work/log" || { echo "$1 lacks $2" >&2; exit 1; }
}
version=$(field kindred Version)
lib=$(basename "$work"/packages/libkindred[0-9]*.deb | cut -d_ -f1)
field "$lib" Depends | grep -q 'libxapian.*zlib1g'
test "$(field libkindred-dev Depends)" = "$lib (= $version)"
field kindred Depends | grep -q "$lib (= $version), libc6"
test "$(field kindred-hosts Architecture)" = all
packages=$(for file in "$work"/packages/*.deb; do dpkg-deb -f "$file" Package; done)
for package in $packages; do
  holds "$package" "usr/share/doc/$package/copyright"
  holds "$package" "usr/share/doc/$package/changelog.Debian.gz"
done
holds kindred usr/share/doc/kindred/kindred.toml
holds kindred usr/share/man/man1/kindred-topics-map.1.gz
holds kindred usr/share/doc/kindred/kindred.toml
for page in "$here"/../../docs/*.md; do
  holds kindred "usr/share/doc/kindred/docs/${page##*/}"
done
holds kindred usr/share/bash-completion/completions/kindred
holds kindred usr/share/zsh/vendor-completions/_kindred
holds kindred-hosts usr/share/kindred/hosts/notmuch/install.sh
test "$(field python3-kindred Architecture)" = all
field python3-kindred Depends | grep -q "$lib (= $version), python3"
for file in "$here"/../../python/kindred/*; do
  [ ! -f "$file" ] || holds python3-kindred "usr/lib/python3/dist-packages/kindred/${file##*/}"
done
holds python3-kindred "usr/lib/python3/dist-packages/kindred-.*.dist-info/METADATA"
test "$(field kindred-imap Depends)" = "python3-kindred (= $version), python3 (>= 3.11)"
holds kindred-imap usr/bin/kindred-imap
holds kindred-imap usr/lib/systemd/user/kindred-imap.service
holds kindred-imap usr/share/man/man1/kindred-imap.1.gz
case $packages in *kindred-server*)
  field kindred-server Depends | grep -q "$lib (= $version), .*libspdlog"
  holds kindred-server usr/lib/systemd/system/kindred-server.service
  holds kindred-server usr/lib/sysusers.d/kindred-server.conf
  holds kindred-server usr/lib/tmpfiles.d/kindred-server.conf
  holds kindred-server etc/kindred/kindred-server.toml
  holds kindred-server usr/share/man/man1/kindred-server.1.gz
  holds kindred-server usr/share/bash-completion/completions/kindred-server
  holds kindred-server usr/share/zsh/vendor-completions/_kindred-server
esac
if command -v apt-get > /dev/null; then  # what they depend on is in Debian
  apt-get install -s "$work"/packages/*.deb > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
fi
if command -v lintian > /dev/null; then
  # A package for real has the library in the folder of its architecture (CMAKE_INSTALL_PREFIX=/usr).
  lintian --allow-root --fail-on error,warning \
    --suppress-tags pkg-config-unavailable-for-cross-compilation \
    "$work"/packages/*.deb
fi

mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
: > "$root/var/lib/dpkg/status"
PATH=$PATH:/usr/sbin:/sbin  # where dpkg looks for its tools; Debian's users have them not in theirs
dpkg_there() {
  $as_root dpkg --root="$root" --log=/dev/null --force-not-root --force-depends \
    --force-script-chrootless "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
}
dpkg_there -i "$work"/packages/*.deb
library=$(find "$root" -name libkindred.so.0)
libdir=$(dirname "$library")
export LD_LIBRARY_PATH="$libdir"
"$root/usr/bin/kindred" index --db "$work/db" "$here/../data/topics.jsonl"
"$root/usr/bin/kindred" classify --db "$work/db" --text 'bake bread in the oven' | grep -q cooking
mkdir "$work/mail"
printf 'Subject: tides\n\nmoon\n' > "$work/mail/one.eml"
"$root/usr/bin/kindred" index --db "$work/mail.db" "$work/mail" | grep -q '^added 1,'
PYTHONPATH="$root/usr/lib/python3/dist-packages" python3 -B -c '
import sys, kindred
with kindred.open(sys.argv[1]) as db:
    print(db.classify("bake bread in the oven"))
' "$work/db" | grep -q cooking
status=0
PYTHONPATH="$root/usr/lib/python3/dist-packages" PYTHONDONTWRITEBYTECODE=1 \
  "$root/usr/bin/kindred-imap" \
  --config "$work/none" run 2> "$work/log" || status=$?
test $status = 1
grep -q "^kindred-imap: $work/none: No such file or directory" "$work/log"
# shellcheck disable=SC2046  # flags are words
${CC:-cc} -std=c99 "$here/pkg_config_consumer/main.c" -o "$work/consumer" \
  $(PKG_CONFIG_PATH="$libdir/pkgconfig" pkg-config --cflags --libs kindred)
"$work/consumer" "$work/c.db"

if [ -e "$root/usr/bin/kindred-server" ]; then
  "$root/usr/bin/kindred-server" --database "$work/db" --check
  for line in 'database = "/var/lib/kindred/index"' 'create = true' 'token_file = "/var/lib/kindred/token"'; do
    grep -qxF "$line" "$root/etc/kindred/kindred-server.toml"
  done
  grep -q '^ExecStart=/usr/bin/kindred-server ' "$root/usr/lib/systemd/system/kindred-server.service"
fi

# shellcheck disable=SC2086  # packages are words
dpkg_there --purge $packages
# The user of the service stays.
left=$(find "$root" ! -type d ! -path "$root/var/lib/dpkg/*" ! -path "$root/var/lib/systemd/*" \
  ! -regex "$root/etc/\(g?shadow\|group\|passwd\|.pwd.lock\)-?")
test -z "$left" || { printf 'not removed:\n%s\n' "$left" >&2; exit 1; }
