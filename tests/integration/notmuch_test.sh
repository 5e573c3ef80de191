# A mail database made by notmuch works unmodified.
source "$(dirname "$0")/assert.sh"
need notmuch
mkdir -p mail/cur mail/new mail/tmp
python3 - "$data/topics.jsonl" <<'EOF2'
import json, sys
for n, line in enumerate(open(sys.argv[1])):
    record = json.loads(line)
    with open("mail/cur/%d:2,S" % n, "w", encoding="utf-8") as mail:
        mail.write("From: Nobody <nobody@example.org>\nTo: list@example.org\nMIME-Version: 1.0\n"
                   "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n"
                   "Date: Sat, 01 Jan 2022 00:00:%02d +0000\nMessage-ID: <%s@example.org>\n"
                   "Subject: %s\n\n%s\n" % (n, record["id"], record["id"], record["text"]))
EOF2
printf '[database]\npath=%s/mail\n[user]\nname=Nobody\nprimary_email=nobody@example.org\n[new]\ntags=\n[search]\nexclude_tags=\n' \
  "$work" >notmuch.conf
export NOTMUCH_CONFIG=$work/notmuch.conf HOME=$work
notmuch new >"$out" 2>"$err" || fail "notmuch new failed"
python3 - "$data/topics.jsonl" <<'EOF2' | notmuch tag --batch
import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    print(" ".join("+" + label for label in record["labels"]) + " -- id:%s@example.org" % record["id"])
EOF2
db=mail/.notmuch/xapian

expect 0 "$kindred" status --db $db --json
json 'j["documents"] >= 40 and j["labeled"] == 40 and j["labels"] == 5' # folders are documents too
expect 0 "$kindred" related --db $db --id bread-1@example.org --json
json 'j["results"][0]["id"] == "bread-2@example.org"'
expect 0 "$kindred" classify --db $db --id moon-1@example.org --json
json 'j["tags"][0]["label"] == "space"'
expect 0 "$kindred" classify --db $db --text 'bake bread in the oven' --json
json 'j["tags"][0]["label"] == "cooking"'
