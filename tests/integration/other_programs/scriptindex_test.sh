# Databases made by Omega's scriptindex work unmodified.
source "$(dirname "$0")/../assert.sh"
need scriptindex
cat >index.script <<'EOF2'
id : boolean=Q unique=Q field
title : field=caption index=S index
text : index truncate=200 field=sample
label : boolean=K
section : boolean=XSECTION
EOF2
python3 - "$data/topics.jsonl" >dump <<'EOF2'
import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    for key in "id", "title", "text":
        print("%s=%s" % (key, record[key]))
    for label in record["labels"]:
        print("label=" + label)
    print("section=" + record["labels"][0].capitalize())
    print()
EOF2
scriptindex omega.db index.script dump >/dev/null

expect 0 "$kindred" status --db omega.db --json
json '(j["documents"], j["labels"], j["labeled"]) == (40, 5, 40)'
expect 0 "$kindred" related --db omega.db --id moon-1 --json
json '(j["results"][0]["id"], j["results"][0]["title"]) == ("moon-2", "Moon rocks")'
expect 0 "$kindred" classify --db omega.db --text 'bake bread in the oven' --json
json 'j["tags"][0]["label"] == "cooking"'
expect 0 "$kindred" classify --db omega.db --jsonl "$data/unlabeled.jsonl" --json
json '[[t["label"] for t in l["tags"]] for l in lines] == [["space", "science"], ["cooking"], ["music"], ["sport"], []]'
expect 0 "$kindred" evaluate --db omega.db --jsonl "$data/held_out.jsonl" --json
json 'j["micro_f1"] > 0.8'

# labels under a prefix of several letters whose values start with a capital: XSECTION:Space
printf '[labels]\nprefix = "XSECTION"\n' >settings.toml
expect 0 "$kindred" classify --db omega.db --config settings.toml --text 'bake bread in the oven' --json
json 'j["tags"][0]["label"] == "Cooking"'

# kindred may add to it, and Omega's documents and ours are found together
expect 0 "$kindred" ingest --db omega.db --json "$data/unlabeled.jsonl"
json '(j["added"], j["tagged"]) == (5, 4)'
expect 0 "$kindred" related --db omega.db --id new-soup --json
json 'j["results"][0]["id"].startswith("soup-")'
