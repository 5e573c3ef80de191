#!/usr/bin/env bash
# Compares what the program does with a collection on a GPU with what it does on the CPU: all files
# and answers have the same bytes but for times and revisions. Prints a line for each step that
# differs, and then one that sums up; exit status 1 if any does, or if a step fails.
#
# usage: collection.sh KINDRED FILE.jsonl.gz [DOCUMENTS]
#   FILE         records whose key "split" is "train" or "test"
#   DOCUMENTS    at most so many of each, the first ones; default 40000
# KINDRED_STEPS: an extended regular expression; only the commands of a name that it matches run.
set -euo pipefail
shopt -s nullglob

kindred=$1 file=$2 most=${3:-40000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

for part in train test; do
  zcat "$file" | grep "\"split\": \"$part\"" | head -n "$most" >"$part.jsonl" || true
  [ -s "$part.jsonl" ] || {
    echo "no records of the split $part in $file" >&2
    exit 1
  }
done

steps=0 differ=0
# same NAME A B: counts a step, and says so if the files A and B differ
same() {
  steps=$((steps + 1))
  if ! cmp -s "$2" "$3"; then
    differ=$((differ + 1))
    echo "DIFFERS $1: $(cmp "$2" "$3" 2>&1 | head -n 1)"
    diff "$2" "$3" | head -n 6 | cut -c1-300 || true
  fi
}

# compare NAME ARGUMENT...: a command that answers, on both
compare() {
  local name=$1 backend
  shift
  [[ $name =~ ${KINDRED_STEPS:-} ]] || return 0
  for backend in cuda cpu; do
    (cd "$backend" && "$kindred" "$@" --db db --backend "$backend" --json 2>"../$backend.err") |
      sed -E 's/"(training_)?seconds":[^,}]*//g' >"$backend.out" || {
      echo "DIFFERS $name: fails by $backend: $(tail -n 1 "$backend.err")"
      differ=$((differ + 1))
      return 0
    }
  done
  same "$name" cuda.out cpu.out
}

mkdir cuda
"$kindred" index --db cuda/db --backend cpu --set index.positions=false train.jsonl >/dev/null
cp -r cuda cpu
compare 'related, untuned' related --all --limit 10 --explain
[ ! -f cpu/db/kindred.lift ] || same 'the learned weights' cuda/db/kindred.lift cpu/db/kindred.lift
compare tune tune
same 'the tuning in its file' cuda/db/kindred.tuning cpu/db/kindred.tuning
compare classify classify --jsonl ../test.jsonl --limit 20 --min-confidence 0
compare tag tag --all --dry-run
compare suspects suspects --limit 50 --voters
compare duplicates duplicates --min-similarity 0.9
compare related related --all --limit 10
mapfile -t labels < <("$kindred" label list --db cpu/db --backend cpu --json 2>/dev/null |
  grep -oE '"(label|name)": ?"[^"]*"' | sed -E 's/^[^:]*: ?"//; s/"$//' | head -n 3)
for label in "${labels[@]}"; do compare "candidates $label" candidates "$label" --limit 50; done
compare topics topics train --epochs 5 --progress never
compare 'names of topics' topics show
compare 'units of topics' topics export --out map
for table in cpu/map*; do same "the table ${table#cpu/}" "cuda/${table#cpu/}" "$table"; done

# Of which people have labeled the first 300: by what these say, and then by a tuning that hears it.
rm -rf cuda cpu
mkdir cuda
{
  head -n 300 train.jsonl
  sed -n 301,3300p train.jsonl | sed -E 's/"labels": ?\[[^]]*\]/"labels": []/'
} >few.jsonl
"$kindred" index --db cuda/db --backend cpu --set index.positions=false few.jsonl >/dev/null
cp -r cuda cpu
compare 'classify by few labels' classify --jsonl ../test.jsonl --limit 20 --vote few --explain
compare 'tune by few labels' tune
same 'the tuning of few labels' cuda/db/kindred.tuning cpu/db/kindred.tuning
compare 'classify by few labels, tuned' classify --jsonl ../test.jsonl --limit 20

# A vocabulary: a label's name is its words, and 500 terms that no document has are named by the
# beginnings of texts.
rm -rf cuda cpu
mkdir cuda
"$kindred" index --db cuda/db --backend cpu --set index.positions=false train.jsonl >/dev/null
"$kindred" label list --db cuda/db --backend cpu --json 2>/dev/null |
  grep -oE '"(label|name)": ?"[^"\\]*"' | sed -E 's/^[^:]*: ?"//; s/"$//' |
  awk '{ name = $0; gsub(/[^[:alnum:]]+/, " ", name); if (name != " ") print $0 "\t" name }' >names.tsv
sed -E 's/^.*"text": ?"([^"\\]*).*$/\1/' test.jsonl |
  awk 'NR <= 500 && NF >= 3 { print "term-" NR "\t" $1 " " $2 " " $3 }' >>names.tsv
"$kindred" vocabulary load --db cuda/db --skip-bad names.tsv >/dev/null
cp -r cuda cpu
compare 'suggestions, untuned' classify --jsonl ../test.jsonl --limit 20 --min-confidence 0 --explain
compare 'tune with names' tune
same 'the tuning with names' cuda/db/kindred.tuning cpu/db/kindred.tuning
compare 'suggestions' classify --jsonl ../test.jsonl --limit 20 --min-confidence 0
echo "$(basename "$file"): $(wc -l <train.jsonl) and $(wc -l <test.jsonl) documents, $steps steps," \
  "$differ differ; the others have the same bytes"
[ "$differ" -eq 0 ]
