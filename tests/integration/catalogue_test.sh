# The package catalogue as records: with people's tags or, if next to none are there, with sections.
source "$(dirname "$0")/assert.sh"
catalogue=$data/../../examples/catalogue/catalogue.py
packages() { # COUNT TAGGED: so many packages, of which so many have tags; the first is there twice
  local i
  for ((i = 0; i <= $1; ++i)); do
    printf 'Package: p%d\nSection: universe/games\nDescription: a game\n' $((i % $1))
    [ $((i % $1)) -ge "$2" ] || printf 'Tag: use::playing,\n game::arcade\n'
    echo
  done
}
packages 200 2 >catalogue
expect 0 python3 "$catalogue" . <catalogue
says '2 packages with tags, 198 without'
expect 0 cat tagged.jsonl
json 'len(lines) == 2 and j["id"] == "p0" and j["labels"] == ["game::arcade", "use::playing"]'
# "Not decided yet" is a tag of people that is never predicted.
never=$(grep '^never' "$(dirname "$catalogue")/kindred.toml")
for i in 1 2 3; do echo '{"id":"g'$i'","text":"arcade game '$i'","labels":["game::arcade","use::TODO"]}'; done >todo.jsonl
echo '{"id":"s","text":"onion soup","labels":["use::eating"]}' >>todo.jsonl
"$kindred" index --db todo.db todo.jsonl >/dev/null
expect 0 "$kindred" classify --db todo.db --text 'arcade game' --json
json '[t["label"] for t in j["tags"]] == ["game::arcade", "use::TODO"]'
expect 0 "$kindred" classify --db todo.db --text 'arcade game' --set "classify.${never// = /=}" --json
json '[t["label"] for t in j["tags"]] == ["game::arcade"]'

packages 200 1 >catalogue
expect 0 python3 "$catalogue" . <catalogue
says '180 packages with sections, 20 without'
expect 0 cat tagged.jsonl untagged.jsonl
json '[record.get("labels") for record in lines] == [["games"]] * 180 + [None] * 20'
