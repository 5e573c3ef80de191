# The backend of examples/hosts/haystack in a Django site, with the real xapian-haystack.
source "$(dirname "$0")/../assert.sh"
python3 -c 'from importlib.util import find_spec; exit(not (find_spec("haystack") and find_spec("xapian_backend")))' \
  2>"$err" || skip "xapian-haystack is not installed"
library=$(realpath "$(dirname "$kindred")/../libkindred.so")
expect 0 python3 -W ignore "$data/../integration/hosts/haystack_site_test.py" "$library" \
  "$data/topics.jsonl" "$work"

# the program knows the index of such a site: ids, tags, fields of filters
expect 0 "$kindred" status --db index --json
json '(j["profile"], j["documents"], j["labeled"], j["labels"]) == ("xapian-haystack", 41, 40, 5)'
expect 0 "$kindred" status --db index --guess
says 'profile = "xapian-haystack"'
expect 0 "$kindred" related --db index --id haystack_site.note.1 --filter 'django_ct:haystack_site.memo' --json
json '[r["id"] for r in j["results"]] == ["haystack_site.memo.1"]'
expect 0 "$kindred" classify --db index --id haystack_site.note.1 --json
json 'j["tags"][0]["label"] == "space"'
