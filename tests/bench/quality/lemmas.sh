#!/usr/bin/env bash
# Tags under words, stems and lemmas: leave-one-out over whole collections, untuned, and after a
# tuning. Lemmas come from the Hunspell dictionaries of this machine.
#
# usage: lemmas.sh KINDRED LANGUAGE FILE
#
# FILE: records in JSON Lines, also compressed; only those whose key "lang" is LANGUAGE or missing.
set -euo pipefail
kindred=$(realpath "${1:?usage: lemmas.sh KINDRED LANGUAGE FILE}")
language=${2:?usage: lemmas.sh KINDRED LANGUAGE FILE}
file=$(realpath "${3:?usage: lemmas.sh KINDRED LANGUAGE FILE}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

zcat -f "$file" | python3 -c '
import json, sys
for line in sys.stdin:
    if json.loads(line).get("lang", sys.argv[1]) == sys.argv[1]:
        print(line, end="")' "$language" >records.jsonl

measure() {  # what, keys of [analyzer]
  printf '[analyzer]\nlanguage = "%s"\n%s\n' "$language" "$2" >"$1.toml"
  "$kindred" index --db "$1.db" --config "$1.toml" records.jsonl >/dev/null
  local untuned tuned
  untuned=$("$kindred" evaluate --db "$1.db" --leave-one-out --json)
  tuned=$("$kindred" tune --db "$1.db" --json)
  python3 - "$language" "$1" "$untuned" "$tuned" <<'PYTHON'
import json, sys
untuned, tuned = json.loads(sys.argv[3]), json.loads(sys.argv[4])["tuning"]["scores"]
print(f"{sys.argv[1]:4} {sys.argv[2]:6} untuned {untuned['micro_f1']:.4f} {untuned['accuracy']:.4f}   "
      f"tuned {tuned['micro_f1']:.4f} {tuned['macro_f1']:.4f}", flush=True)
PYTHON
}

measure words 'filters = ["elision", "possessive", "normalize", "length", "stop_words"]'
measure stems ''
measure lemmas "lemmas = [\"$language=hunspell\"]"
