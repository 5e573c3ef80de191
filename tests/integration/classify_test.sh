# kindred classify: single documents and batches.
source "$(dirname "$0")/assert.sh"
make_topics
classify() { expect 0 "$kindred" classify --db topics.db "$@"; }

classify --text 'bake the bread in the oven' --json
json 'list(own) == ["id", "tags", "best"] and j["id"] is None and answer["revision"] == 1'
json 'all(list(t) == ["label", "confidence"] for t in j["tags"]) and j["tags"][0]["label"] == "cooking"'
classify --text 'bake the bread in the oven'
says 'cooking'

# a document of the index does not vote for itself
classify --id moon-1 --json --voters
json 'list(own) == ["id", "tags", "best", "voters"] and j["id"] == "moon-1"'
json 'all(list(n) == ["id", "docid", "similarity", "labels"] for n in j["voters"])'
json '"moon-1" not in [n["id"] for n in j["voters"]] and j["tags"][0]["label"] == "space"'
classify --docid 1 --json
json 'j["id"] == "moon-1" and j["docid"] == 1 and j["tags"][0]["label"] == "space"'
classify --id moon-1 --voters --neighbors 2
says 'voter'
says 'moon-2'

head -n 1 "$data/topics.jsonl" >moon-1.jsonl
classify --jsonl moon-1.jsonl --json --voters
json 'j["id"] == "moon-1" and "moon-1" not in [n["id"] for n in j["voters"]]'
classify --jsonl moon-1.jsonl --voters --neighbors 3
[ "$(awk -F '\t' '{ print NF, $1, split($3, voters, ", ") }' "$out")" = '3 moon-1 3' ] || fail 'not three voters'
classify --jsonl moon-1.jsonl --neighbors 3
[ "$(awk -F '\t' '{ print NF }' "$out")" = 2 ] || fail 'voters that nobody asked for'

# neighbors, min_confidence, limit, filter, weighting
classify --text 'rocks of the moon' --json --voters --neighbors 2
json 'len(j["voters"]) == 2'
classify --text 'rocks of the moon and chords of the guitar' --json --min-confidence 0 --limit 2
json 'len(j["tags"]) == 2'
classify --text 'rocks of the moon' --json --min-confidence 0.5 --filter 'label:science' --neighbors 1
json '"science" in [t["label"] for t in j["tags"]]'
classify --text 'bake the bread' --json --filter 'label:sport' --min-confidence 0
json '"cooking" not in [t["label"] for t in j["tags"]]'
classify --text 'moon guitar goal soup' --min-confidence 1
says 'no tag reaches the threshold; the best is'
classify --text 'zzyzx plugh'
says 'no labeled document has a term in common'
classify --text 'moon' --filter 'label:nothing'
says 'no labeled document that matches the filter has a term in common'
for smart in ltc ntc bnc spc nfc nsc Ltc ltn nnn; do
  classify --text 'bake the bread in the oven' --json --set weighting.smart=$smart
  json 'j["tags"][0]["label"] == "cooking"'
done

# a batch: one line out for each line in, in order
classify --jsonl "$data/unlabeled.jsonl" --json
json '[l["id"] for l in lines] == ["new-moon", "new-soup", "new-song", "new-match", "new-unknown"]'
json '[[t["label"] for t in l["tags"]] for l in lines] == [["space", "science"], ["cooking"], ["music"], ["sport"], []]'
classify --jsonl - --json <"$data/unlabeled.jsonl"
json 'len(lines) == 5'
classify --jsonl "$data/unlabeled.jsonl"
says $'new-unknown\t-'
classify --jsonl /dev/null --json
silent "$out"

# batch and single questions agree
classify --jsonl "$data/unlabeled.jsonl" --json --voters
json 'all("voters" in l for l in lines)'
sed -n 2p "$out" >batch_line
"$kindred" classify --db topics.db --jsonl <(sed -n 2p "$data/unlabeled.jsonl") --json --voters >single_line
cmp -s batch_line single_line || fail "a batch and a single record differ"

# a bad line has a line of output, too
printf '%s\n' '{"id":"a","text":"moon"}' 'oops' '' '{"text":"soup"}' >mixed.jsonl
expect 1 "$kindred" classify --db topics.db --jsonl mixed.jsonl --json
json 'len(lines) == 3 and lines[0]["id"] == "a" and lines[2]["id"] is None'
json 'list(lines[1]) == ["line", "error"] and lines[1]["line"] == 2'
errs 'mixed.jsonl:2: not JSON'

# more than one batch
python3 -c '
for i in range(2500): print("""{"id":%d,"text":"moon %s"}""" % (i, "soup" if i % 2 else "orbit"))' >many.jsonl
classify --jsonl many.jsonl --json
json '[l["id"] for l in lines] == [str(i) for i in range(2500)]'
json 'all(l["tags"] == lines[i % 2]["tags"] for i, l in enumerate(lines))'

# Without a tuning and with more than 500 voters, what is told is called a share of the vote.
python3 -c '
for i in range(501): print("{\"id\":%d,\"text\":\"moon rock%d\",\"labels\":[\"space\"]}" % (i, i))' >voters.jsonl
"$kindred" index --db shares.db voters.jsonl >/dev/null
expect 0 "$kindred" classify --db shares.db --text rock7
says 'vote share  tag'
says '1.0000      space'
expect 0 "$kindred" classify --db shares.db --text rock7 --json
json 'j["untuned"]'
expect 0 "$kindred" classify --db topics.db --text moon --json
json '"untuned" not in j'

expect 1 "$kindred" classify --db topics.db --id nobody
errs "no document with id 'nobody'; for a text write --text"
expect 1 "$kindred" classify --db topics.db --jsonl missing.jsonl
errs 'missing.jsonl: cannot be opened'

# labels under a prefix that nothing has
printf '[labels]\nprefix = "XNONE"\n' >none.toml
cp -r topics.db forgotten.db
expect 0 "$kindred" settings --db forgotten.db --forget
expect 0 "$kindred" classify --db forgotten.db --config none.toml --text moon --json
json 'j["tags"] == []'
