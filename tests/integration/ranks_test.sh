# Commands that several processes share, started by mpirun.
source "$(dirname "$0")/assert.sh"
need mpirun xapian-delve
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# On one host, without a network, and without a thread for each core in each rank.
export OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_orte_base_help_aggregate=0 OMPI_MCA_btl_vader_single_copy_mechanism=none

# ranks N COMMAND...: N processes of kindred
ranks() {
  local count=$1
  shift
  mpirun --oversubscribe -n "$count" "$kindred" "$@"
}

if [[ $(ldd "$kindred") != *libmpi* ]]; then
  expect 1 ranks 2 tune --db topics.db
  errs 'built without MPI'
  [ "$(grep -c 'built without MPI' "$err")" = 1 ] || fail "every rank said so"
  skip 'built without MPI'
fi

# documents COUNT: of five topics, sorted by time: they have linear classifiers and a forward fit
make_documents() {
  python3 - "$1" <<'PYTHON'
import json, random, sys
random.seed(7)
for i in range(int(sys.argv[1])):
    topic = random.randrange(5)
    words = [random.choice([f"shared{random.randrange(40)}x", f"topic{topic}w{random.randrange(25)}x",
                            f"age{i // 40}w{random.randrange(9)}x"]) for _ in range(14)]
    labels = [f"label{topic}"] + ([f"label{(topic + 1) % 5}"] if i % 4 == 0 else [])
    print(json.dumps({"id": f"d{i}", "text": " ".join(words), "labels": labels if i % 13 else []}))
PYTHON
}
make_documents 260 >collection.jsonl
"$kindred" index --db one.db collection.jsonl >/dev/null
"$kindred" tune --db one.db >/dev/null  # the metadata of the index remember a tuning from now on
cp -r one.db many.db

# a command that is for one process says so once, and so does a wrong command line
expect 1 ranks 3 status --db one.db
[ "$(grep -c "is for one process" "$err")" = 1 ] || fail "expected one message"
expect 2 ranks 3 tune --objective luck
[ "$(grep -c 'kindred: --objective' "$err")" = 1 ] || fail "expected one message"

expect 1 env SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=3 "$kindred" tune --db one.db
errs 'started as 3 processes, but MPI knows of 1'

# tunings and evaluations have the same bytes for any ranks and threads
expect 0 "$kindred" tune --db one.db
expect 0 "$kindred" evaluate --db one.db --leave-one-out --json
sed 's/"seconds":[^,}]*//' "$out" >evaluation
expect 0 "$kindred" evaluate --db one.db --folds 4 --seed 3 --json
sed 's/"seconds":[^,}]*//' "$out" >folds
expect 0 "$kindred" evaluate --db one.db --jsonl collection.jsonl --json
sed 's/"seconds":[^,}]*//' "$out" >records
for count in 1 2 3 4; do
  rm -f many.db/kindred.tuning
  expect 0 ranks "$count" tune --db many.db --threads $((count % 3 + 1))
  cmp one.db/kindred.tuning many.db/kindred.tuning || fail "$count ranks found another tuning"
  [ ! -e many.db/kindred.tuning-journal ] || fail "$count ranks left a journal"
  expect 0 ranks "$count" evaluate --db many.db --leave-one-out --json --threads 1
  sed 's/"seconds":[^,}]*//' "$out" | cmp - evaluation || fail "$count ranks measured something else"
  expect 0 ranks "$count" evaluate --db many.db --folds 4 --seed 3 --json --threads 2
  sed 's/"seconds":[^,}]*//' "$out" | cmp - folds || fail "$count ranks measured something else"
  expect 0 ranks "$count" evaluate --db many.db --jsonl collection.jsonl --json --threads 1
  sed 's/"seconds":[^,}]*//' "$out" | cmp - records || fail "$count ranks measured something else"
done

# tags, too
"$kindred" tag --db one.db --all --json | sed 's/"seconds":[^,}]*//' >tags
expect 0 ranks 3 tag --db many.db --all --json
sed 's/"seconds":[^,}]*//' "$out" | cmp - tags || fail "3 ranks gave other tags"
for id in d0 d13 d26 d130; do
  "$kindred" related --db one.db --id $id --json >related.one
  "$kindred" related --db many.db --id $id --json | cmp - related.one || fail "$id differs"
done

# ranks divide the shards of a stub: each writes its own, and all hold what one process writes
split -n r/4 collection.jsonl part.
for index in alone shared; do
  mkdir "$index"
  for part in a b c d; do
    "$kindred" index --db "$index/$part" part.a$part >/dev/null
    echo "auto $part"
  done >"$index/stub"
done
contents() {
  local part
  for part in a b c d; do
    # shellcheck disable=SC2046
    xapian-delve -d -v -v $(seq -f '-r %g' 65) "$1/$part"
    for slot in 7001 7002 7003; do xapian-delve -V$slot "$1/$part"; done
  done
}
expect 0 "$kindred" tag --db alone/stub --all --json
sed 's/"seconds":[^,}]*//' "$out" >tags
expect 0 ranks 3 tag --db shared/stub --all --json --threads 1
sed 's/"seconds":[^,}]*//;s/"uuid":"[^"]*"//g' "$out" >tags.shared
sed -i 's/"uuid":"[^"]*"//g' tags
cmp tags tags.shared || fail "3 ranks report other tags of shards"
expect 0 "$kindred" related --db alone/stub --all --store
expect 0 ranks 4 related --db shared/stub --all --store --threads 1
says 'wrote related documents of 260 of 260 documents'
[ "$(wc -l <"$out")" = 1 ] || fail "expected the report of one rank"
expect 0 "$kindred" topics train --db alone/stub --rows 4 --columns 4 --assign
expect 0 ranks 2 topics train --db shared/stub --rows 4 --columns 4 --assign --threads 1
says 'placed 260 of 260 documents'
expect 0 ranks 3 topics assign --db shared/stub --threads 1
says ': 0 got a new place'
contents alone >alone.txt
contents shared | cmp - alone.txt || fail "ranks wrote other things to shards"

# maps, but for the seconds that they took
map_of() { LC_ALL=C sed 's/"seconds":[^,}]*//' "$1/kindred.som" | head -c -4; }
"$kindred" topics train --db one.db >/dev/null  # the metadata remember a map from now on
rm -r many.db
cp -r one.db many.db
expect 0 "$kindred" topics train --db one.db --rows 6 --columns 5
map_of one.db >map.first
expect 0 "$kindred" topics train --db one.db --resume
map_of one.db >map.resumed
for count in 1 2 3 4; do
  expect 0 ranks "$count" topics train --db many.db --rows 6 --columns 5 --threads 1
  [ "$(grep -c 'on 30 units' "$out")" = 1 ] || fail "expected the report of one rank"
  map_of many.db | cmp - map.first || fail "$count ranks made another map"
  expect 0 ranks "$count" topics train --db many.db --resume --progress always
  [ "$(grep -c 'epoch 1 of' "$err")" = 1 ] || fail "expected the progress of one rank"
  map_of many.db | cmp - map.resumed || fail "$count ranks went on to another map"
done
expect 0 ranks 2 topics train --db many.db --rows 3 --columns 3 --assign
says 'on 9 units'
says 'placed 260 of 260 documents'

# ranks of indexes that differ, and budgets, are refused
cat >choose.sh <<'SHELL'
exec "$@" --db "rank$OMPI_COMM_WORLD_RANK.db"
SHELL
for rank in 0 1 2; do cp -r one.db rank$rank.db; done
expect 0 mpirun --oversubscribe -n 3 bash choose.sh "$kindred" tune --dry-run
"$kindred" ingest --db rank2.db "$data/unlabeled.jsonl" >/dev/null
for command in 'tune' 'evaluate --leave-one-out' 'tag --all --dry-run' 'topics train'; do
  # shellcheck disable=SC2086
  expect 1 mpirun --oversubscribe -n 3 bash choose.sh "$kindred" $command
  errs 'rank 2 on host '
  errs ': revision of the index: expected '
  [ "$(grep -c '^kindred: ' "$err")" = 1 ] || fail "expected one message"
done
expect 1 ranks 2 tune --db one.db --budget 10
errs 'budget'
rm -r rank2.db
expect 1 mpirun --oversubscribe -n 3 bash choose.sh "$kindred" tune
errs 'kindred: rank 2 on host '
errs 'rank2.db'

# another job of the same index is refused while one runs; a journal in a place of one's own
expect 0 ranks 2 tune --db many.db --journal own.journal
[ ! -e own.journal ] || fail "the journal is left"

# a rank that is killed or stopped ends the job with a message that names it, and the next run goes
# on from the journal: the same tuning. KINDRED_RANK_SILENCE: after how many seconds.
make_documents 1500 | "$kindred" index --db large.db - >/dev/null
"$kindred" tune --db large.db >/dev/null
"$kindred" tune --db large.db >/dev/null
cp large.db/kindred.tuning undisturbed
"$data/../attack/killed_rank.sh" "$kindred" large.db undisturbed 5 || fail "a rank that was killed"

# one that is stopped, as on a host that does not answer, too
# (on a busy machine the tuning may end before a rank is stopped, so more than one is tried)
stopped=
for _ in $(seq 5); do
  KINDRED_RANK_SILENCE=3 mpirun --oversubscribe -n 3 "$kindred" tune --db large.db --threads 1 \
    >"$out" 2>"$err" &
  job=$!
  while kill -0 $job 2>/dev/null && [ ! -e large.db/kindred.tuning-journal ]; do sleep 0.02; done
  stopped=$(pgrep -P $job -f tune | tail -1 || true)
  [ -z "$stopped" ] || kill -STOP "$stopped" 2>/dev/null || stopped=
  status=0
  wait $job || status=$?
  [ -z "$stopped" ] || [ $status = 0 ] || break
done
[ -n "$stopped" ] && [ $status != 0 ] || fail "no job with a stopped rank was ended"
grep -qE 'rank [012] on host .* is silent for [0-9]+ s; it did last: ' "$err" ||
  fail "nobody says which rank is silent"

# a rank that is killed while it trains a map
mpirun --oversubscribe -n 3 "$kindred" topics train --db large.db --threads 1 --epochs 1000000 \
  --progress always >"$out" 2>"$err" &
job=$!
while kill -0 $job 2>/dev/null && ! grep -q 'epoch 3 of' "$err"; do sleep 0.02; done
sleep 3  # ranks say twice a second what they do, and later on a busy machine
killed=$(pgrep -P $job -f topics | tail -1 || true)
[ -n "$killed" ] || fail "the job ended by itself"
kill -KILL "$killed"
! wait $job || fail "a job with a rank that was killed ended well"
grep -qE 'rank [012] on host .* has died; it did last: epoch [0-9]+ of a map' "$err" ||
  fail "nobody says which rank died"
