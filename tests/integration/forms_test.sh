# Files as people have them: CSV, TSV, arrays of JSON, and keys with other names.
source "$(dirname "$0")/assert.sh"

# A table needs no more than names of its columns: quotes, lines within them, semicolons, and any
# encoding of spreadsheets. Empty fields are left out.
printf '\xef\xbb\xbfid;text;labels;note\r\n1;"the moon; and\r\na rocket";space|flight;x\r\n2;a guitar;;\r\n' >a.csv
expect 0 "$kindred" index --db a.db --separator '|' --json a.csv
json '(j["added"], j["failed"], j["unread_keys"]) == (2, 0, {"note": 1})'
silent "$err"
expect 0 "$kindred" show --db a.db --json 1 2
json '[d["labels"] for d in lines] == [["flight", "space"], []]'
json 'lines[0]["text"] == "the moon; and\r\na rocket"'
iconv -f UTF-8 -t UTF-16 a.csv >b.csv
gzip b.csv
expect 0 "$kindred" index --db b.db --json b.csv.gz
json 'j["added"] == 2'

# Without a separator a text is one label. Columns have names of their own by --map, and a record
# without an id gets one of its file and line.
mkdir below
printf 'body\ttags\tid\n"Moon" walk\tbig space\tno\n\nguitar\tmusic\tno\n' >below/c.tsv
expect 0 "$kindred" index --db c.db --map 'text=body, labels=tags' --map title=id below/c.tsv
errs 'kindred: 2 records without an id got one of file and line, such as c.tsv:2'
expect 0 "$kindred" show --db c.db --json c.tsv:2 c.tsv:4
json '[(d["labels"], d["title"]) for d in lines] == [(["big space"], "no"), (["music"], "no")]'
json 'lines[0]["text"] == "\"Moon\" walk"'

# A label that looks like several is told of, with the separator, unless one is given.
printf 'id,text,labels\n1,a,"cooking|science"\n2,b,"Paris, France"\n3,c,"2,4-D"\n4,d,x|y\n' >joined.csv
expect 0 "$kindred" index --db joined.db joined.csv
errs "kindred: 2 records with a label such as 'cooking|science'; if these are several, --separator '|' parts them"
expect 0 "$kindred" index --db joined.db --separator '|' joined.csv
silent "$err"

# A row with a fault costs no other row.
printf 'id,text\n1,a,b\n2,"a\n3,c\n' >bad.csv
expect 1 "$kindred" index --db bad.db bad.csv
errs 'bad.csv:2: expected 2 fields, as the first line has, found 3'
errs 'bad.csv:3: a quote is never closed'
says 'added 1, replaced 0, failed 2'
expect 1 "$kindred" index --db bad.db --map text=txt bad.csv
errs "bad.csv: there is no column 'txt' for text, did you mean 'text'? Its columns are id, text"

# An array of JSON, and a record that breaks it off
echo '[ {"id": "1", "text": "a ] \" }"} ,' >array.json
echo '  {"text": "b", "label": "x, y"}, 7]' >>array.json
expect 1 "$kindred" index --db array.db --map labels=label --separator , array.json
errs 'array.json:3: expected a JSON object, found number'
says 'added 2, replaced 0, failed 1'
expect 0 "$kindred" show --db array.db --json 1 array.json:2
json '[(d["text"], d["labels"]) for d in lines] == [("a ] \" }", []), ("b", ["x", "y"])]'
head -c 60 array.json >half.json
expect 1 "$kindred" index --db half.db half.json
errs 'half.json: ends within its array, after 2 records'
says 'added 1,'

# Keys that nobody reads are told with the map that is likely meant; a file without texts is refused.
for i in 1 2 3; do echo '{"id":"'$i'","Body":"a moon","lables":["x"],"url":"u"}'; done >keys.jsonl
expect 1 "$kindred" index --db keys.db keys.jsonl
errs 'keys.jsonl: none of 3 records has title, text or terms; nothing of it was added; unread keys: Body (3), lables (3), url (3); did you mean --map text=Body,labels=lables?'
says 'added 0,'
expect 0 "$kindred" index --db keys.db --allow-empty keys.jsonl
errs '3 records, none with title, text or terms, so their documents have no words, none with labels; unread keys: '
expect 0 "$kindred" index --db keys.db --map text=Body keys.jsonl
errs 'kindred: 3 records, none with labels; unread keys: lables (3), url (3); did you mean --map labels=lables?'
expect 0 "$kindred" index --db keys.db --map text=Body,labels=lables --json keys.jsonl
json 'j["replaced"] == 3 and j["unread_keys"] == {"url": 3}'
silent "$err"

# A split that no record has is a mistake.
expect 1 "$kindred" index --db keys.db --map text=Body --split trian keys.jsonl
errs "kindred: no record has the split 'trian'"

# A map is checked before anything is read.
for map in text text= tags=labels text=a,text=b text=a,title=a; do
  expect 1 "$kindred" index --db none.db --map "$map" keys.jsonl
  errs 'map: '
done
expect 1 "$kindred" index --db none.db --map label=tags keys.jsonl
errs "map: 'label=tags': expected one of text, labels, id, title, lang, rejected_labels before the sign of equality; did you mean 'labels=tags'?"
expect 1 "$kindred" index --db none.db --map Body=text keys.jsonl
errs "did you mean 'text=Body'?"
[ ! -e none.db ] || fail "a database was made"

# A title is no text where another key looks like one.
printf 'id,title,body,tags\n1,The moon,a rocket,x\n' >titled.csv
expect 0 "$kindred" index --db titled.db titled.csv
errs 'kindred: 1 record, none with text, none with labels; unread keys: body (1), tags (1); did you mean --map text=body,labels=tags?'
printf 'id,title,labels,note\n1,The moon,x,y\n' >titled.csv
expect 0 "$kindred" index --db titled.db titled.csv
silent "$err"

# evaluate takes the same files, and so does classify. The CSV file of the tutorial has the records of
# topics.jsonl.
cp "$data/topics.csv" .
expect 0 "$kindred" index --db table.db --map text=body,labels=tags --separator '|' topics.csv
expect 0 "$kindred" index --db lines.db "$data/topics.jsonl"
for db in table lines; do
  "$kindred" export --db $db.db | sed 's/,"\(url\|servings\)":.*,"predicted"/,"predicted"/' >$db.jsonl
done
cmp table.jsonl lines.jsonl
expect 1 "$kindred" evaluate topics.csv
errs 'topics.csv: no records with labels to learn from; unread keys: body (32), tags (32); did you mean --map labels=tags?'
expect 0 "$kindred" evaluate --map text=body,labels=tags --separator '|' --json topics.csv
json 'j["documents"] == 8'
expect 0 "$kindred" index --db topics.db "$data/topics.jsonl"
printf 'id,text\nx,the moon and a rocket\n' >asked.csv
expect 0 "$kindred" classify --db topics.db --jsonl asked.csv
says 'space'
