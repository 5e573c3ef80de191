# Commands that processes on two hosts share. The hosts are network namespaces with names of their
# own (two_hosts.sh), and both see the same file system.
source "$(dirname "$0")/assert.sh"
need mpirun ip unshare
[[ $(ldd "$kindred") == *libmpi* ]] || skip 'built without MPI'
[ "$(id -u)" = 0 ] || skip 'only root makes network namespaces'
hosts=$(realpath "$data/../integration/two_hosts.sh")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export KINDRED_HOSTS=$((RANDOM % 200 + 20))
trap '"$hosts" down; rm -rf "$work"' EXIT
"$hosts" up >"$out" 2>"$err" || skip "this machine has no network namespaces: $(tail -1 "$err")"
a=kindred-a$KINDRED_HOSTS b=kindred-b$KINDRED_HOSTS
on_both=(timeout 120 "$hosts" mpirun -n 3 --oversubscribe
  -host "10.77.$KINDRED_HOSTS.1:1,10.77.$KINDRED_HOSTS.2:2")

expect 0 "${on_both[@]}" hostname
[ "$(sort "$out" | uniq -c | awk '{print $2 ":" $1}' | xargs)" = "$a:1 $b:2" ] ||
  skip "processes do not start on both hosts: $(xargs <"$out")"

python3 - >collection.jsonl <<'PYTHON'
import json, random
random.seed(11)
for i in range(1500):
    topic = random.randrange(5)
    words = [random.choice([f"shared{random.randrange(400)}x", f"topic{topic}w{random.randrange(90)}x"])
             for _ in range(40)]
    print(json.dumps({"id": f"d{i}", "text": " ".join(words), "labels": [f"label{topic}"]}))
PYTHON
"$kindred" index --db one.db collection.jsonl >/dev/null
"$kindred" tune --db one.db >/dev/null
"$kindred" tune --db one.db >/dev/null
cp -r one.db many.db
cp -r one.db tagged.db

rm many.db/kindred.tuning
expect 0 "${on_both[@]}" "$kindred" tune --db many.db --threads 1
cmp one.db/kindred.tuning many.db/kindred.tuning || fail "two hosts found another tuning"
"$kindred" evaluate --db one.db --leave-one-out --json | sed 's/"seconds":[^,}]*//' >evaluation
expect 0 "${on_both[@]}" "$kindred" evaluate --db many.db --leave-one-out --json
sed 's/"seconds":[^,}]*//' "$out" | cmp - evaluation || fail "two hosts measured something else"
expect 0 "${on_both[@]}" "$kindred" tag --db tagged.db --all --json
json 'j["examined"] == 1500'

# in_journal COMMAND...: runs it once the tuning of many.db has a journal
in_journal() {
  rm -f many.db/kindred.tuning
  "${on_both[@]}" -x KINDRED_RANK_SILENCE "$kindred" tune --db many.db --threads 1 >"$out" 2>"$err" &
  job=$!
  for _ in $(seq 600); do
    [ ! -e many.db/kindred.tuning-journal ] || break
    sleep 0.02
  done
  "$@"
  status=0
  wait $job || status=$?
}
resumes() {
  expect 0 "${on_both[@]}" "$kindred" tune --db many.db --threads 1
  cmp one.db/kindred.tuning many.db/kindred.tuning || fail "a resumed run found another tuning"
}

# the kindred processes of host b
processes_of_b() {
  local process
  for process in $(ip netns pids "$b"); do
    [ "$(readlink "/proc/$process/exe")" != "$kindred" ] || echo "$process"
  done
}
kill_on_b() { kill -KILL "$(processes_of_b | tail -1)"; }
in_journal kill_on_b
[ $status -ne 0 ] || fail "a job without one of its ranks ended well"
grep -qE "rank [12] on host $b has died; it did last: " "$err" || fail "nobody names the rank that died"
resumes

# The cable is cut: the silent host is named, and the processes of the other one end. mpirun itself
# waits for minutes for the daemon that it started there.
cut_cable() {
  ip -n "$b" link set "v$KINDRED_HOSTS" down
  for _ in $(seq 300); do
    ! grep -q 'is silent for' "$err" || break
    sleep 0.1
  done
  sleep 0.5
  left=$(for process in $(ip netns pids "$a"); do readlink "/proc/$process/exe"; done |
    grep -c "$kindred" || true)
  for process in $(ip netns pids "$a"); do kill -KILL "$process" 2>/dev/null || true; done
}
export KINDRED_RANK_SILENCE=2
in_journal cut_cable
grep -qE "rank [12] on host $b is silent for [0-9]+ s; it did last: " "$err" ||
  fail "nobody names the host that is silent"
[ "$left" = 0 ] || fail "$left processes on $a go on"
for process in $(ip netns pids "$b"); do kill -KILL "$process" 2>/dev/null || true; done
ip -n "$b" link set "v$KINDRED_HOSTS" up
unset KINDRED_RANK_SILENCE
resumes
