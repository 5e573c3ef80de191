# A ZIM file works unmodified: its index is read where it lies, and nothing is written into it.
source "$(dirname "$0")/../assert.sh"
need zimwriterfs
make_zim
before=$(md5sum <wiki.zim)
"$kindred" status --db wiki.zim --json >"$out" 2>"$err" || { errs 'built without libzim'; skip 'built without libzim'; }
json '(j["profile"], j["documents"], j["labels"]) == ("zim", 301, 0) and j["terms"] > 100'
json 'j["analysis"]["rules"]["analyzer.language"] == "\"en\""'
errs 'it is read as the profile zim says'

# ids are paths, titles those of the archive
expect 0 "$kindred" related --db wiki.zim --id A/space/7.html --json --limit 50
json 'all(r["id"].startswith("A/space/") and r["title"] == "Über space, Nº " + r["id"][8:-5] for r in j["results"])'
expect 0 "$kindred" related --db wiki.zim --id C/A/music/1.html --limit 1 # as the file names it
says 'Über music, Nº '
expect 0 "$kindred" related --db wiki.zim --text 'Rockets and Créme of planets' --json # accents, stems
json 'j["results"][0]["id"].startswith("A/space/")'
expect 0 "$kindred" duplicates --db wiki.zim --min-similarity 0.99 --json
json '[sorted(d["id"] for d in g["documents"]) for g in j["groups"]] == [["A/music/1.html", "A/music/1copy.html"]]'
expect 0 "$kindred" export --db wiki.zim --query 'rocket'
json 'len(lines) == 100 and j["title"].startswith("Über space")'

# map and saved mirror lie beside it, or in a folder of the settings
expect 0 "$kindred" topics train --db wiki.zim --rows 4 --columns 4
expect 0 "$kindred" mirror --db wiki.zim
ls wiki.zim.kindred-mirror wiki.zim.kindred-som >"$out" || fail 'nothing beside it'
expect 0 "$kindred" related --db wiki.zim --id A/space/7.html --limit 1 --verbose
errs 'saved mirror: read 0 documents'
printf '[mirror]\ndirectory = "mirrors"\n[index]\ndirectory = "kept"\n' >elsewhere.toml
mkdir mirrors kept
expect 0 "$kindred" mirror --db wiki.zim --config elsewhere.toml
expect 0 "$kindred" topics train --db wiki.zim --config elsewhere.toml --rows 3 --columns 3
[ -n "$(ls mirrors)" ] && [ -n "$(ls kept)" ] || fail 'nothing in the folders of the settings'
expect 1 "$kindred" topics assign --db wiki.zim
errs 'wiki.zim: expected index.read_only = false'
[ "$before" = "$(md5sum <wiki.zim)" ] || fail 'the ZIM file was changed'

# another file at the path is noticed; damaged ones and those without an index are refused
make_zim sport
expect 0 "$kindred" related --db wiki.zim --id A/sport/7.html --limit 1 --verbose
errs 'wiki.zim.kindred-mirror: not used'
make_zim sport --withoutFTIndex
expect 1 "$kindred" status --db wiki.zim
errs 'wiki.zim: expected a ZIM file with a full-text index (X/fulltext/xapian)'
for bytes in 4 200 20000; do
  head -c $bytes wiki.zim >cut.zim
  expect 1 "$kindred" status --db cut.zim
  errs 'cut.zim: the ZIM file is damaged'
done
