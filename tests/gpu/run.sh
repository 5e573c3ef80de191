#!/usr/bin/env bash
# Runs what stage.sh staged, on a host with a GPU, from the same checkout. A test that finds no device
# fails here instead of saying so. One line a program; exit status 0 if all went well, else 1.
#
# usage: tests/gpu/run.sh [--tests] [--sanitize] [--bench] [OUT_DIR]
#   --tests      every staged test program; the default if no part is named
#   --sanitize   test cases tagged [cuda], but not [large] and not [lost] (which break the device on
#                purpose), under compute-sanitizer's memcheck, racecheck and initcheck
#   --bench      knn_gpu_bench, som_gpu_bench, published_knn_bench, and knn_gpu_peer.py and
#                som_gpu_peer.py of tests/bench
#   OUT_DIR      logs (one a part and tool) and the benchmarks' JSON; default stage/out
# KINDRED_TIMEOUT: seconds for one program, default 540.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
stage=$top/stage
limit=${KINDRED_TIMEOUT:-540}
status=0

fail() {
  echo "run.sh: $*" >&2
  exit 1
}

parts=()
out=
for argument; do
  case $argument in
    --tests | --sanitize | --bench) parts+=("${argument#--}") ;;
    -*) fail "unknown option $argument; usage: run.sh [--tests] [--sanitize] [--bench] [OUT_DIR]" ;;
    *) out=$argument ;;
  esac
done
[ ${#parts[@]} -gt 0 ] || parts=(tests)
out=${out:-$stage/out}
[ -d "$stage/bin" ] || fail "nothing staged in $stage: run tests/gpu/stage.sh where the build is"
mkdir -p "$out"

# cuSPARSE is CUDA's, not staged: it is in the toolkit, or came with Python's packages.
cuda_libraries() {
  printf ':%s' /usr/local/cuda/lib64
  python3 - <<'PYTHON' 2>/dev/null || true
import glob, site
for folder in site.getsitepackages():
    for path in sorted(glob.glob(folder + "/nvidia/*/lib")):
        print(":" + path, end="")
PYTHON
}
libraries=$stage/lib$(cuda_libraries)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
staged=(env "LD_LIBRARY_PATH=$libraries" KINDRED_REQUIRE_CUDA=1) # before a staged program
[ ! -d "$stage/data" ] || staged+=("KINDRED_GOLDEN=$stage/data")

# report NAME LOG COMMAND...: runs it, its output appended to LOG, and prints one line about it
report() {
  local name=$1 log=$2 start=$SECONDS code=0 before last
  shift 2
  printf '\n== %s: %s\n' "$name" "$*" >>"$log"
  before=$(wc -l <"$log")
  timeout "$limit" "$@" >>"$log" 2>&1 || code=$?
  last=$(tail -n "+$((before + 1))" "$log" |
    grep -E 'All tests passed|^test cases:|SUMMARY|FAILED|No test' | tail -n 2 | tr '\n' ' ') || true
  [ -n "$last" ] || [ "$code" -eq 0 ] || last=$(tail -n 1 "$log")
  [ "$code" -ne 124 ] || last="still running after $limit s"
  if [ "$code" -eq 0 ]; then
    echo "ok      $name ($((SECONDS - start)) s) $last"
  else
    status=1
    echo "FAILED  $name ($((SECONDS - start)) s, status $code) $last"
  fi
}

run_tests() {
  local program log=$out/tests.log
  : >"$log"
  [ -d "$stage/data" ] || [ -n "${KINDRED_GOLDEN:-}" ] ||
    echo "note    no golden files: golden_knn_test has nothing to compare with (stage.sh --data)"
  for program in "$stage"/bin/*_test; do
    [ -x "$program" ] || fail "no test program in $stage/bin"
    report "$(basename "$program")" "$log" "${staged[@]}" "$program"
  done
}

run_sanitize() {
  local sanitizer program tool listing name filter='[cuda]~[large]~[lost]' ran=0
  sanitizer=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer) ||
    fail "--sanitize needs compute-sanitizer, of the CUDA toolkit, on the PATH"
  for tool in memcheck racecheck initcheck; do
    : >"$out/$tool.log"
    for program in "$stage"/bin/*_test; do
      name=$(basename "$program")
      # A program that makes no CUDA call is an error to the sanitizer: ask first, outside it.
      listing=$("${staged[@]}" "$program" --list-tests "$filter" 2>&1) || true
      if grep -q '^0 matching test cases' <<<"$listing"; then
        echo "none    $tool $name: no test case tagged $filter"
        continue
      fi
      report "$tool $name" "$out/$tool.log" "${staged[@]}" "$sanitizer" --tool "$tool" \
        --error-exitcode 99 "$program" "$filter"
      ran=$((ran + 1))
    done
  done
  [ "$ran" -gt 0 ] || fail "--sanitize: no staged program has a test case tagged $filter"
}

run_bench() {
  local name log=$out/bench.log
  : >"$log"
  for name in knn_gpu_bench som_gpu_bench published_knn_bench; do
    if [ ! -x "$stage/bin/$name" ]; then
      status=1
      echo "FAILED  $name: not staged"
      continue
    fi
    report "$name" "$log" "${staged[@]}" "$stage/bin/$name" --json "$out/$name.json"
  done
  for name in knn_gpu_peer som_gpu_peer; do
    report "$name.py" "$log" python3 "$top/tests/bench/$name.py" --json "$out/$name.json"
  done
  grep -v '^==' "$log" || true
}

for part in "${parts[@]}"; do
  case $part in
    tests) run_tests ;;
    sanitize) run_sanitize ;;
    bench) run_bench ;;
  esac
done
exit "$status"
