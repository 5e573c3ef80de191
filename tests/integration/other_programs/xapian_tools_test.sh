# quest and delve, which Xapian ships, find and show what kindred wrote.
source "$(dirname "$0")/../assert.sh"
need quest xapian-delve
make_topics

quest -d topics.db 'astronauts lunar' >"$out"
says 'id=moon-1'
says 'title=Moon rocks'
quest -d topics.db 'baking' >"$out" # stemmed as the words were
says 'id=bread-1'
quest -d topics.db '"surface of the Moon"' >"$out" # a phrase: positions are there
says 'Exactly 1 match'
says 'id=moon-1'
quest -d topics.db -b label:K -b id:Q 'label:science' >"$out"
says 'id=star-1'
quest -d topics.db -b id:Q 'id:soup-2' >"$out"
says 'title=Pumpkin soup'
quest -d topics.db -p title:S 'title:marathon' >"$out"
says 'Exactly 2 matches'
says 'id=run-1'

xapian-delve topics.db >"$out"
says 'number of documents = 40'
says 'has positional information = true'
xapian-delve -r 1 -d topics.db >"$out"
for text in Qmoon-1 Kspace Len Zlunar ZSmoon Smoon 'url=https://example.org/moon-1' 'year=1969' 'label=space'; do
  says "$text"
done
xapian-delve -t Kscience topics.db >"$out"
says 'termfreq 6'
if command -v xapian-check >/dev/null; then
  xapian-check topics.db >"$out" || fail "xapian-check found errors"
fi

# predicted tags, beside the ones that people gave
"$kindred" ingest --db topics.db "$data/unlabeled.jsonl" >/dev/null
xapian-delve -r 41 -d topics.db >"$out"
says XAUTOspace
if grep -q Kspace "$out"; then fail "a predicted tag looks like one that people gave"; fi
xapian-delve -r 41 -V7001 topics.db >"$out"
says '"label":"space"'
