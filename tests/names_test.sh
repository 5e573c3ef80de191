#!/usr/bin/env bash
# Holds what names of files promise: a file implements the header of its name, and none is called
# utils, common, helper or manager; and what hosts ask are the questions of their table.
#
# usage: names_test.sh SOURCE_DIR
set -euo pipefail
cd "${1:?usage: names_test.sh SOURCE_DIR}"
status=0

# A file implements the header of its name, and includes it first. The others are the program with
# its subcommands, the functions of kindred.h, and files that share a header: one for each set of
# instructions, kind of drawing, room of a reading or thing that is made of the questions.
without_header='^config/make_settings\.cpp$|^plugin/(c_api/functions|reading_[a-z]+|ask/([a-z]+_answers|make_[a-z]+)|cli/commands/[a-z_]+|cli/pages/(map/map_(html|svg)|reports/[a-z_]+))\.cpp$'
# What implements a contract on a device, or by a library.
without_header+='|^gpu/(cpu|cuda)/([a-z]+/)?(backend|twin)\.cpp$|/gmime_reader\.cpp$'
while read -r file; do
  header=$(grep -m1 -oE '^#include [<"][^>"]+' "$file" | sed 's/^#include .//' || true)
  case "$header" in
    "${file%.*}.h" | "${file%.*}.cuh") ;;
    *)
      echo "$file begins with '$header', not with the header of its own name"
      status=1
      ;;
  esac
done < <(find config analyzer gpu plugin -name '*.cpp' -o -name '*.cu' | sort |
  grep -vE "$without_header")

named=$(find config analyzer gpu plugin examples tests -regextype posix-extended \
  -regex '.*/[^/]*(utils?|common|helpers?|manager)[^/]*' || true)
[ -z "$named" ] || {
  printf 'names that say nothing:\n%s\n' "$named"
  status=1
}

# Hosts ask each question of the table.
table=$(sed -n 's/^question \([a-z_]*\)[:,].*/\1/p' plugin/ask/questions.txt)
unlike=$(diff <(sort <<<"$table") <(cut -f 1 examples/hosts/questions.tsv | sort -u) || true)
[ -z "$unlike" ] || {
  printf 'examples/hosts/questions.tsv asks other questions than plugin/ask/questions.txt has:\n%s\n' \
    "$unlike"
  status=1
}

exit $status
