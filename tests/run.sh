#!/usr/bin/env bash
# Installs missing packages, builds everything with warnings as errors, and runs all tests. Ends
# with CTest's count line. Builds the CUDA backend if nvcc is found, but needs no GPU: without one,
# its tests say that they are skipped. So do tests of corpora that are not beside the checkout.
#
# usage: tests/run.sh [PRESET...]     dev (default), asan, tsan, fuzz
#        tests/run.sh fast            builds dev and runs its quick tests, in about a minute
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ "$*" = fast ]; then
  cmake --preset dev >/dev/null
  cmake --build --preset dev --target config_tests analyzer_tests gpu_tests plugin_tests kindred
  exec ctest --preset dev -j "$(nproc)" -L fast
fi
presets=("$@")
[ ${#presets[@]} -gt 0 ] || presets=(dev)
config/install-packages.sh
for preset in "${presets[@]}"; do
  printf '\n== %s: building\n' "$preset"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset"
  printf '\n== %s: testing\n' "$preset"
  # Tests of servers, pages and followers wait much of their time: half as many more keep all
  # processors at work.
  ctest --preset "$preset" -j "$(($(nproc) * 3 / 2))"
done
