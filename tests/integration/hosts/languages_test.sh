# The programs of examples/hosts/languages print the documents like a text, and the library's error.
source "$(dirname "$0")/../assert.sh"
programs=$data/../../examples/hosts/languages
export KINDRED_LIBRARY=$(dirname "$kindred")/../libkindred.so
"$kindred" index --db notes.db - <<'END' >"$out"
{"id": "orbit", "text": "the orbit of the moon, é"}
{"id": "crater", "text": "a crater of the moon"}
{"id": "bread", "text": "flour, water and yeast"}
{"id": "soup", "text": "flour, water and salt"}
END
tried=
try() {  # what the program needs to be there, and how it is called
  bash -c "$1" >/dev/null 2>&1 || return 0
  tried+=" $2"
  expect 0 "${@:2}" notes.db 'the orbit of a möon, or moon'
  [ "$(cat "$out")" = $'orbit\ncrater' ] || fail "$2 printed $(cat "$out")"
  "${@:2}" none.db moon >"$out" 2>&1 && fail "$2 found a database that is not there"
  says 'none.db: no such database'
}
try 'node -e "require(\"koffi\")"' node "$programs/related.js"
try 'ruby -r fiddle -e 1' ruby "$programs/related.rb"
try 'perl -MFFI::Platypus -MJSON::PP -e 1' perl "$programs/related.pl"
try 'php -r "FFI::cdef();"' php "$programs/related.php"
[ -n "$tried" ] || skip 'no language of examples/hosts/languages is installed'
