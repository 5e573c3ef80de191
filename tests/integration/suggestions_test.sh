# Labels that no document has, suggested by their names in the vocabulary.
source "$(dirname "$0")/assert.sh"
unset LANGUAGE LC_ALL LC_MESSAGES LANG
make_topics
cat >terms.tsv <<'TSV'
id	name	language	synonym	note	deprecated
space	Outer space	en			
t1	Rocket	en			
t2	Guitar	en	Strings		
t3	Zeppelin flight	en			
t4	Moon	en			yes
t5	Mond	de	Rocket		
TSV
expect 0 "$kindred" vocabulary load --db topics.db terms.tsv

# a term is suggested by a name or a synonym of which the text has a word, and is marked as such
expect 0 "$kindred" classify --db topics.db --text 'a rocket to the moon' --min-confidence 0 --json
json '[t["label"] for t in j["tags"] if t.get("suggested")] == ["t1", "t5"]'
json '[t["name"] for t in j["tags"] if t.get("suggested")] == ["Rocket", "Mond"]'
json 'all(0 < t["confidence"] < 1 for t in j["tags"])'
json '[-t["confidence"] for t in j["tags"]] == sorted(-t["confidence"] for t in j["tags"])'
json 'any(t["label"] == "space" and "suggested" not in t for t in j["tags"])'
expect 0 "$kindred" classify --db topics.db --text 'strings' --min-confidence 0 --explain
says 'Guitar (t2), suggested'
says 'by its name: string'
expect 0 "$kindred" classify --db topics.db --text 'strings' --min-confidence 0 --explain --json
json '[r["label"] for r in j["reasons"]] == [t["label"] for t in j["tags"]]'

# not by a name with a word that no document has, nor a deprecated term, nor beyond the limit
expect 0 "$kindred" classify --db topics.db --text 'a flight of a zeppelin' --min-confidence 0 --json
json '"t3" not in [t["label"] for t in j["tags"]]'
expect 0 "$kindred" classify --db topics.db --text 'moon' --min-confidence 0 --json
json '"t4" not in [t["label"] for t in j["tags"]]'
expect 0 "$kindred" classify --db topics.db --text 'a rocket to the moon' --min-confidence 0 --limit 1 --json
json 'len(j["tags"]) == 1'
expect 0 "$kindred" classify --db topics.db --text 'a rocket to the moon' --min-confidence 0.99 --json
json 'not j["tags"]'
expect 0 "$kindred" classify --db topics.db --text rocket --min-confidence 0 --no-suggest --json
json 'not any(t.get("suggested") for t in j["tags"])'

# nor what people took off a document, or what is never predicted
expect 0 "$kindred" index --db topics.db "$data/unlabeled.jsonl"
expect 0 "$kindred" classify --db topics.db --id new-moon --min-confidence 0 --limit 20 --json
json '"t1" in [t["label"] for t in j["tags"]]'
expect 0 "$kindred" tag --db topics.db new-moon --reject t1
expect 0 "$kindred" classify --db topics.db --id new-moon --min-confidence 0 --limit 20 --json
json '"t1" not in [t["label"] for t in j["tags"]]'
expect 0 "$kindred" classify --db topics.db --text rocket --min-confidence 0 --json --set 'classify.never=["t1"]'
json '"t1" not in [t["label"] for t in j["tags"]]'
expect 0 "$kindred" classify --db topics.db --text rocket --min-confidence 0 --json --set 'classify.never=["*1"]'
json '"t1" not in [t["label"] for t in j["tags"]]'

# they are not written, and no document lacks them
expect 0 "$kindred" ingest --db topics.db --set classify.min_confidence=0 - <<<'{"id": "r", "text": "rocket and guitar"}'
expect 0 "$kindred" tag --db topics.db --all --set classify.min_confidence=0
expect 0 "$kindred" export --db topics.db
json 'any(d.get("predicted") for d in lines)'
json 'not any(t["label"] in ("t1", "t2", "t5") for d in lines for t in d.get("predicted", []))'

# unless the setting says so
expect 0 "$kindred" ingest --db topics.db --set classify.min_confidence=0 --set classify.write_suggestions=true - \
  <<<'{"id": "written", "text": "rocket"}'
expect 0 "$kindred" export --db topics.db --query id:written
json '"t1" in [t["label"] for t in lines[0]["predicted"]]'
expect 0 "$kindred" delete --db topics.db written

# one that a document gets is a label from then on
expect 0 "$kindred" tag --db topics.db r --add t2
expect 0 "$kindred" classify --db topics.db --text 'guitar strings' --min-confidence 0 --json
json '[t.get("suggested", False) for t in j["tags"] if t["label"] == "t2"] == [False]'

# an index without a label suggests by names alone, and says so
expect 0 "$kindred" index --db bare.db "$data/unlabeled.jsonl"
expect 0 "$kindred" vocabulary load --db bare.db terms.tsv
expect 0 "$kindred" classify --db bare.db --text 'a rocket' --min-confidence 0
errs 'no document has a label, so nothing was learned: tags are suggested by the names of the vocabulary alone'
says 'suggested'
