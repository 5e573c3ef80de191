# The same bytes from every number of threads, every instruction set, every run, every batch size.
source "$(dirname "$0")/assert.sh"
python3 - <<'EOF2'
import json, random
random.seed(11)
words = ["w%d" % i for i in range(3000)]
weights = [1 / (i + 1) for i in range(3000)]
with open("collection.jsonl", "w") as out:
    for i in range(3000):
        text = random.choices(words, weights, k=random.choice([0, 1, 5, 60, 60, 60, 300]))
        record = {"id": "d%d" % i, "text": " ".join(text)}
        if i % 3: record["labels"] = random.sample(["a", "b", "c", "d", "e"], random.randint(1, 3))
        print(json.dumps(record), file=out)
EOF2
"$kindred" index --db c.db collection.jsonl >/dev/null

answers() { ask "$@" | timeless; }
ask() {
  "$kindred" classify --db c.db --jsonl collection.jsonl --json --voters "$@" &&
    "$kindred" related --db c.db --id d7 --json --explain --limit 3000 "$@" &&
    "$kindred" related --db c.db --id d1 --id d2 --unlike d3 --json --limit 100 "$@"
}
answers --threads 1 >one
[ "$(wc -l <one)" = 3002 ] || fail "expected one answer per question"
answers --threads 2 >two
cmp one two || fail "1 and 2 threads differ"
answers --threads 7 >seven
cmp one seven || fail "1 and 7 threads differ"
KINDRED_SIMD=baseline answers >baseline
cmp one baseline || fail "the instruction sets differ"
