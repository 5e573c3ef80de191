# kindred evaluate: its measures against ones computed here from kindred classify.
source "$(dirname "$0")/assert.sh"
make_topics

expect 0 "$kindred" evaluate --db topics.db --jsonl "$data/held_out.jsonl" --split test --json
json 'list(j) == ["documents", "labels", "micro_precision", "micro_recall", "micro_f1", "macro_f1", "accuracy", "seconds"]'
json 'j["documents"] == 6'
cp "$out" report.json
"$kindred" classify --db topics.db --jsonl "$data/held_out.jsonl" --json >tags.json
python3 - "$data/held_out.jsonl" <<'EOF2' || fail "the measures disagree"
import json, sys
truth = [json.loads(l) for l in open(sys.argv[1])]
tags = [json.loads(l) for l in open("tags.json")]
pairs = [(set(t["labels"]), {x["label"] for x in p["tags"]}) for t, p in zip(truth, tags)
         if t.get("labels") and t["split"] == "test"]
labels = set().union(*(a | b for a, b in pairs))
right = sum(len(a & b) for a, b in pairs)
precision = right / sum(len(b) for _, b in pairs)
recall = right / sum(len(a) for a, _ in pairs)
def f1(l):
    tp = sum(l in a and l in b for a, b in pairs)
    return 2 * tp / sum((l in a) + (l in b) for a, b in pairs)
j = json.load(open("report.json"))
want = {"labels": len(labels), "micro_precision": precision, "micro_recall": recall,
        "micro_f1": 2 * precision * recall / (precision + recall),
        "macro_f1": sum(map(f1, labels)) / len(labels)}
sys.exit(any(abs(j[k] - v) > 1e-12 for k, v in want.items()))
EOF2

expect 0 "$kindred" evaluate --db topics.db --jsonl "$data/held_out.jsonl" --json
json 'j["documents"] == 7'
expect 0 "$kindred" evaluate --db topics.db --jsonl "$data/held_out.jsonl" -k 1 --threshold 0.9 --weighting ntc
says 'micro F1'
says 'accuracy'
expect 1 "$kindred" evaluate --db topics.db --jsonl "$data/held_out.jsonl" --split none
errs 'no records with labels in split none'
expect 1 "$kindred" evaluate --db topics.db --jsonl /dev/null
errs 'no records with labels'
{ cat "$data/held_out.jsonl"; echo 'oops'; } >bad.jsonl
expect 1 "$kindred" evaluate --db topics.db --jsonl bad.jsonl --json
errs 'bad.jsonl:9: not JSON'
json 'j["documents"] == 7'

# records that are in the index do not vote for themselves: leave-one-out
expect 0 "$kindred" evaluate --db topics.db --jsonl "$data/topics.jsonl" -k 1 --json
json 'j["documents"] == 40 and j["accuracy"] < 1'
