#!/usr/bin/env bash
# Runs what stage.sh staged, on a host with a GPU, from the same checkout. A test that finds no
# device fails here instead of being skipped. Prints one line per program; exit status 0 if all
# succeeded, else 1.
#
# usage: tests/gpu_host/run.sh [--tests] [--sanitize] [--bench] [--collections DIR] [--load FILE]
#                              [OUT_DIR]
#   --tests      every staged test; the default if no part is named
#   --sanitize   test cases tagged [cuda], but not [large] and not [lost] (which break the device on
#                purpose), each under compute-sanitizer's racecheck, initcheck,
#                synccheck and memcheck; with a build that has checks (preset gpu-checks), also
#                whether the cases reached every kernel of gpu/cuda
#   --bench      knn_gpu_bench, som_gpu_bench, cusparse_knn_bench, and som_gpu_peer.py of
#                tests/bench/peers
#   --collections DIR
#                the program, by cuda and by cpu, on each DIR/NAME.jsonl.gz, whose records have
#                "split" train or test: their files and answers have the same bytes
#                (tests/gpu_host/collection.sh)
#   --load FILE  the Python package and kindred-server, asked by many threads for five minutes each:
#                by cuda and by cpu the same answers (tests/gpu_host/load.py). FILE is a .jsonl.gz as
#                those of --collections
#   OUT_DIR      logs (one per part and tool) and the benchmarks' JSON; default stage/out
# KINDRED_SECONDS: seconds of each part of --load; default 300.
# KINDRED_TIMEOUT: seconds for one test, or one case of --sanitize; default 540.
# KINDRED_JOBS: cases of --sanitize at a time; default: one per core, at most 15.
# KINDRED_TOOLS: tools of --sanitize; default "racecheck initcheck synccheck memcheck", the slowest first.
# KINDRED_CASES: an extended regular expression; --sanitize runs only the cases whose name it matches,
# and --collections only the collections. The kernels that were reached are then not looked at.
# CUDA_FORCE_PTX_JIT=1 makes a build run its PTX, as on a GPU for which it has no code of its own.
#
# A case of --sanitize that exceeds KINDRED_TIMEOUT is stopped. Where CUDA's multi-process service
# lets cases share the device, its other clients fail with it: run them again, with more time.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
stage=$top/stage
limit=${KINDRED_TIMEOUT:-540}
cores=$(nproc)
jobs=${KINDRED_JOBS:-$((cores < 15 ? cores : 15))}
read -ra tools <<<"${KINDRED_TOOLS:-racecheck initcheck synccheck memcheck}"
status=0

fail() {
  echo "run.sh: $*" >&2
  exit 1
}

parts=()
out=
collections=
load=
while [ $# -gt 0 ]; do
  case $1 in
    --tests | --sanitize | --bench) parts+=("${1#--}") ;;
    --collections)
      [ -d "${2:-}" ] || fail "--collections needs a directory"
      parts+=(collections)
      collections=$2
      shift
      ;;
    --load)
      [ -f "${2:-}" ] || fail "--load needs a file"
      parts+=(load)
      load=$2
      shift
      ;;
    -*) fail "unknown option $1; the head of this file says which there are" ;;
    *) out=$1 ;;
  esac
  shift
done
[ ${#parts[@]} -gt 0 ] || parts=(tests)
out=${out:-$stage/out}
[ -d "$stage/bin" ] || fail "nothing staged in $stage: run tests/gpu_host/stage.sh where the build is"
mkdir -p "$out"

# cuSPARSE belongs to CUDA and is not staged: it is in the toolkit, or came with Python packages.
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
    grep -E 'All tests passed|^test cases:|SUMMARY|FAILED|No test|same bytes|^DIFFERS' | tail -n 2 | tr '\n' ' ') || true
  [ -n "$last" ] || [ "$code" -eq 0 ] || last=$(tail -n 1 "$log")
  [ "$code" -ne 124 ] || last="still running after $limit s"
  if [ "$code" -eq 0 ]; then
    echo "ok      $name ($((SECONDS - start)) s) $last"
  else
    status=1
    echo "FAILED  $name ($((SECONDS - start)) s, status $code) $last"
  fi
}

# sources_of PROGRAM: the names of the files that its test cases are in, which are tests of their own
sources_of() {
  "${staged[@]}" "$1" --filenames-as-tags --list-tags 2>&1 | grep -o '\[#[^]]*\]' | tr -d '[]#' || true
}

run_tests() {
  local program source devices log=$out/tests.log
  : >"$log"
  [ -d "$stage/data" ] || [ -n "${KINDRED_GOLDEN:-}" ] ||
    echo "note    no golden files: golden_knn_test has nothing to compare with (stage.sh --data)"
  for program in "$stage"/bin/*_test*; do
    [ -x "$program" ] || fail "no test program in $stage/bin"
    for source in $(sources_of "$program"); do
      report "$source" "$log" "${staged[@]}" "$program" --filenames-as-tags "[#$source]"
    done
  done
  # cases that found faults: a step that not all blocks of a team took; hard queries whose votes were
  # counted before they were answered; more runs than a sum of them had bits for
  local rest="--tiles 0 --threads 0 --relabels 0 --queries 3000 --neighbors 2000 --filters 40 --dot 0 --rows-as-queries 50 --empties 0 --more-batches 0 --gap 1" number=0 one
  for one in \
    "--case 9000003 --changes 3 --rows 3346 --columns 11 --terms 122 --long-rows 189 --counts 1 --repeats 5 --weights 2 --labels 502" \
    "--case 31000198 --changes 3 --rows 172 --columns 55206 --terms 11 --long-rows 146 --counts 0 --repeats 99 --weights 0 --labels 141" \
    "--case 31000103 --changes 2 --rows 26143 --columns 91 --terms 153 --long-rows 124 --counts 3 --repeats 5 --weights 2 --labels 80"; do
    # shellcheck disable=SC2086 # many words
    report "fuzzed_twins, case $((number += 1))" "$log" \
      "${staged[@]}" "$stage/bin/fuzzed_twins" $one --replicas 0 $rest
  done
  for devices in "" "--devices 0,0"; do
    # shellcheck disable=SC2086 # two words, or none
    report "fuzzed_twins${devices:+ $devices}" "$log" \
      "${staged[@]}" "$stage/bin/fuzzed_twins" --seconds 20 $devices
  done
}

# cases_of PROGRAM: the names of its test cases that the sanitizer can run
cases_of() {
  "${staged[@]}" "$1" --list-test-names-only '[cuda]~[large]~[lost]' 2>&1 |
    sed 's/^ *//; s/ *$//; /^$/d' || true # Catch2 2 exits with how many there are
}

# sanitize_case TOOL PROGRAM CASE: runs it, appends its output to TOOL.log, prints one line about it
# shellcheck disable=SC2317 # reached by way of xargs
sanitize_case() {
  local tool=$1 program=$2 name=$3 options=(--tool "$1" --error-exitcode 99) code=0 spec text last
  local start=$SECONDS
  # Our kernels, not CUB's. Of launches that are under way at once it would lose records; for those
  # of several threads see device_turn() in tests/fixtures/twins.h.
  [ "$tool" != racecheck ] || options+=(--kernel-name kns=kindred --force-blocking-launches)
  # shellcheck disable=SC2001
  spec=$(sed 's/[][\\,"~*]/\\&/g' <<<"$name") # these mean something to Catch2
  text=$(KINDRED_SANITIZER=$tool timeout "$KINDRED_LIMIT" "$KINDRED_COMPUTE_SANITIZER" \
    "${options[@]}" "$program" "$spec" 2>&1) || code=$?
  (
    flock 9
    printf '\n== %s %s: %s\n%s\n' "$tool" "${program##*/}" "$name" "$text" >&9
  ) 9>>"$KINDRED_OUT/$tool.log"
  last=$(grep -E 'All tests passed|^test cases:|SUMMARY|No test' <<<"$text" | tail -n 2 | tr '\n' ' ') || true
  [ "$code" -ne 124 ] || last="still running after $KINDRED_LIMIT s"
  if [ "$code" -eq 0 ]; then
    echo "ok      $tool ${program##*/}: $name ($((SECONDS - start)) s): $last"
  else
    echo "FAILED  $tool ${program##*/}: $name ($((SECONDS - start)) s, status $code): $last"
    return 1
  fi
}

# Lets the kernels of several processes run side by side, if CUDA's multi-process service is there
# and not yet in use. Without it they take turns, even if they leave the device half idle.
share_device() {
  local control
  [ -z "${CUDA_MPS_PIPE_DIRECTORY:-}" ] || return 0
  control=$(command -v nvidia-cuda-mps-control) || return 0
  CUDA_MPS_PIPE_DIRECTORY=$(mktemp -d)
  export CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY=$CUDA_MPS_PIPE_DIRECTORY
  if "$control" -d; then
    unset CUDA_VISIBLE_DEVICES # a client counts the devices that the service has
    trap 'echo quit -t 1 | timeout 20 nvidia-cuda-mps-control; rm -rf "$CUDA_MPS_PIPE_DIRECTORY"' EXIT
  else
    rm -rf "$CUDA_MPS_PIPE_DIRECTORY"
    unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
  fi
}

# One process per case, several at a time: under racecheck one case may take minutes.
run_sanitize() {
  local sanitizer program tool name cases=$out/cases
  sanitizer=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer) ||
    fail "--sanitize needs compute-sanitizer, of the CUDA toolkit, on the PATH"
  : >"$cases"
  for tool in "${tools[@]}"; do
    : >"$out/$tool.log"
    for program in "$stage"/bin/*_test*; do
      while read -r name; do
        printf '%s\0%s\0%s\0' "$tool" "$program" "$name" >>"$cases"
      done < <(cases_of "$program" | grep -E -- "${KINDRED_CASES:-}")
    done
  done
  [ -s "$cases" ] || fail "--sanitize: no staged program has such a test case tagged [cuda]"
  share_device
  export -f sanitize_case
  rm -f "$out/launches"
  "${staged[@]}" "KINDRED_COMPUTE_SANITIZER=$sanitizer" "KINDRED_LIMIT=$limit" \
    "KINDRED_LAUNCHES=$out/launches" \
    "KINDRED_OUT=$out" xargs -0 -n 3 -P "$jobs" \
    bash -c 'sanitize_case "$@"' sanitize_case <"$cases" || status=1
  rm -f "$cases"
  [ -n "${KINDRED_CASES:-}" ] || compare_launches
}

# Fails if there is a kernel in gpu/cuda that no case launched. A build without checks does not tell.
compare_launches() {
  local missed
  if [ ! -s "$out/launches" ]; then
    echo "note    the build has no checks: which kernels the cases reached is not known"
    return
  fi
  missed=$(comm -23 \
    <(grep -rhoE '\b[a-z_]+_kernel\(' "$top/gpu/cuda" --include='*.cu' | tr -d '(' | sort -u) \
    <(sort -u "$out/launches") | tr '\n' ' ')
  if [ -n "$missed" ]; then
    status=1
    echo "FAILED  no case reached $missed"
  else
    echo "ok      the cases reached all $(sort -u "$out/launches" | wc -l) kernels"
  fi
}

run_collections() {
  local file name log=$out/collections.log
  [ -x "$stage/bin/kindred" ] || fail "the program is not staged"
  : >"$log"
  for file in "$collections"/*.jsonl.gz; do
    name=$(basename "$file" .jsonl.gz)
    [[ $name =~ ${KINDRED_CASES:-} ]] || continue
    report "$name" "$log" "${staged[@]}" "$top/tests/gpu_host/collection.sh" \
      "$stage/bin/kindred" "$file"
  done
}

# The index has been tuned, so that answers are of every kind of vote.
run_load() {
  local program folder log=$out/load.log
  for program in kindred kindred-server; do
    [ -x "$stage/bin/$program" ] || fail "$program is not staged"
  done
  : >"$log"
  folder=$(mktemp -d)
  zcat "$load" | grep '"split": "train"' >"$folder/train.jsonl"
  zcat "$load" | grep '"split": "test"' >"$folder/test.jsonl"
  for program in "index $folder/train.jsonl" tune; do
    # shellcheck disable=SC2086 # a name and, for one, a file
    "${staged[@]}" "$stage/bin/kindred" $program --db "$folder/db" --backend cpu >>"$log" 2>&1
  done
  for program in python "$stage/bin/kindred-server"; do
    report "${program##*/} under load" "$log" "${staged[@]}" \
      "KINDRED_LIBRARY=$stage/lib/libkindred.so.0" python3 "$top/tests/gpu_host/load.py" \
      "$program" "$folder/db" "$folder/test.jsonl" "${KINDRED_SECONDS:-300}"
  done
  rm -rf "$folder"
}

run_bench() {
  local name log=$out/bench.log
  : >"$log"
  for name in knn_gpu_bench som_gpu_bench cusparse_knn_bench; do
    if [ ! -x "$stage/bin/$name" ]; then
      status=1
      echo "FAILED  $name: not staged"
      continue
    fi
    report "$name" "$log" "${staged[@]}" "$stage/bin/$name" --json "$out/$name.json"
  done
  "${staged[@]}" "$stage/bin/knn_gpu_bench" --dump "$out"
  report som_gpu_peer.py "$log" python3 "$top/tests/bench/peers/som_gpu_peer.py" "$out" \
    --json "$out/som_gpu_peer.json"
  rm -f "$out"/*.csr
  grep -v '^==' "$log" || true
}

for part in "${parts[@]}"; do
  case $part in
    tests) run_tests ;;
    sanitize) run_sanitize ;;
    bench) run_bench ;;
    collections) run_collections ;;
    load) run_load ;;
  esac
done
exit "$status"
