#!/usr/bin/env bash
# Holds the dependencies between folders: config <- analyzer <- plugin -> gpu -> config. The program
# sees exported headers only, and no file is called utils, common, helper or manager.
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

named=$(find config analyzer gpu plugin examples tests -regextype posix-extended \
  -regex '.*/[^/]*(utils?|common|helpers?|manager)[^/]*' || true)
if [ -n "$named" ]; then
  printf 'names that say nothing:\n%s\n' "$named"
  status=1
fi
exit $status
