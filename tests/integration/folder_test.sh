# kindred index FOLDER: which files become documents, what a later run does, and what is refused.
source "$(dirname "$0")/assert.sh"

# Files of before the last seconds: a later run may trust their times.
old() { find "$1" -type f -exec touch -d '2024-03-01 12:00:00' {} +; }
show() { expect 0 "$kindred" show --db a.db --json "$@"; }

# Text, Markdown and HTML in any encoding. The title is that of the document, else the file's name.
mkdir -p docs/sub docs/.hidden
printf 'A guitar and a drum.\n' >docs/notes.txt
printf 'Stra\xdfe\n' >docs/sub/latin.TXT
printf '```\n# no heading\n```\n## The moon ##\nrocks\n' >docs/sub/read.md
cat >docs/page.html <<'HTML'
<html><head><title>Tide
 tables</title><style>p { color: red }</style></head>
<body><h1>High</h1><table><tr><td>moon</td><td>pull</td></tr></table><p>wa<b>ter</b><script>x()</script></body>
HTML
printf '<meta charset="koi8-r"><h1>\xf0\xd2\xc9\xd7\xc5\xd4</h1>' >docs/koi.htm
echo secret >docs/.hidden/x.txt
ln -s /etc/passwd docs/link.txt
mkfifo docs/pipe.txt
touch docs/a.png docs/b.png docs/README
old docs
expect 0 "$kindred" index --db a.db --json docs/
json '(j["added"], j["unchanged"], j["deleted"], j["unread_keys"]) == (5, 0, 0, {})'
json '{p["kind"]: p["files"] for p in j["passed_over"]} == {".png": 2, "hidden": 1, "links": 1, "no regular files": 1, "without an ending": 1}'
errs 'kindred: passed over 6 files: 2 .png, 1 hidden, 1 links, 1 no regular files, 1 without an ending'
show page.html sub/read.md sub/latin.TXT koi.htm
json '[d["title"] for d in lines] == ["Tide tables", "The moon", "latin", "Привет"]'
json 'lines[0]["text"] == "High\nmoon\npull\nwater" and lines[2]["text"] == "Straße\n"'
json 'lines[0]["folder"].endswith("/docs") and lines[0]["modified"].startswith("2024-03-01T")'

# Such a file by itself is no file of records, but one that begins as JSON is, whatever its name.
expect 1 "$kindred" index --db none.db docs/page.html
errs 'docs/page.html: expected records: JSON, or a table whose name ends in .csv or .tsv; documents such as this one are read from a folder, so name that'
[ ! -e none.db ] || fail "a database was made"
echo '{"id":"1","text":"moon"}' >lines.txt
expect 0 "$kindred" index --db lines.db lines.txt

# A later run takes what has changed, and --prune what is gone; labels that people gave stay.
expect 0 "$kindred" tag --db a.db --add music notes.txt
echo 'A guitar alone.' >docs/notes.txt
rm docs/koi.htm
expect 0 "$kindred" index --db a.db docs
says 'added 0, replaced 1, failed 0, tagged 0, unchanged 3, deleted 0'
expect 0 "$kindred" index --db a.db --prune docs
says 'unchanged 3, deleted 1' # notes.txt changed just now, so it is read once more
show notes.txt
json 'lines[0]["labels"] == ["music"] and lines[0]["text"] == "A guitar alone.\n"'
json '"modified" not in lines[0]'

touch empty.png
mkdir pictures
mv empty.png pictures
expect 1 "$kindred" index --db a.db --prune pictures
errs 'pictures: expected files that can be read, found none'

# Only what came from this folder is deleted; an empty folder deletes nothing.
mkdir other empty
echo 'sea and sail' >other/boat.txt
expect 0 "$kindred" index --db a.db "$data/topics.jsonl" other
mv docs away
mkdir docs
expect 1 "$kindred" index --db a.db --prune docs
errs 'docs: expected files, found none'
rmdir docs
mv away docs
rm docs/page.html
expect 0 "$kindred" index --db a.db --prune docs
says 'deleted 1'
[ "$(documents a.db)" = 44 ] || fail "other documents were deleted"

# Two folders may have a file of one path; the other one is replaced only if it has moved.
echo 'another boat' >empty/boat.txt
expect 1 "$kindred" index --db a.db empty
errs "empty/boat.txt: the index has a file of this path from $work/other: expected the folder"
expect 1 "$kindred" index --db two.db other empty
errs "empty/boat.txt: the index has a file of this path from $work/other"
mv other moved
expect 0 "$kindred" index --db a.db empty
says 'added 0, replaced 1'

# Mail: the subject, and of alternatives the text.
mkdir -p mail/box/cur mail/box/.Sent/cur
cat >mail/one.eml <<'MAIL'
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=
From: Ann <ann@example.org>
Date: Mon, 1 Jan 2024 10:00:00 +0100
Content-Type: multipart/mixed; boundary=m

--m
Content-Type: multipart/alternative; boundary=a

--a
Content-Type: text/plain; charset=iso-8859-2
Content-Transfer-Encoding: quoted-printable

=B3=F3d=BC
--a
Content-Type: text/html

<b>hypertext</b>
--a--
--m
Content-Type: text/html

<p>below <i>it</i>
--m
Content-Type: text/plain
Content-Disposition: attachment; filename=x.txt

attached
--m--
MAIL
printf 'Subject: in a Maildir\n\nsail\n' >'mail/box/cur/17.M1.host:2,S'
for i in 1 2 3; do
  printf 'From a@b Mon Jan  1 10:00:00 2024\nSubject: mail %d\nMessage-ID: <m%d@x>\n\nrocket %d\n\n' $i $i $i
done | sed 's/^Message-ID: <m3@x>$/X-Other: y/' >mail/inbox
printf 'From a@b Mon Jan  1 10:00:00 2024\nSubject: old\nMessage-ID: <m1@x>\n\nx\n' >mail/archive.2023
printf 'From here on\nit is prose: no mail\n' >mail/README
printf 'Subject: sent\n\nx\n' >mail/box/.Sent/cur/18.M1
old mail
expect 0 "$kindred" index --db a.db mail
says 'added 7, replaced 0, failed 0'
show one.eml box/cur/17.M1.host 'inbox#m1@x' 'inbox#m2@x' 'inbox#3'
json '(lines[0]["title"], lines[0]["text"]) == ("Grüße", "łódź\nbelow it")'
json '(lines[0]["from"], lines[0]["date"]) == ("Ann <ann@example.org>", "2024-01-01T10:00:00+01:00")'
json '[d["title"] for d in lines[1:]] == ["in a Maildir", "mail 1", "mail 2", "mail 3"]'
json '["modified" in d for d in lines[2:]] == [False, False, True]'

# Flags of a Maildir are no change. A mailbox of which a killed run left a part is read again, and
# messages that are gone from it are deleted.
mv mail/box/cur/17.M1.host:2,S mail/box/cur/17.M1.host:2,RS
expect 0 "$kindred" index --db a.db --prune mail
says 'added 0, replaced 0, failed 0, tagged 0, unchanged 5, deleted 0'
expect 0 "$kindred" delete --db a.db 'inbox#3'
expect 0 "$kindred" index --db a.db mail
says 'added 1, replaced 2, failed 0, tagged 0, unchanged 4'
sed -i 1,6d mail/inbox
old mail
expect 0 "$kindred" index --db a.db --prune mail
says 'deleted 2' # mail 1, and the third, which is the second now
show 'inbox#m2@x' 'inbox#2' 'archive.2023#m1@x' box/.Sent/cur/18.M1

# What reads mails lies beside the library. Without it all other files are read.
library=$(ldd "$kindred" | grep -o '/[^ ]*/libkindred\.so\.[^ ]*')
mkdir alone few
ln -s "$library" alone/
printf 'Subject: x\n\nsail\n' >few/one.eml
echo 'sea and sail' >few/boat.txt
expect 1 env LD_LIBRARY_PATH="$work/alone" "$kindred" index --db few.db few
says 'added 1, replaced 0, failed 1'
errs "few/one.eml: cannot load what reads mails: $work/alone/kindred/mail.so: "

# Files that cannot be read are named and counted, and cost no other one.
mkdir bad
printf 'a\0b' >bad/zero.txt
echo 'no header' >bad/none.eml
echo good >bad/good.txt
expect 1 "$kindred" index --db bad.db bad
errs 'bad/zero.txt: has zero bytes: expected text'
errs 'bad/none.eml: has no header of a message'
says 'added 1, replaced 0, failed 2'

# PDF and others are read by programs, which get the file under no name of its own. If they are not
# installed, the package is told.
mkdir bin pdf
echo 'tides of the moon' >'pdf/-x $(touch x);.pdf'
echo 'broken' >pdf/broken.pdf
echo 'no Word' >pdf/graph.dot
cat >bin/pdftotext <<'FILTER'
#!/bin/sh
[ "$*" = '-q -enc UTF-8 -- /dev/fd/3 -' ] && ! grep -q broken "$5" && cat "$5"
FILTER
chmod +x bin/pdftotext
old pdf
PATH=/nonexistent expect 1 "$kindred" index --db pdf.db pdf
errs 'kindred: passed over 3 files: 2 .pdf (the package poppler-utils reads them), 1 .dot'
PATH=$work/bin:$PATH expect 1 "$kindred" index --db pdf.db pdf
errs 'pdf/broken.pdf: pdftotext cannot read it (its status is 1)'
says 'added 1, replaced 0, failed 1'
[ ! -e x ] || fail "a name was run as a command"

# An office document is a zip archive of XML.
if command -v unzip >/dev/null; then
  mkdir office
  python3 - <<'PYTHON'
import zipfile
with zipfile.ZipFile("office/[a].docx", "w") as archive:
    archive.writestr("word/document.xml",
                     '<?xml version="1.0" encoding="UTF-8"?><w:document><w:p><w:r><w:t>Hal</w:t></w:r>'
                     '<w:r><w:t>ló</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p></w:document>')
    archive.writestr("docProps/core.xml", "<x><dc:title>A letter</dc:title></x>")
PYTHON
  expect 0 "$kindred" index --db office.db office
  expect 0 "$kindred" show --db office.db --json '[a].docx'
  json '(lines[0]["title"], lines[0]["text"]) == ("A letter", "Halló\ntwo")'
fi

# Long paths get ids that are cut, and names that are no UTF-8 are names, too.
long=$(printf 'long%.0s' {1..60})
mkdir -p names/"$long"
echo x >names/"$long/$long.txt"
echo y >names/$'\xff.txt'
echo z >names/$'two\nlines.txt'
old names
expect 0 "$kindred" index --db names.db names
says 'added 3'
expect 0 "$kindred" index --db names.db --prune names
says 'unchanged 3, deleted 0'

# Of two runs one waits for the other.
exec 9<names.db
touch wait.err
flock 9
"$kindred" index --db names.db names >wait.out 2>wait.err 9<&- &
until grep -q 'kindred: waits for another run that indexes folders into names.db' wait.err; do sleep .01; done
[ ! -s wait.out ] || fail "it did not wait"
exec 9<&-
wait $! || fail "the run that waited failed"
grep -q 'unchanged 3' wait.out || fail "the run that waited read nothing"

# What cannot be meant is refused before anything is written.
expect 1 "$kindred" index --db none.db --prune "$data/topics.jsonl"
errs '--prune: expected a folder, found files only'
expect 1 "$kindred" index --db none.db --split train docs
errs 'docs: expected a file for --split, found a folder'
expect 1 "$kindred" index --db none.db docs missing
errs 'kindred: missing: cannot be read'
[ ! -e none.db ] || fail "an index was made"

# ingest gives tags to files, too.
expect 0 "$kindred" index --db tags.db "$data/topics.jsonl"
mkdir new
echo 'Astronauts brought moon rocks from the Apollo rocket flight in space.' >new/a.txt
expect 0 "$kindred" ingest --db tags.db new
says 'added 1, replaced 0, failed 0, tagged 1'
