# A database made by apt-xapian-index, of a small package file, works unmodified.
source "$(dirname "$0")/../assert.sh"
update=$(command -v update-apt-xapian-index || echo /usr/sbin/update-apt-xapian-index)
[ -x "$update" ] || skip "apt-xapian-index is not installed"
[ ! -e /var/lib/debtags/package-tags ] || skip "apt-xapian-index takes the tags of debtags, which is installed"
python3 - "$data/topics.jsonl" >Packages <<'EOF2'
import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    tags = ["topic::" + label for label in record["labels"]]
    if record["id"] == "moon-1":
        tags = []
    print("Package: " + record["id"])
    print("Version: 1.0\nArchitecture: all\nInstalled-Size: 10\nSize: 1000\nSection: misc")
    print("Maintainer: Nobody <nobody@example.org>\nFilename: none.deb")
    if tags:
        print("Tag: " + ", ".join(tags))
    print("Description: %s\n %s\n" % (record["title"], record["text"]))
EOF2
mkdir -p axi cache
export AXI_DB_PATH=$work/axi AXI_CACHE_PATH=$work/cache
"$update" --quiet --force --pkgfile "$work/Packages" >"$out" 2>"$err" || fail "update-apt-xapian-index failed"
axi() { expect 0 "$kindred" "$1" --db axi/index --json "${@:2}"; }

# without settings: the index itself tells
axi status
json '(j["profile"], j["documents"], j["labels"], j["labeled"]) == ("apt-xapian-index", 40, 5, 39)'
json '{"prefix": "XT", "terms": 5, "documents": 39} in j["prefixes"]'
axi related --id moon-1 --filter 'tag:topic::space sec:misc pkg:moon-2'
json '[r["id"] for r in j["results"]] == ["moon-2"]'
axi related --text 'guitar chords' --filter 'label:topic::music'
json 'j["results"][0]["id"].startswith("guitar-")'
axi classify --id moon-1 --voters # the package without tags
json 'j["tags"][0]["label"] == "topic::space" and all(n["labels"] for n in j["voters"])'
axi related --id moon-1 --explain
json '"moon" in [t["word"] for t in j["results"][0]["terms"]]'
axi status --profile none # as a program that does not know the index sees it
json '(j["profile"], j["labels"], j["labeled"]) == ("none", 0, 0)'
expect 0 "$kindred" status --db axi/index --profile none
errs 'expected labels under K (labels.prefix), found none'
expect 0 "$kindred" status --db axi/index --guess
says 'profile = "apt-xapian-index"'
printf '[index]\nid_prefix = "XP"\n[labels]\nprefix = "XT"\n' >axi.toml
axi classify --id moon-1 --profile none --config axi.toml
json 'j["tags"][0]["label"] == "topic::space"'
