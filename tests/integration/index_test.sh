# kindred index and ingest: what they report, refuse and keep.
source "$(dirname "$0")/assert.sh"

# a new database, and its schema
expect 0 "$kindred" index --db a.db --json "$data/topics.jsonl"
json 'list(j) == ["added", "replaced", "failed", "tagged", "seconds", "pending", "near_duplicates", "uncompared", "unread_keys"]'
json '(j["added"], j["replaced"], j["failed"], j["tagged"]) == (40, 0, 0, 0) and j["seconds"] >= 0'
silent "$err"

# the same ids replace their documents
expect 0 "$kindred" index --db a.db --json "$data/topics.jsonl"
json '(j["added"], j["replaced"]) == (0, 40)'
[ "$(documents a.db)" = 40 ] || fail "replacing changed the number of documents"
echo '{"id":"moon-1","title":"Replaced","text":"quokka wombat"}' >one.jsonl
expect 0 "$kindred" index --db a.db one.jsonl
says 'added 0, replaced 1, failed 0, tagged 0'
expect 0 "$kindred" related --db a.db --text wombat --json
json '[(r["id"], r["title"]) for r in j["results"]] == [("moon-1", "Replaced")]'

# the same id twice in one file: the later record wins
printf '%s\n' '{"id":"x","text":"alpha"}' '{"id":"x","text":"beta"}' >twice.jsonl
expect 0 "$kindred" index --db twice.db --json twice.jsonl
json '(j["added"], j["replaced"]) == (1, 1)'
[ "$(documents twice.db)" = 1 ] || fail "one id, several documents"

# standard input, gzip, a byte order mark, blank lines, several files
gzip -c "$data/topics.jsonl" >topics.jsonl.gz
expect 0 "$kindred" index --db b.db --json - <topics.jsonl.gz
json 'j["added"] == 40'
printf '\xef\xbb\xbf\n{"id":"bom","text":"x"}\r\n\n' >bom.jsonl
expect 0 "$kindred" index --db c.db --json topics.jsonl.gz bom.jsonl "$data/unlabeled.jsonl"
json 'j["added"] == 46'
expect 0 "$kindred" index --db fifo.db --json <(cat "$data/topics.jsonl")
json 'j["added"] == 40'

# bad lines are reported with their place, counted, and skipped
long=$(printf 'l%.0s' {1..245})
{
  echo '{"id":"good-1","text":"first"}'
  echo 'not JSON'
  echo '{"id":[],"text":"no id"}'
  echo '{"id":"x1","labels":["'"$long"'"]}'
  echo '{"id":"x2","text":7}'
  echo '{"id":"'"$long"'"}'
  echo '{"id":"x3","labels":"space"}'
  echo '{"id":"x4","labels":[""]}'
  echo '{"id":"x5","terms":{"a":1.5}}'
  echo '[]'
  printf '{"id":"good-2","text":"caf\xe9 noir"}\n'
} >bad.jsonl
expect 1 "$kindred" index --db bad.db --json bad.jsonl
json '(j["added"], j["failed"]) == (2, 9)'
for line in 2 3 4 5 6 7 8 9 10; do errs "bad.jsonl:$line: "; done
[ "$(wc -l <"$err")" = 9 ] || fail "expected one line an error"
errs 'bad.jsonl:3: id: '
errs 'bad.jsonl:4: labels: '
errs 'bad.jsonl:5: text: expected a string, found number'
errs 'bad.jsonl:9: terms: '
[ "$(documents bad.db)" = 2 ] || fail "the good lines were not indexed"
# of more than ten, only the number
seq 15 >many.jsonl
expect 1 "$kindred" index --db bad3.db many.jsonl
[ "$(grep -c '^many.jsonl:' "$err")" = 10 ] || fail "not ten bad lines are told"
errs 'kindred: and 5 more bad lines, which --verbose shows; is this JSON Lines'
for command in classify evaluate; do
  expect 1 "$kindred" $command --db bad.db --jsonl many.jsonl
  [ "$(grep -c '^many.jsonl:' "$err")" = 10 ] || fail "$command: not ten bad lines are told"
  errs 'kindred: and 5 more bad lines'
done
expect 1 "$kindred" index --db bad3.db --verbose many.jsonl
[ "$(grep -c '^many.jsonl:' "$err")" = 15 ] || fail "--verbose does not tell all"
expect 1 "$kindred" index --db bad2.db - <bad.jsonl
errs '-:2: '

# given terms are the features, even if they start with a capital
printf '%s\n' '{"id":"t1","terms":{"Ab":3,"cd":1},"labels":["x"]}' \
  '{"id":"t2","terms":{"Ab":1,"ef":1}}' '{"id":"t3","terms":{"ef":2}}' >terms.jsonl
expect 0 "$kindred" index --db terms.db terms.jsonl
expect 0 "$kindred" related --db terms.db --id t1 --json --explain
json '[r["id"] for r in j["results"]] == ["t2"] and len(j["results"][0]["terms"]) == 1'

# files that cannot be read
expect 1 "$kindred" index --db d.db "$data/topics.jsonl" missing.jsonl
errs 'kindred: missing.jsonl: cannot be read'
[ ! -e d.db ] || fail "something was written before the files were checked"
head -c 1500 topics.jsonl.gz >cut.jsonl.gz
expect 1 "$kindred" index --db e.db --json cut.jsonl.gz one.jsonl
errs 'kindred: cut.jsonl.gz: damaged gzip file'
json '0 < j["added"] < 41 and j["failed"] == 0'
[ "$(documents e.db)" -gt 1 ] || fail "what came before the damage is lost"
expect 1 "$kindred" index --db f.db missing
errs 'cannot be read'

# counts that Xapian would take for its own marks are refused, and the index stays sound
printf '%s\n' '{"id":"v1","terms":{"x":4294967295}}' '{"id":"v2","terms":{"x":65536}}' \
  '{"id":"v3","terms":{"x":65535,"y":1}}' >counts.jsonl
expect 1 "$kindred" index --db counts.db --json counts.jsonl
json '(j["added"], j["failed"]) == (1, 2)'
errs "counts.jsonl:1: terms: 'x': expected a whole number from 1 to 65535"
python3 -c '
import json
terms = {"t%d" % i: 65535 for i in range(17000)}
print(json.dumps({"id": "v4", "terms": terms}))
print(json.dumps({"id": "v5", "title": "moon", "terms": dict(list(terms.items())[:16000])}))' >sums.jsonl
expect 1 "$kindred" index --db counts.db --json sums.jsonl
json '(j["added"], j["failed"]) == (1, 1)'
errs 'sums.jsonl:1: terms: too much for one document'
expect 0 "$kindred" index --db counts.db --json <(echo '{"id":"v3","terms":{"x":2}}')
json 'j["replaced"] == 1'
if command -v xapian-check >/dev/null; then
  xapian-check counts.db >"$out" || fail "xapian-check found errors"
fi

# names of malformed UTF-8 are refused, so that none replaces another; text is repaired
printf '{"id":"a\xff","text":"x"}\n{"id":"a\xfe","text":"y"}\n{"id":"b","labels":["\xff"]}\n' >names.jsonl
printf '{"id":"a\\ud800"}\n{"id":"c","text":"\xff","title":"\\ud800"}\n' >>names.jsonl
expect 1 "$kindred" index --db names.db --json names.jsonl
json '(j["added"], j["replaced"], j["failed"]) == (1, 0, 4)'
for line in 1 2 4; do errs "names.jsonl:$line: id: expected UTF-8"; done
errs 'names.jsonl:3: labels: expected UTF-8'

# bytes after a gzip member are an error, after the good lines; zero bytes are padding
{ gzip -c "$data/topics.jsonl" && echo garbage; } >tail.jsonl.gz
expect 1 "$kindred" index --db tail.db --json tail.jsonl.gz one.jsonl
errs 'kindred: tail.jsonl.gz: damaged gzip file'
json '(j["added"], j["replaced"]) == (40, 1)'
{ gzip -c "$data/topics.jsonl" && head -c 5000 /dev/zero; } >padded.jsonl.gz
expect 0 "$kindred" index --db padded.db --json padded.jsonl.gz
json 'j["added"] == 40'

# a line that is too long is reported, skipped, and costs no memory
head -c 16M /dev/zero | gzip >zeros.gz
{
  gzip -c "$data/topics.jsonl"
  for _ in $(seq 64); do cat zeros.gz; done  # 1 GB
  printf '\n{"id":"behind","text":"x"}\n' | gzip
} >line.jsonl.gz
python3 - "$kindred" >"$out" 2>"$err" <<'PYTHON' || fail "a long line costs memory, or is no failure"
import resource, subprocess, sys
run = subprocess.run([sys.argv[1], "index", "--db", "line.db", "--json", "line.jsonl.gz"])
sys.exit(run.returncode != 1 or resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 700_000)  # KiB
PYTHON
json '(j["added"], j["failed"]) == (41, 1)'
errs 'line.jsonl.gz:41: longer than the 67108864 bytes that a line may have'
expect 1 "$kindred" classify --db line.db --jsonl line.jsonl.gz --json
errs 'line.jsonl.gz:41: longer than'

# ingest tags records without labels, learns from those with labels, and uses its own prefix
expect 0 "$kindred" ingest --db a.db --json "$data/unlabeled.jsonl"
json '(j["added"], j["tagged"], j["pending"]) == (5, 4, 0)'
expect 0 "$kindred" related --db a.db --text 'onion soup' --filter 'predicted:cooking' --json
json '[r["id"] for r in j["results"]] == ["new-soup"]'
expect 0 "$kindred" related --db a.db --text 'onion soup' --filter 'label:cooking' --json
json '"new-soup" not in [r["id"] for r in j["results"]]'

# without voters, documents are indexed nevertheless, and a message says so
expect 0 "$kindred" ingest --db g.db --json "$data/unlabeled.jsonl"
json '(j["added"], j["tagged"], j["pending"]) == (5, 0, 5)'
errs '5 documents could not be tagged'

# --progress always prints one line per commit
expect 0 "$kindred" index --db h.db --progress always "$data/topics.jsonl"
[ "$(cat "$err")" = 'committed 40 documents' ] || fail "unexpected progress"

# nothing at all is not a failure
expect 0 "$kindred" index --db empty.db --json /dev/null
json 'j["added"] == 0'

# without positions neighbors are the same, and a phrase is as good as its words
printf '[index]\npositions = false\n' >bare.toml
expect 0 "$kindred" index --db bare.db --config bare.toml "$data/topics.jsonl"
"$kindred" index --db whole.db "$data/topics.jsonl" >/dev/null
expect 0 "$kindred" related --db whole.db --id moon-1 --json
mv "$out" whole.json
expect 0 "$kindred" related --db bare.db --id moon-1 --json
same whole.json "neighbors depend on positions"
expect 0 "$kindred" related --db whole.db --text moon --filter '"moon the of surface"' --json
json 'j["results"] == []'
expect 0 "$kindred" related --db bare.db --text moon --filter '"moon the of surface"' --json
json '[r["id"] for r in j["results"]] == ["moon-1"]'
printf '[index]\npositions = "no"\n' >wrong.toml
expect 1 "$kindred" index --db wrong.db --config wrong.toml "$data/topics.jsonl"
errs 'wrong.toml:2: index.positions: expected true or false'

# every record has a line when it is committed, and records that fail can be handed in again
printf '%s\n' '{"id":"d1","text":"bake the bread","n":1.50}' 'not JSON' '{"id":"d2","text":"orbit of the moon","labels":["space"]}' >some.jsonl
expect 1 "$kindred" ingest --db letters.db --json --documents --dead-letters dead.jsonl some.jsonl
json 'list(j) == ["file", "line", "id", "outcome", "tags", "pending", "reason"]'
json '[(l["file"], l["line"], l["outcome"]) for l in lines[:3]] == [("some.jsonl", 1, "added"), ("some.jsonl", 2, "failed"), ("some.jsonl", 3, "added")]'
json 'lines[1]["id"] is None and "not JSON" in lines[1]["reason"] and lines[3]["failed"] == 1'
errs 'some.jsonl:2: not JSON'
[ "$(wc -l <dead.jsonl)" = 1 ] || fail "expected one dead letter"
expect 1 "$kindred" index --db letters.db dead.jsonl
errs "dead.jsonl:1: dead_letter: this line was no record; mend what is in its 'raw'"
expect 1 "$kindred" ingest --db none.db --json --documents --dead-letters waiting.jsonl "$data/unlabeled.jsonl"
json '[l["outcome"] for l in lines[:5]] == ["failed"] * 5 and lines[5]["added"] == 0'
"$kindred" index --db none.db "$data/topics.jsonl" >/dev/null
expect 0 "$kindred" ingest --db none.db --json --documents waiting.jsonl
json 'lines[5]["tagged"] == 4 and [t["label"] for t in lines[0]["tags"]] != []'
expect 1 "$kindred" ingest --db other.db --json --set ingest.on_failure=reject "$data/unlabeled.jsonl"
json '(j["added"], j["failed"], j["pending"]) == (0, 5, 0)'
expect 1 "$kindred" ingest --db a.db --dead-letters dead.jsonl dead.jsonl
errs 'expected another file than the one that takes the dead letters'
expect 1 "$kindred" ingest --db a.db --dead-letters . one.jsonl
errs 'Is a directory, expected a regular file'
expect 2 "$kindred" index --db a.db --set ingest.on_failure=drop one.jsonl
expect 2 "$kindred" index --db a.db --documents one.jsonl

# a file in which no record has words is refused, unless a setting finds them
printf '{"id":"1","content":"a"}\n{"id":"2","Text":"b"}\n{"id":"3"}\n' >keys.jsonl
expect 1 "$kindred" index --db keys.db keys.jsonl
errs 'keys.jsonl: none of 3 records has title, text or terms'
expect 0 "$kindred" index --db body.db --set 'index.body_fields=["content=1"]' keys.jsonl
silent "$err"
echo '{"id":"4","title":"t"}' >>keys.jsonl
expect 0 "$kindred" index --db keys.db keys.jsonl
errs 'none with text, none with labels; unread keys: Text (1), content (1); did you mean --map text=Text?'

# in an index of copies, the same text is like them, though no word tells one from another
for id in 1 2; do echo "{\"id\":\"$id\",\"text\":\"moon rocket\",\"labels\":[\"x\"]}"; done >same.jsonl
"$kindred" index --db same.db same.jsonl >"$out"
expect 0 "$kindred" classify --db same.db --text 'moon rocket'
says '0.6667      x'
expect 0 "$kindred" classify --db same.db --text 'guitar'
says 'no labeled document has a term in common with this'

# a folder that only a shell would find is refused
expect 2 "$kindred" index --db a.db --set 'index.directory=~/x' one.jsonl
errs 'index.directory'
errs 'the whole path of a folder'
