# Sizes: very long texts, many results, odd characters, near the limits of a term.
source "$(dirname "$0")/assert.sh"
make_topics

# more results and voters asked for than there are documents
expect 0 "$kindred" related --db topics.db --id moon-1 --limit 1000000 --json
json '0 < len(j["results"]) < 40'
expect 0 "$kindred" classify --db topics.db --text 'moon soup' --voters --neighbors 1000000 --json
json '0 < len(j["voters"]) <= 40'

# a text of 50 MB, indexed, compared, classified
python3 - <<'EOF2'
import json, random
random.seed(7)
words = ["word%d" % i for i in range(20000)] + ["moon", "orbit", "rocket"] * 300
text = " ".join(random.choices(words, k=5_500_000))
assert len(text) > 50_000_000
open("long.txt", "w").write(text)
json.dump({"id": "long", "title": "Long", "text": text, "labels": ["space"]}, open("long.jsonl", "w"))
EOF2
cp -r topics.db long.db
expect 0 "$kindred" index --db long.db --json long.jsonl
json 'j["added"] == 1'
expect 0 "$kindred" related --db long.db --text-file long.txt --limit 1 --json
json 'j["results"][0]["id"] == "long" and j["results"][0]["similarity"] > 0.99'
# the answer says how a long request begins
like() { python3 -c "import json; l = json.load(open('$out'))['request']['like']; assert $1, len(l)" || fail "$1"; }
like 'len(l[0]["text"]) == 1027'
# shellcheck disable=SC2046
expect 0 "$kindred" related --db topics.db $(printf -- '--text word%d ' {1..20}) --json
like 'len(l) == 16 and l[0]["text"] == "word1"'
expect 0 "$kindred" classify --db topics.db --jsonl long.jsonl --json
json 'j["id"] == "long" and j["tags"][0]["label"] == "space"'

# one word of 1 MB, no spaces: left out, not fatal
head -c 1000000 /dev/zero | tr '\0' a >word.txt
expect 0 "$kindred" related --db topics.db --text-file word.txt --json
json 'j["results"] == []'

# ids and labels with spaces, capitals, colons, other scripts, up to the limit of a term
python3 - <<'EOF2'
import json
names = ["Has Space", ":colon", "Capital", "日本語", "quote\"and\\slash", "tab\tand\nline", "é" * 120, "x" * 240]
with open("names.jsonl", "w") as out:
    for i, name in enumerate(names):
        print(json.dumps({"id": name, "text": "shared word%d" % (i // 2), "labels": [name]}), file=out)
json.dump(names, open("names.json", "w"))
EOF2
expect 0 "$kindred" index --db names.db names.jsonl
python3 -c '
import json, subprocess, sys
for i, name in enumerate(json.load(open("names.json"))):
    j = json.loads(subprocess.run([sys.argv[1], "classify", "--db", "names.db", "--id", name, "--json", "--voters"],
                                  check=True, capture_output=True).stdout)
    name, other = (each.replace("\\", "\\\\") for each in (name, json.load(open("names.json"))[i ^ 1]))
    assert j["id"] == name and j["voters"][0]["id"] == other, (name, j)
    assert j["tags"][0]["label"] == other, (name, j)
' "$kindred" || fail "an odd id or label was lost"
expect 0 "$kindred" related --db names.db --id 'tab	and
line'
[ "$(wc -l <"$out")" -ge 2 ] || fail "expected results"
expect 0 "$kindred" related --db names.db --id 'Has Space'
if grep -q "$(printf '\t')" "$out"; then fail "a control character reached the terminal"; fi

# a document has at most 1,000 labels, by records and by edits
python3 - <<'EOF2'
import json
def record(id, count): return json.dumps({"id": id, "text": "moon", "labels": ["l%d" % i for i in range(count)]})
open("many.jsonl", "w").write(record("most", 1000) + "\n" + record("beyond", 1001) + "\n")
open("more.jsonl", "w").write(record("more", 3000) + "\n")
EOF2
expect 1 "$kindred" index --db topics.db many.jsonl
errs 'labels: expected at most 1000 for one document (labels.max_per_document), found 1001'
expect 1 "$kindred" tag --db topics.db --id most --add one-more
errs "document 'most': labels: expected at most 1000 for one document (labels.max_per_document), found 1001"

# what one document with many labels costs is not the number of its pairs of labels
suspects_kilobytes() {
  expect 0 "$kindred" suspects --db "$1" --json
  python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$kindred" suspects --db "$1"
}
few=$(suspects_kilobytes topics.db)
expect 0 "$kindred" index --db topics.db --set labels.max_per_document=3000 more.jsonl
many=$(suspects_kilobytes topics.db)
[ $((many - few)) -lt 102400 ] || fail "$few KB without, $many KB with a document of 3,000 labels"

# files of texts and ids have an end: no device, no FIFO, at most 64 MiB; pipes of the shell are read
mkfifo fifo
expect 1 "$kindred" classify --db topics.db --text-file /dev/zero
errs '/dev/zero: the file cannot be read: Is a device, expected a regular file'
expect 1 "$kindred" classify --db topics.db --text-file fifo
errs 'fifo: the file cannot be read: Is a FIFO, expected a regular file'
expect 1 "$kindred" delete --db topics.db --ids-from /dev/zero
expect 1 "$kindred" classify --db topics.db --text-file - </dev/zero
errs 'expected at most 67108864 bytes'
expect 0 "$kindred" classify --db topics.db --text-file <(echo 'moon rocket') --json
expect 0 "$kindred" classify --db topics.db --text-file - --json <<<'moon rocket'
expect 0 "$kindred" related --db topics.db --ids-from <(echo moon-1) --json
expect 0 "$kindred" related --db topics.db --ids-from /dev/stdin --json <<<'moon-1'

# messages show the beginning of what was handed in
long=$(printf '%08000d' 0)
for command in "show $long" "related --id $long" "search label:$long" "candidates $long" \
  "tag --id moon-1 --add $long" "search sort:$long"; do
  # shellcheck disable=SC2086
  "$kindred" $command --db topics.db >out.txt 2>err.txt || true
  [ "$(cat out.txt err.txt | wc -c)" -lt 1200 ] || fail "a message of ${command:0:20}... is long"
done
