#!/usr/bin/env bash
# Makes the Debian packages of Kindred in build/packages: the library and its headers, the program,
# the server, and what Python and other programs need. It installs what the build needs first.
# examples/quickstart.sh --packages takes them from there; so does apt-get install build/packages/*.deb.
#
# usage: package.sh [-y]
#   -y   do not ask before packages that the build needs are installed
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
config/install-packages.sh "$@" build quickstart
folder=build/packages
cmake -S . -B $folder -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
  -DKINDRED_TESTS=OFF
cmake --build $folder
rm -f $folder/*.deb
(cd $folder && cpack -G DEB)
rm -rf $folder/_CPack_Packages
