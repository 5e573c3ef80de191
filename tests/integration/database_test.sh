# Databases that are absent, empty, damaged, locked, or vanish.
source "$(dirname "$0")/assert.sh"
make_topics
failing() {
  expect 1 "$kindred" "$@"
  errs 'kindred: '
  silent "$out"
  if grep -qE 'terminate called|core dumped|Aborted' "$err"; then fail "it crashed"; fi
}

failing status --db absent.db
errs 'absent.db: no such database'
[ ! -e absent.db ] || fail "a question made a database"
mkdir empty
failing status --db empty
cp -r topics.db empty/xapian # where mu keeps its index, and notmuch below .notmuch
failing related --db empty moon-1
errs "empty: no such database; did you mean 'empty/xapian'?"
echo 'not a database' >file
failing status --db file
failing related --db /dev/null --id x

# input that cannot be read is reported before a database is made for it
mkdir folder
failing index --db x.db folder
errs 'folder: expected files, found none'
failing index --db x.db "$data/topics.jsonl" absent.jsonl
[ ! -e x.db ] || fail "a database was made for what cannot be read"

# an empty database answers: nothing
"$kindred" index --db none.db /dev/null >/dev/null
expect 0 "$kindred" status --db none.db --json
json '(j["documents"], j["terms"], j["nonzeros"], j["labels"]) == (0, 0, 0, 0)'
expect 0 "$kindred" related --db none.db --text moon --json
json 'j["results"] == []'
expect 0 "$kindred" related --db none.db --text moon --filter label:x --json
json 'j["results"] == []'
expect 0 "$kindred" classify --db none.db --text moon --json
json 'j["tags"] == []'
failing related --db none.db --id moon-1
expect 0 "$kindred" evaluate --db none.db --jsonl "$data/held_out.jsonl" --json
json 'j["micro_f1"] == 0 and j["accuracy"] == 0'

# damaged tables: an error, never a crash
rm -rf damaged.db
cp -r topics.db damaged.db
rm damaged.db/postlist.glass
failing related --db damaged.db --id moon-1
rm -rf damaged.db
cp -r topics.db damaged.db
truncate -s 100 damaged.db/postlist.glass
failing status --db damaged.db

# databases with damage that Xapian does not notice, if they are beside the checkout
corpus=${KINDRED_DAMAGED:-$data/../../../shared/damaged}
for name in db-1702 db-1857 db-20287 db-2108 db-10114; do
  [ -d "$corpus/$name" ] || { echo "skipped: no $corpus/$name"; continue; }
  rm -rf damaged.db
  cp -r "$corpus/$name" damaged.db
  chmod -R u+w damaged.db
  case $name in
    db-2108 | db-10114)
      expect 0 timeout 60 "$kindred" related --db damaged.db --id moon-1 --json
      failing tag --db damaged.db --all
      errs 'value slot 7002 is damaged'
      failing ingest --db damaged.db "$data/unlabeled.jsonl"
      failing topics assign --db damaged.db
      ;;
    *)
      failing status --db damaged.db
      errs 'is damaged'
      ;;
  esac
done

# another writer holds the lock; readers go on
hold_lock topics.db
locked_out "$kindred" index --db topics.db --json "$data/unlabeled.jsonl"
expect 0 "$kindred" related --db topics.db --id moon-1 --json
release_lock

# the database vanishes while a question runs
mkfifo questions
cp -r topics.db vanishing.db
"$kindred" classify --db vanishing.db --jsonl questions --filter 'title:moon OR label:music' --json \
  >"$out" 2>"$err" &
reader=$!
exec 7>questions
sleep 0.3
rm -rf vanishing.db
cat "$data/unlabeled.jsonl" >&7
exec 7>&-
status=0
wait $reader || status=$?
[ $status -le 1 ] || fail "status $status when the database vanished"

# a place that cannot be written
expect 1 "$kindred" index --db file/x.db "$data/topics.jsonl"
errs 'kindred: '
