# Recoll finds the tags that kindred gave, by the field of examples/hosts/recoll, and keeps them.
source "$(dirname "$0")/../assert.sh"
need recollindex recollq
mkdir files conf
page() {  # id, title, keywords, text
  echo "<html><head><meta charset=utf-8><title>$2</title><meta name=keywords content='$3'></head><body>$4</body></html>" \
    >"files/$1.html"
}
while IFS=$'\t' read -r id title labels text; do page "$id" "$title" "$labels" "$text"; done < <(
  python3 - "$data/topics.jsonl" <<'EOF2'
import html, json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    record = json.loads(line)
    labels = "" if record["id"].endswith("-2") else ", ".join(record["labels"])
    print(record["id"], *map(html.escape, (record["title"], labels or " ", record["text"])), sep="\t")
EOF2
)
echo "topdirs = $work/files" >conf/recoll.conf
cp "$data/../../examples/hosts/recoll/fields" conf
export RECOLL_CONFDIR=$work/conf HOME=$work
db=conf/xapiandb
index() { expect 0 recollindex; }
found() {  # query, how many
  expect 0 recollq -b "$1"
  [ "$(grep -c '^file://' "$out")" = "$2" ] || fail "'$1' found $(cat "$out")"
}

index
expect 0 "$kindred" tag --db $db --all --json
json '(j["labeled"], j["tagged"]) == (30, 10)'
found autotag:space 2
says moon-2.html
found 'autotag:cooking soup' 1
found keywords:space 8 # tags of people are what they were

# a tag that was taken off stays off, a file that is indexed again is tagged again
expect 0 "$kindred" tag --db $db --id "$work/files/moon-2.html|" --reject space
found notag:space 1
page mars-2 'Water on Mars' ' ' 'Instruments on an orbiter found more ice below the surface of Mars.'
touch -d '+1 minute' files/mars-2.html
index
found autotag:space 0
expect 0 "$kindred" tag --db $db --all
found autotag:space 1
says mars-2.html
