#!/usr/bin/env bash
# Runs the quickstart without its server and then all tests in a fresh Debian or Ubuntu, as a new
# user would. Then makes the Debian packages, installs, upgrades and purges them as an administrator,
# and runs the quickstart with them. Says how long each took, and fails if one failed. What runs is
# the commit that is checked out. Needs root, debootstrap and about 6 GB.
#
# usage: debian.sh RELEASE [OPTION OF DEBOOTSTRAP...]    trixie, or noble --components=main,universe
#
# It is installed in build/debian/RELEASE, anew each time. Packages are kept in
# build/debian/packages/RELEASE for the next time.
set -euo pipefail
release=${1:?usage: debian.sh RELEASE [OPTION OF DEBOOTSTRAP...]}

# It all runs in name spaces of its own, so that what it mounts and starts ends with it.
if [ $$ != 1 ]; then
  unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@" &
  trap 'kill -KILL $!; exit 1' INT TERM HUP
  wait $!
  exit
fi

source=$(realpath "$(dirname "$0")/..")
folder=$source/build/debian/$release
packages=$source/build/debian/packages/$release

printf '\n== %s: installing in %s\n' "$release" "$folder"
rm -rf --one-file-system "$folder"
mkdir -p "$folder" "$packages"
debootstrap --variant=minbase --include=git,sudo --cache-dir="$packages" "${@:2}" "$release" "$folder"
cd "$folder"
mount -t proc proc proc
mount -t devpts -o newinstance,ptmxmode=0666,gid=5,mode=620 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
mount --bind "$packages" var/cache/apt/archives
cp /etc/hosts etc/hosts
chroot . useradd --create-home --shell /bin/bash visitor
echo 'visitor ALL=(ALL) NOPASSWD: ALL' >etc/sudoers.d/visitor
git clone -q "$source" home/visitor/kindred
chroot . chown -R visitor: /home/visitor/kindred

TIMEFORMAT='%1lR by the clock, %1lU and %1lS of processors'
summary=
status=0
for command in 'examples/quickstart.sh --no-serve' tests/run.sh config/package.sh \
  'sudo tests/install/service.sh build/packages' 'examples/quickstart.sh --packages --no-serve'; do
  printf '\n== %s: %s\n' "$release" "$command"
  end=passed
  { time chroot . su - visitor -c "cd kindred && $command" 2>&3; } 3>&2 2>took ||
    { end=FAILED status=1; }
  summary+="$release: $command $end, $(cat took)"$'\n'
done
printf '\n%s' "$summary"
exit $status
