# An archive of public-inbox, and an extindex of it, are read without a setting, beside a writer.
source "$(dirname "$0")/../assert.sh"
need public-inbox-init public-inbox-extindex
export HOME=$work PI_CONFIG=$work/config
git config --global user.email a@example.org
git config --global user.name a
init() { public-inbox-init -V2 -L full "$1" "$work/$1" "http://localhost/$1" "$1@example.org" >"$out" 2>&1; }
init space
init food

# Adds mails to an archive, as public-inbox does: lines of subject, message id, the mail that it
# answers ("-" for none), text. With "commit", each of them is committed.
deliver() {
  perl -MPublicInbox::Config -MPublicInbox::InboxWritable -MPublicInbox::Eml -e '
    my ($name, $each) = @ARGV;
    my $inbox = PublicInbox::Config->new->lookup_name($name);
    my $writer = PublicInbox::InboxWritable->new($inbox)->importer(0);
    while (<STDIN>) {
      chomp;
      my ($subject, $id, $answers, $text) = split /\t/;
      my $reply = $answers eq "-" ? "" : "In-Reply-To: <$answers>\nReferences: <$answers>\n";
      $writer->add(PublicInbox::Eml->new(
        "From: Me <me\@example.net>\nTo: $name\@example.org\nSubject: $subject\n" .
        "Message-ID: <$id>\nList-Id: <$name.example.org>\n${reply}" .
        "Date: Sat, 1 Jan 2022 00:00:00 +0000\n\n$text\n"));
      $writer->done if $each;
    }
    $writer->done' "$@" 2>>"$err"
}
printf '%s\n' $'Orbits\to1@x\t-\tThe orbit of the moon is an ellipse.' \
  $'Re: Orbits\to2@x\to1@x\tAn orbit of the moon takes a month.' \
  $'Re: Orbits\to3@x\to1@x\tThe orbit of the moon is inclined.' \
  $'Craters\tc1@x\t-\tA crater of the moon has rays.' \
  $'Rockets\tr1@x\t-\tA rocket flew to the moon and its orbit.' | deliver space
printf '%s\n' $'Bread\tb1@x\t-\tKnead flour, water and yeast.' \
  $'Soup\ts1@x\t-\tBoil leek in water, then salt the soup.' | deliver food
public-inbox-extindex --all -L full "$work/all" >"$out" 2>&1
before=$(find . -name '*.glass' -exec md5sum {} + | sort)

# The archive is found by its own folder, or by that of its databases.
for db in space space/xap15; do
  expect 0 "$kindred" status --db $db --json
  json '(j["profile"], j["documents"]) == ("public-inbox", 5)'
done
expect 0 "$kindred" related --db space --id r1@x --json
json '[(r["id"], r["title"], r["group_count"]) for r in j["results"]][-1] == ("c1@x", "Craters", 0)'
json 'sorted(r["group_count"] for r in j["results"]) == [0, 2]'
expect 0 "$kindred" related --db space --id r1@x --group none --json
json 'len(j["results"]) == 4'
expect 0 "$kindred" related --db space --id r1@x --filter 's:orbits f:me nq:month lid:space.example.org' --json
json '[r["id"] for r in j["results"]] == ["o2@x"]'

# Labels of an extindex are the lists, and what is tuned lies beside the databases.
expect 0 "$kindred" classify --db all --text 'salt the bread' --set classify.neighbors=3 --json
json 'j["best"]["label"] == "food.example.org"'
refused=$("$kindred" tag --db space --all 2>&1) && fail 'an index of public-inbox was written'
[[ $refused == *index.read_only* ]] || fail "$refused"
[ "$(find . -name '*.glass' -exec md5sum {} + | sort)" = "$before" ] || fail 'an index was written'

# Beside a writer each answer is that of a state of the archive.
for i in $(seq 20); do printf 'Phases %s\tp%s@x\t-\tThe phase of the moon is %s.\n' "$i" "$i" "$i"; done |
  deliver space commit &
writer=$!
while kill -0 $writer 2>/dev/null; do
  expect 0 "$kindred" related --db space --id c1@x --json
done
wait $writer
expect 0 "$kindred" status --db space --json
json 'j["documents"] == 25'
