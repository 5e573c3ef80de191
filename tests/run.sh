#!/usr/bin/env bash
# Installs what is missing, builds everything with warnings as errors, and runs all tests. Ends with
# CTest's count line. Builds the CUDA backend where nvcc is found, but needs no GPU: its tests then say
# that they are skipped. Corpora beside the checkout are used where they are, else the tests that need
# them say so.
#
# usage: tests/run.sh [PRESET...]     dev (default), asan, tsan
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
presets=("$@")
[ ${#presets[@]} -gt 0 ] || presets=(dev)
config/install-packages.sh
for preset in "${presets[@]}"; do
  printf '\n== %s: building\n' "$preset"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" | tail -n 1
  printf '\n== %s: testing\n' "$preset"
  ctest --preset "$preset" -j "$(nproc)"
done
