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
packages 200 1 >catalogue
expect 0 python3 "$catalogue" . <catalogue
says '180 packages with sections, 20 without'
expect 0 cat tagged.jsonl untagged.jsonl
json '[record.get("labels") for record in lines] == [["games"]] * 180 + [None] * 20'
