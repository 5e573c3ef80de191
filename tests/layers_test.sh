#!/usr/bin/env bash
# Holds the dependencies between folders: config <- analyzer <- plugin -> gpu -> config, and the
# order of the folders inside analyzer/, plugin/ (questions.h, requests.h, progress.h and answers.h
# are for all of it), plugin/cli/, gpu/ and the search server. The program sees exported headers
# only, the twins of gpu/ do not see each other, CUDA stays in gpu/cuda/ and is a guest there,
# threads start in one place, and nothing that is read or written depends on the locale.
#
# usage: layers_test.sh SOURCE_DIR
set -euo pipefail
cd "${1:?usage: layers_test.sh SOURCE_DIR}"
status=0
refuse() { # what is wrong, where: nothing if it is not
  [ -z "$2" ] || {
    printf '%s:\n%s\n' "$1" "$2"
    status=1
  }
}

may_include() {  # folder, then the folders it may include
  local folder=$1 allowed bad
  allowed=$(IFS='|'; echo "${*:2}")
  bad=$(grep -rnE '#include "[a-z_]+/' "$folder" --include='*.h' --include='*.cpp' --include='*.cu' \
    --include='*.cuh' | grep -vE "#include \"($allowed)/" || true)
  refuse "$folder/ may include $allowed only" "$bad"
}
may_include config config
may_include analyzer config analyzer
may_include gpu config gpu
may_include plugin config analyzer gpu plugin

# in_order TOP FOLDER...: below TOP a folder includes only itself and folders that are named before it;
# "." is TOP itself. Every folder that holds sources is named.
in_order() {
  local top=$1 folder found file header position
  local -A place=()
  shift
  for folder; do place[$folder]=${#place[@]}; done
  while IFS=: read -r file header; do
    folder=./${file#"$top"/} folder=${folder%/*} folder=${folder#.} folder=${folder#/}
    found=./${header#"$top"/} found=${found%/*} found=${found#.} found=${found#/}
    folder=${folder:-.} found=${found:-.}
    if [ -z "${place[$folder]:-}" ] || [ -z "${place[$found]:-}" ]; then
      echo "$file includes $header: one of their folders has no place in the order of $top/"
      status=1
    elif [ "${place[$found]}" -gt "${place[$folder]}" ]; then
      echo "$file includes $header: $top/$found comes after $top/$folder"
      status=1
    fi
  done < <(grep -roE "#include \"$top/[a-z_/]+\.(h|cuh)\"" "$top" --include='*.h' --include='*.cpp' \
    --include='*.cu' --include='*.cuh' | sed 's/#include "//; s/"$//' |
    grep -vE "^$top/cli/|:plugin/(kindred|answers|progress|questions|requests)\.h$")
}
in_order plugin store input mirror mirror/reading vocabulary query \
  history documents votes votes/classes votes/tuning evaluate snapshot related topics \
  tune classify search . writing ask c_api readers readers/folder
in_order plugin/cli output pages/map . commands
in_order analyzer text lemmas .
in_order gpu . knn som cpu cpu/som cuda/device cuda/knn cuda/som twins

# The folders of the search server, likewise. Of the library it includes <kindred/...> only, which is
# installed.
cd examples/search_server
may_include http http
may_include plugin http plugin
may_include jobs http plugin jobs
may_include api http plugin jobs api embedded
may_include main.cpp http api
cd ../..

# The program is linked with libkindred.so: what it includes of the library is installed, or says
# that it is exported.
while read -r header; do
  grep -q "$header" plugin/install.cmake || grep -q KINDRED_API "$header" || {
    echo "plugin/cli/ includes $header, which is not exported"
    status=1
  }
done < <(grep -rhoE '#include "(analyzer|gpu|plugin)/[a-z_/]+\.h"' plugin/cli |
  sed 's/#include "//; s/"$//' | grep -vE '^plugin/(cli|readers)/' | sort -u)

only_in() {  # what, the files that may say it (a pattern), the pattern of what they say
  local what=$1 files=$2 said=$3 bad
  bad=$(grep -rnE "$said" config analyzer gpu plugin examples --include='*.h' \
    --include='*.cpp' --include='*.cu' --include='*.cuh' | grep -vE "^($files)" || true)
  refuse "$what" "$bad"
}
include='#include [<"]'
only_in 'only gpu/twins/factory.cpp knows of the CPU twin' 'gpu/cpu/|gpu/twins/factory\.cpp:' "${include}gpu/cpu/"
only_in 'only gpu/twins/factory.cpp knows of the CUDA twin' 'gpu/cuda/|gpu/twins/factory\.cpp:' \
  "${include}gpu/cuda/"
only_in 'only gpu/cuda/ may include CUDA' 'gpu/cuda/[a-z_/]+\.cuh?:' \
  "$include(cuda|cub/|thrust/)[a-z_./]*>"
only_in 'threads start in gpu/workers only' 'gpu/workers\.|examples/search_server/' \
  '\bstd::(thread|jthread|async)\b|\bpthread_create\b'
only_in 'a device is chosen by DeviceScope only' 'none' '\bcudaSetDevice\([^)]'
only_in 'memory comes from the pool of gpu/cuda/device/device' 'none' \
  '\bcuda(Malloc|MallocAsync|Free|DeviceGetDefaultMemPool)\('
only_in 'nothing is done on the legacy default stream' 'none' \
  '\bcuda(Memcpy|Memset|DeviceSynchronize|StreamCreate|EventCreate)\('

# No byte that the library reads or writes depends on the locale of its host: numbers go through
# config/shown, std::to_string (whole ones) and <charconv>, what toml++ prints through
# toml_print. plugin/cli/ is a process of its own, which stays in the classic locale.
numbers='\b[io]?stringstream\b|\bsto(f|d|ld)\(|\bstrto(f|d|ld)\(|\bato[fil]+\(|scanf\('
numbers+="|printf\([^;]*%[-+ #0-9.*']*[aefg]|\b(file|in|cin|stream\([^;]*\)) *>> "
only_in 'numbers have the form of a locale' \
  'config/toml\.h:|plugin/cli/|examples/' "$numbers"
only_in 'the locale belongs to the host' 'none' 'setlocale\(|locale::global'

exit $status
