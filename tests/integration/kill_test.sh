# kill -9 while indexing: what was reported as committed is there, and indexing can go on.
source "$(dirname "$0")/assert.sh"
python3 - <<'EOF2'
import json
with open("many.jsonl", "w") as out:
    for i in range(30000):
        text = " ".join("w%d" % ((i * 7919 + j * j * 31) % 5003) for j in range(40))
        print(json.dumps({"id": "d%d" % i, "text": text, "labels": ["l%d" % (i % 7)]}), file=out)
EOF2
printf '[index]\nbatch = 500\n' >settings.toml

for commits in 1 4; do
  rm -rf many.db
  "$kindred" index --db many.db --config settings.toml --progress always many.jsonl >/dev/null 2>progress &
  writer=$!
  for _ in $(seq 1000); do
    [ "$(grep -c committed progress || true)" -ge $commits ] && break
    sleep 0.02
  done
  kill -9 $writer 2>/dev/null || fail "it was done before it could be killed"
  wait $writer 2>/dev/null || true
  # Only whole lines were reported.
  committed=$(grep -oE '^committed [0-9]+ documents$' progress | tail -n 1 | grep -oE '[0-9]+')
  found=$(documents many.db)
  [ "$found" -ge "$committed" ] || fail "$committed were reported, $found are there"
  [ "$found" -lt 30000 ] || fail "the kill came too late to tell"
  expect 0 "$kindred" related --db many.db --id d0 --json
done

expect 0 "$kindred" index --db many.db --json many.jsonl
json 'j["replaced"] == '"$found"' and j["added"] + j["replaced"] == 30000'
[ "$(documents many.db)" = 30000 ] || fail "not all documents are there"
