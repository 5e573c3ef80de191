# kindred export: records that 'kindred index' reads again without loss, and CSV.
source "$(dirname "$0")/assert.sh"
make_topics
printf '%s\n' '{"id": "new", "title": "=Hot \"bread\"", "text": "bake bread in a hot oven", "lang": "en", "url": "http://a/b", "pages": 7}' \
  '{"id": "shy", "text": "a goal in the league", "auto_tag": false}' | "$kindred" ingest --db topics.db - >"$out"
expect 0 "$kindred" tag --db topics.db --id new --reject science
"$kindred" topics train --db topics.db --rows 3 --columns 3 >"$out"

expect 0 "$kindred" export --db topics.db
cp "$out" first.jsonl
json 'len(lines) == 42 and [j["id"] for j in lines][-2:] == ["new", "shy"]'
json 'all(j["terms"] for j in lines) and sum(j["topic"]["number"] > 0 and bool(j["topic"]["name"]) for j in lines if "topic" in j) > 35'
json '{j["id"]: j for j in lines}["new"]["predicted"][0]["label"] == "cooking"'
json '{j["id"]: j for j in lines}["new"]["rejected_labels"] == ["science"] and lines[-1]["auto_tag"] is False'
json '[{j["id"]: j for j in lines}["new"][key] for key in ("title", "text", "lang", "url", "pages")] == ["=Hot \"bread\"", "bake bread in a hot oven", "en", "http://a/b", 7]'

# what is read again has the same features, words, tags of people and of Kindred, data, and map
expect 0 "$kindred" index --db again.db first.jsonl
"$kindred" topics train --db again.db --rows 3 --columns 3 >"$out"
expect 0 "$kindred" export --db again.db
diff first.jsonl "$out" || fail 'something was lost'

expect 0 "$kindred" export --db topics.db --query 'id:new OR id:moon-1' --csv
[ "$(head -1 "$out")" = 'id,title,labels,predicted,rejected_labels,topic' ] || fail 'no heading'
says "new,\"'=Hot \"\"bread\"\"\",,cooking "
says 'moon-1,Apollo lands on the Moon,space,,,'

# whatever names, texts and further keys hold
python3 "$data/../integration/export_rounds.py" "$kindred" || fail 'a round of export and index changed something'

# a text of which the index keeps the beginning is told once, and the copy of it is not cut again
python3 -c 'import json
for i in range(3): print(json.dumps({"id": str(i), "text": "word\n" * (5 if i else 5000)}))' >long.jsonl
"$kindred" index --db long.db long.jsonl >"$out"
expect 0 "$kindred" export --db long.db
errs 'the index has only the beginning of 1 text, '
errs 'index.sample_bytes = 0'
cp "$out" long-1.jsonl
json '[j["text"][-6:] for j in lines] == ["\nword\u2026", "\nword\n", "\nword\n"]'
"$kindred" index --db long-2.db long-1.jsonl >"$out"
expect 0 "$kindred" export --db long-2.db
diff long-1.jsonl "$out" || fail 'the beginning of a text was cut again'
silent "$err"
"$kindred" index --db whole.db --set index.sample_bytes=0 long.jsonl >"$out"
expect 0 "$kindred" export --db whole.db
json 'lines[0]["text"] == "word\n" * 5000'
expect 0 "$kindred" export --db long.db --csv
silent "$err"  # CSV has no texts
