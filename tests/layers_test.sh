#!/usr/bin/env bash
# Holds the dependencies between folders: config <- analyzer <- plugin -> gpu -> config. The program
# sees exported headers only, the twins of gpu/ do not see each other, CUDA stays in gpu/cuda/, and no
# file is called utils, common, helper or manager.
#
# usage: layers_test.sh SOURCE_DIR
set -euo pipefail
cd "${1:?usage: layers_test.sh SOURCE_DIR}"
status=0

may_include() {  # folder, then the folders it may include
  local folder=$1 allowed
  allowed=$(IFS='|'; echo "${*:2}")
  local bad
  bad=$(grep -rnE '#include "[a-z_]+/' "$folder" --include='*.h' --include='*.cpp' --include='*.cu' \
    --include='*.cuh' | grep -vE "#include \"($allowed)/" || true)
  if [ -n "$bad" ]; then
    printf '%s/ may include %s only:\n%s\n' "$folder" "$allowed" "$bad"
    status=1
  fi
}
may_include config config
may_include analyzer config analyzer
may_include gpu config gpu
may_include plugin config analyzer gpu plugin

only_in() {  # what, the files that may include it (a pattern), the pattern of the header
  local what=$1 files=$2 header=$3
  local bad
  bad=$(grep -rnE "#include [<\"]$header" config analyzer gpu plugin examples --include='*.h' \
    --include='*.cpp' --include='*.cu' --include='*.cuh' | grep -vE "^($files)" || true)
  if [ -n "$bad" ]; then
    printf '%s:\n%s\n' "$what" "$bad"
    status=1
  fi
}
only_in 'only gpu/backend.cpp knows of the CPU twin' 'gpu/cpu/|gpu/backend\.cpp:' 'gpu/cpu/'
only_in 'only gpu/backend.cpp knows of the CUDA twin' 'gpu/cuda/|gpu/backend\.cpp:' 'gpu/cuda/'
only_in 'only gpu/cuda/ may include CUDA' 'gpu/cuda/[a-z_]+\.cuh?:' '(cuda|cub/|thrust/)[a-z_./]*>'

named=$(find config analyzer gpu plugin examples tests -regextype posix-extended \
  -regex '.*/[^/]*(utils?|common|helpers?|manager)[^/]*' || true)
if [ -n "$named" ]; then
  printf 'names that say nothing:\n%s\n' "$named"
  status=1
fi
exit $status
