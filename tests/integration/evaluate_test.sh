# kindred evaluate: its measures against ones computed here from kindred classify.
source "$(dirname "$0")/assert.sh"
make_topics

expect 0 "$kindred" evaluate --db topics.db --jsonl "$data/held_out.jsonl" --split test --json
json 'list(own) == ["documents", "labels", "micro_precision", "micro_recall", "micro_f1", "macro_f1",
  "accuracy", "macro_precision", "macro_recall", "subset_accuracy", "all_labels", "hamming_loss", "one_error", "coverage_error",
  "ranking_loss", "ranking_average_precision", "calibration_error", "calibration_error_by_chance",
  "pair_calibration_error", "reliability", "pair_reliability"]'
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
expect 0 "$kindred" evaluate --db topics.db --jsonl "$data/held_out.jsonl" --neighbors 1 --min-confidence 0.9 --set weighting.smart=ntc
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

# the best labels, and groups of records
expect 0 "$kindred" evaluate --db topics.db --jsonl "$data/topics.jsonl" --at 1,3 --by lang --json
json '[b["k"] for b in j["best_labels"]] == [1, 3] and j["best_labels"][0]["precision"] == j["accuracy"]'
json '0 < j["best_labels"][0]["recall"] <= j["best_labels"][1]["recall"] <= 1 and 0 < j["best_labels"][1]["ndcg"] <= 1'
json 'sum(g["documents"] for g in j["groups"]) == j["documents"] and "en" in [g["value"] for g in j["groups"]]'
json 'all([b["k"] for b in g["best_labels"]] == [1, 3] for g in j["groups"])'
expect 0 "$kindred" evaluate --db topics.db --jsonl "$data/topics.jsonl" --at 2 --by none
says 'best labels  precision  recall  F1      NDCG'
says 'documents  accuracy  micro F1  calibration error  F1 of 2  none'
expect 0 "$kindred" evaluate --db topics.db --leave-one-out --at 1 --json
json 'j["best_labels"][0]["precision"] == j["accuracy"]'
expect 2 "$kindred" evaluate --db topics.db --leave-one-out --by lang
expect 2 "$kindred" evaluate --db topics.db --leave-one-out --at 0

# records that are in the index do not vote for themselves: leave-one-out
expect 0 "$kindred" evaluate --db topics.db --jsonl "$data/topics.jsonl" --neighbors 1 --json
json 'j["documents"] == 40 and j["accuracy"] < 1'

# the documents of the index against each other
cp "$out" by_file.json
expect 0 "$kindred" evaluate --db topics.db --leave-one-out --neighbors 1 --json
json 'own == own_keys(json.load(open("by_file.json")))'
expect 0 "$kindred" evaluate --db topics.db --folds 40 --seed 9 --neighbors 1 --json
json 'all(abs(v - json.load(open("by_file.json"))[k]) < 1e-12 for k, v in j.items() if k not in ("seconds", "revision", "reliability", "pair_reliability"))'
expect 0 "$kindred" evaluate --db topics.db --folds 4 --seed 9 --json
json 'j["documents"] == 40'
cp "$out" folds.json
expect 0 "$kindred" evaluate --db topics.db --folds 4 --seed 9 --json --threads 1 --confusion --labels
json 'all(j[k] == v for k, v in json.load(open("folds.json")).items() if k in own)'
json 'list(j)[-2:] == ["per_label", "confusion"]'
json 'len(j["per_label"]) == j["labels"] and sum(l["support"] > 0 for l in j["per_label"]) > 1'
json 'sum(l["f1"] for l in j["per_label"]) / j["labels"] - j["macro_f1"] < 1e-12'
json 'j["confusion"] is None'
expect 0 "$kindred" evaluate --db topics.db --leave-one-out --labels --confusion
says 'hamming loss'
says 'support  predicted'
says 'no confusion matrix'
printf '[labels]\nprefix = "XNONE"\n' >none.toml
cp -r topics.db forgotten.db
expect 0 "$kindred" settings --db forgotten.db --forget
expect 1 "$kindred" evaluate --db forgotten.db --leave-one-out --config none.toml
errs 'no documents with labels'

# one label each: a confusion matrix
python3 - "$data/topics.jsonl" <<'EOF2' >single.jsonl
import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    print(json.dumps({**record, "labels": record["labels"][:1]}))
EOF2
"$kindred" index --db single.db single.jsonl >/dev/null
expect 0 "$kindred" evaluate --db single.db --leave-one-out --confusion --json
json 'all(len(row) == len(j["confusion"]["labels"]) + 1 for row in j["confusion"]["counts"])'
json 'sum(map(sum, j["confusion"]["counts"])) == j["documents"] == 40'
json 'sum(row[i] for i, row in enumerate(j["confusion"]["counts"])) / 40 == j["accuracy"]'
json 'sum(w["documents"] for w in j["confusion"]["worst"]) == round(40 * (1 - j["accuracy"]))'
json '[w["documents"] for w in j["confusion"]["worst"]] == sorted((w["documents"] for w in j["confusion"]["worst"]), reverse=True)'
expect 0 "$kindred" evaluate --db single.db --leave-one-out --confusion
says ' -> '
says 'documents by true label (rows)'

# a report in HTML: whole, self-contained, every label escaped, figures repeated in tables
python3 - <<'EOF2' >odd.jsonl
import json
for i in range(6):
    label = "<script>\"&'" if i % 2 else "plain"
    print(json.dumps({"id": "o%d" % i, "text": "word%d shared" % (i % 3), "labels": [label]}))
EOF2
"$kindred" index --db odd.db odd.jsonl >/dev/null
echo old >report.html
expect 0 "$kindred" evaluate --db odd.db --leave-one-out --html report.html
says 'micro F1'
grep -q '"report":"evaluate","subject":"odd.db, leave-one-out"' report.html || fail "the report lacks the answer"
grep -qF '"\u003cscript>' report.html || fail "a label could end the data"
! grep -qE '(src|href)=|url\(|@import' report.html || fail "the page needs another file"
python3 "$data/../integration/pages/page_policy.py" report.html || fail "the policy does not fit the page"

# of many labels, the list of the worst
python3 - <<'EOF2' >labels.jsonl
import json
for i in range(90):
    print(json.dumps({"id": "l%d" % i, "text": "word%d shared" % (i // 4), "labels": ["label%02d" % (i // 2)]}))
EOF2
"$kindred" index --db labels.db labels.jsonl >/dev/null
expect 0 "$kindred" evaluate --db labels.db --leave-one-out --confusion
says 'and '
! grep -q 'documents by true label' "$out" || fail "a matrix that is too wide"
expect 0 "$kindred" evaluate --db topics.db --folds 3 --html many.html
grep -q '"confusion":null' many.html || fail "a confusion matrix of documents with several labels"
expect 1 "$kindred" evaluate --db odd.db --leave-one-out --html absent/report.html
errs 'absent/report.html: cannot be written: No such file'
mkfifo page # written to, not replaced, as a device is
timeout 60 cat page >from_page &
expect 0 "$kindred" evaluate --db odd.db --leave-one-out --html page
wait $!
[ -p page ] || fail "a pipe was replaced"
grep -q '</html>' from_page || fail "no report came through the pipe"
ln -s linked.html link.html
expect 1 "$kindred" evaluate --db odd.db --leave-one-out --html link.html
errs 'link.html: Is a link, expected the file that it leads to'
[ -L link.html ] && [ ! -e linked.html ] || fail "a link was replaced, or written through"
mkdir taken
expect 1 "$kindred" evaluate --db odd.db --leave-one-out --html taken
errs 'taken: cannot be written'
[ -z "$(find . -name '*.new-*')" ] || fail "a file was left aside"
