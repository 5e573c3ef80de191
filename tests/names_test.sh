#!/usr/bin/env bash
# Holds what names of files promise: a file implements the header of its name, and none is called
# utils, common, helper or manager; and lists of questions are those of their table.
#
# usage: names_test.sh SOURCE_DIR
set -euo pipefail
cd "${1:?usage: names_test.sh SOURCE_DIR}"
status=0

# A file implements the header of its name, and includes it first. The others are the program with
# its subcommands, the functions of kindred.h, and files that share a header: one for each set of
# instructions, kind of drawing or thing that is made of the questions.
without_header='^config/make_settings\.cpp$|^plugin/(c_api/functions|ask/([a-z]+_answers|make_[a-z]+)|cli/commands/[a-z_]+|cli/pages/(map/map_(html|svg)|reports/[a-z_]+))\.cpp$'
# What implements a contract on a device.
without_header+='|^gpu/(cpu|cuda)/([a-z]+/)?(backend|twin)\.cpp$'
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

# The questions of the table stand in its order in kindred.h, and in any order in the functions that
# answer them and in what hosts ask.
table=$(sed -n 's/^question \([a-z_]*\):.*/\1/p' plugin/ask/questions.txt)
lists() { # file, its questions, those of the table in the same order
  local unlike
  unlike=$(diff <(echo "$3") <(echo "$2") || true)
  [ -z "$unlike" ] || {
    printf '%s lists other questions than plugin/ask/questions.txt:\n%s\n' "$1" "$unlike"
    status=1
  }
}
lists plugin/kindred.h "$(sed -n '/^\/\* Asks a question/,/^ \* - /s/^ \*   //p' plugin/kindred.h |
  tr -d ',' | tr -s ' \n' '\n\n')" "$table"
lists plugin/ask/ask.cpp \
  "$(sed -n 's/^ *{"\([a-z_]*\)", answer_by.*/\1/p' plugin/ask/ask.cpp | sort)" "$(sort <<<"$table")"
lists examples/hosts/questions.tsv "$(cut -f 1 examples/hosts/questions.tsv | sort -u)" \
  "$(sort <<<"$table")"

exit $status
