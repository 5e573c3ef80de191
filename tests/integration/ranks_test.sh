# Maps that several processes train together, started by mpirun.
source "$(dirname "$0")/assert.sh"
need mpirun
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
  expect 1 ranks 2 topics train --db topics.db
  errs 'built without MPI'
  skip 'built without MPI'
fi

python3 - >collection.jsonl <<'PYTHON'
import json, random
random.seed(7)
for i in range(260):
    topic = random.randrange(5)
    words = [random.choice([f"shared{random.randrange(40)}x", f"topic{topic}w{random.randrange(25)}x"])
             for _ in range(14)]
    print(json.dumps({"id": f"d{i}", "text": " ".join(words), "labels": [f"label{topic}"]}))
PYTHON
"$kindred" index --db one.db collection.jsonl >/dev/null

# other commands are for one process, and so is a wrong command line
for command in 'status' 'tune' 'tag --all' 'topics assign'; do
  # shellcheck disable=SC2086
  expect 1 ranks 3 $command --db one.db
  [ "$(grep -c 'is for one process' "$err")" = 1 ] || fail "expected one message"
done
expect 2 ranks 3 topics train --start luck
[ "$(grep -c 'kindred: --start: expected one of' "$err")" = 1 ] || fail "expected one message"
expect 1 env SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=3 "$kindred" topics train --db one.db
errs 'started as 3 processes, but MPI knows of 1'

# maps have the same bytes as those of one process, but for the seconds that they took
map_of() { python3 "$data/../integration/map_bytes.py" "$1/kindred.som"; }
"$kindred" topics train --db one.db >/dev/null  # the metadata remember a map from now on
cp -r one.db many.db
expect 0 "$kindred" topics train --db one.db --rows 6 --columns 5
map_of one.db >map.first
expect 0 "$kindred" topics train --db one.db --resume
map_of one.db >map.resumed
for count in 1 3; do
  expect 0 ranks "$count" topics train --db many.db --rows 6 --columns 5 --threads $((count % 3 + 1))
  [ "$(grep -c 'on 30 units' "$out")" = 1 ] || fail "expected the report of one rank"
  map_of many.db | cmp - map.first || fail "$count ranks made another map"
  expect 0 ranks "$count" topics train --db many.db --resume --progress always
  [ "$(grep -c 'epoch 1 of' "$err")" = 1 ] || fail "expected the progress of one rank"
  map_of many.db | cmp - map.resumed || fail "$count ranks went on to another map"
done
expect 0 ranks 2 topics train --db many.db --rows 3 --columns 3
says 'on 9 units'

# ranks of indexes that differ are refused
cat >choose.sh <<'SHELL'
exec "$@" --db "rank$OMPI_COMM_WORLD_RANK.db"
SHELL
for rank in 0 1 2; do cp -r one.db rank$rank.db; done
"$kindred" ingest --db rank2.db "$data/unlabeled.jsonl" >/dev/null
expect 1 mpirun --oversubscribe -n 3 bash choose.sh "$kindred" topics train
errs 'rank 2 has another revision of the index than rank 0'
rm -r rank2.db
expect 1 mpirun --oversubscribe -n 3 bash choose.sh "$kindred" topics train
errs 'kindred: rank 2: '
errs 'rank2.db'

# a rank that is killed ends the job, and the map stays
map_of one.db >map.before
mpirun --oversubscribe -n 3 "$kindred" topics train --db one.db --threads 1 --epochs 1000000 \
  --progress always >"$out" 2>"$err" &
job=$!
while kill -0 $job 2>/dev/null && ! grep -q 'epoch 3 of' "$err"; do sleep 0.02; done
killed=$(pgrep -P $job -f topics | tail -1 || true)
[ -n "$killed" ] || fail "the job ended by itself"
kill -KILL "$killed"
! wait $job || fail "a job with a rank that was killed ended well"
map_of one.db | cmp - map.before || fail "the map changed"
