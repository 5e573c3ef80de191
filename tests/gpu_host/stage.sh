#!/usr/bin/env bash
# Stages the files with which a host with a GPU can run the GPU tests and benchmarks of a build made
# here, and the programs kindred and kindred-server. That host needs glibc, libstdc++ and CUDA's own libraries, but
# neither Xapian, ICU, Catch2 nor a compiler. Fills stage/ at the top of the checkout, which git
# ignores: bin/, lib/ and data/.
# Copy the checkout with stage/ to that host, and call tests/gpu_host/run.sh there.
#
# usage: tests/gpu_host/stage.sh [--data DIR] [--file FILE]... [BUILD_DIR...]
#   --data DIR   also copy the golden files (*.gz) that tests look for in KINDRED_GOLDEN
#   --file FILE  also copy FILE to data/: records for analyzer_bench
#   BUILD_DIR    a program is taken from the first of these that has it; default: build/gpu-checks,
#                whose tests see more faults, and build/gpu, which has the benchmarks and the
#                program as users have it, if these exist
set -euo pipefail

tests=(gpu_tests cuda_guest_test lost_device_test fuzzed_twins)
benchmarks=(
  knn_bench knn_gpu_bench devices_gpu_bench
  cusparse_knn_bench som_gpu_bench draw_database refresh_bench analyzer_bench
)
programs=(kindred kindred-server)

fail() {
  echo "stage.sh: $*" >&2
  exit 1
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
data=
files=()
builds=()
while [ $# -gt 0 ]; do
  case $1 in
    --data)
      [ $# -ge 2 ] || fail "--data needs a directory"
      data=$2
      shift
      ;;
    --file)
      [ $# -ge 2 ] || fail "--file needs a file"
      [ -f "$2" ] || fail "no file $2"
      files+=("$2")
      shift
      ;;
    -*) fail "unknown option $1; usage: stage.sh [--data DIR] [--file FILE]... [BUILD_DIR...]" ;;
    *) builds+=("$1") ;;
  esac
  shift
done
if [ ${#builds[@]} -eq 0 ]; then
  for name in gpu-checks gpu; do
    [ ! -d "$top/build/$name/tests" ] || builds+=("$top/build/$name")
  done
fi
[ ${#builds[@]} -gt 0 ] || fail "no build in $top/build: configure and build the preset gpu first"
for build in "${builds[@]}"; do
  [ -d "$build/tests" ] || fail "no build with tests in $build: configure and build it first"
done
[ -z "$data" ] || [ -d "$data" ] || fail "no directory $data"

# glibc, libstdc++ and libgcc must be those of the host, since its driver needs them. CUDA's
# libraries are large, and are there already.
theirs='^(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s|libcuda|libcudart|libcusparse|libcublas.*|libnvJitLink|libnccl)\.so'

# libraries_of PROGRAM: the paths of the shared libraries that have to be staged with it
libraries_of() {
  local name arrow path
  while read -r name arrow path _; do
    [[ ! ${name##*/} =~ $theirs ]] || continue
    [ "$arrow" = '=>' ] || continue
    [ "$path" != not ] || fail "$1 needs $name, which ldd does not find here"
    echo "$path"
  done < <(ldd "$1")
}

stage=$top/stage
rm -rf "$stage"
mkdir -p "$stage/bin" "$stage/lib"
missing=()
for name in "${tests[@]}" "${benchmarks[@]}" "${programs[@]}"; do
  program=
  for build in "${builds[@]}"; do
    [ -n "$program" ] || program=$(find "$build"/{tests,plugin/cli,examples} -type f -name "$name" \
      -perm -u+x -print -quit)
  done
  if [ -z "$program" ]; then
    missing+=("$name")
    continue
  fi
  libraries=$(libraries_of "$program")
  while read -r library; do
    [ -z "$library" ] || cp -Lu "$library" "$stage/lib/"
    [[ ${library##*/} != libkindred.* ]] || strip "$stage/lib/${library##*/}"
  done <<<"$libraries"
  cp "$program" "$stage/bin/"
  strip "$stage/bin/$name" # a third of the bytes; reports name files and lines without it
done
[ -n "$(ls "$stage/bin")" ] || fail "none of the programs is in ${builds[*]}: ${missing[*]}"
[ -z "$data" ] && [ ${#files[@]} -eq 0 ] || mkdir "$stage/data"
[ ${#files[@]} -eq 0 ] || cp -L "${files[@]}" "$stage/data/"
if [ -n "$data" ]; then
  find "$data" -maxdepth 1 -name '*.gz' -exec cp {} "$stage/data/" \;
  [ -n "$(ls "$stage/data")" ] || fail "no *.gz in $data"
fi

echo "staged from ${builds[*]}: $(cd "$stage/bin" && echo *)"
echo "libraries: $(cd "$stage/lib" && find . -type f -printf '%f ')"
[ ${#missing[@]} -eq 0 ] || echo "not built, so not staged: ${missing[*]}"
du -sh "$stage" | sed 's/\t.*/ in stage\//'
