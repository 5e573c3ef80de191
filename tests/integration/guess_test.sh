# When nothing is found: what an index has, what was expected, and which settings would read it.
source "$(dirname "$0")/assert.sh"
python3 -c 'import xapian' 2>/dev/null || skip "python3-xapian is not installed"
make() { make_index "$1" "record = json.loads(line); text = record['text']
generator.set_stemmer(xapian.Stem('en')); $2" <"$data/topics.jsonl"; }
guess() { expect 0 "$kindred" status --db "$1" --guess; }

# words, ids and labels under prefixes of the maker's own
make own.db 'words("XBODY", text); term("XDOC%d" % n); [term("XCAT" + label) for label in record["labels"]]'
expect 0 "$kindred" related --db own.db --id 1
errs 'own.db: expected words under Z, or without a prefix (mirror.term_prefixes), found none; the index has XBODY ('
errs '; this would read it: [index] id_prefix = "XDOC" [labels] prefix = "XCAT" [mirror] term_prefixes = ["ZXBODY"]'
guess own.db
cp "$out" own.toml
expect 0 "$kindred" classify --db own.db --config own.toml --text 'bake bread in the oven' --json
silent "$err"
json 'j["tags"][0]["label"] == "cooking"'

# prefixes against the conventions; the usual ids
make odd.db 'generator.set_stemming_strategy(generator.STEM_NONE); words("TEXT", text); term("Q%d" % n); [term("MARK" + label) for label in record["labels"]]'
guess odd.db
[ "$(cat "$out")" = $'[labels]\nprefix = "MARK"\n[mirror]\nterm_prefixes = ["TEXT"]' ] || fail 'another guess'

# what does not follow is not claimed: two prefixes may hold labels, and none words
make vague.db 'words("", text); term("Q%d" % n); term("XA" + record["labels"][0]); term("XB%d" % (n // 9)); term("Ttext/%d" % (n // 20))'
guess vague.db
[ "$(cat "$out")" = '# not known: which terms are labels (labels.prefix): perhaps XA or XB or T' ] || fail 'another guess'
expect 0 "$kindred" classify --db vague.db --id 1
errs 'expected labels under K (labels.prefix), found none; the index has Q (40 terms in 40 documents), T ('
expect 0 "$kindred" related --db vague.db --id 1
silent "$err"
make bare.db 'term("Q%d" % n); term("XX%d" % n)'
expect 0 "$kindred" status --db bare.db --guess --json
json '(j["guess"]["settings"], len(j["guess"]["unknown"])) == ("", 2)'

make_topics
guess topics.db
says '# the defaults read this index'
