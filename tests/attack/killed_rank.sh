#!/usr/bin/env bash
# Kills a rank of a tuning at random moments, tunes again, and compares what is found with the tuning
# that an undisturbed run found. Prints how often a run went on from a journal.
#
# usage: killed_rank.sh KINDRED DATABASE TUNING [TIMES [RANKS]]
#   TUNING   the file that an undisturbed run stored
set -euo pipefail
kindred=$1 database=$2 tuning=$3 times=${4:-50} ranks=${5:-3}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
out=$(mktemp)
trap 'rm -f "$out"' EXIT

fail() {
  echo "killed_rank.sh: $*"
  cat "$out"
  exit 1
}

tune=(mpirun --oversubscribe -n "$ranks" "$kindred" tune --db "$database" --threads 1)
milliseconds() { date +%s%3N; }

start=$(milliseconds)
"${tune[@]}" >"$out" 2>&1 || fail "an undisturbed run fails"
takes=$(($(milliseconds) - start))
killed=0 resumed=0 named=0 hung=0
for ((i = 0; i < times; ++i)); do
  rm -f "$database/kindred.tuning"
  "${tune[@]}" >"$out" 2>&1 &
  job=$!
  delay=$((RANDOM % (takes * 3 / 4 + 1)))
  sleep "$((delay / 1000)).$(printf %03d $((delay % 1000)))"
  mapfile -t processes < <(pgrep -P "$job" -f tune || true)
  if [ ${#processes[@]} -gt 0 ]; then
    kill -KILL "${processes[RANDOM % ${#processes[@]}]}" 2>/dev/null || true
  fi
  # Some ends of a rank let mpirun 4.1 wait for itself without end, once all ranks are gone.
  for ((tenths = 0; tenths < 300; ++tenths)); do
    kill -0 "$job" 2>/dev/null || break
    sleep 0.1
  done
  hangs=
  if kill -0 "$job" 2>/dev/null; then
    hangs=yes
    for process in $(pgrep -P "$job" || true); do
      [[ $(ps -o stat= -p "$process") == Z* ]] || fail "run $i: a rank goes on after 30 s"
    done
    ((++hung))
    kill -KILL "$job" 2>/dev/null || true
  fi
  status=0
  wait "$job" 2>/dev/null || status=$?
  if [ $status -ne 0 ]; then
    ((++killed))
    # Before all ranks have met, only mpirun knows who died, and one that hangs does not say it.
    [ -n "$hangs" ] || grep -q 'mpirun noticed that process rank [0-9]* with PID' "$out" ||
      grep -q 'has died; it did last: ' "$out" || fail "run $i: nobody says which rank died"
    ! grep -q 'has died; it did last: ' "$out" || ((++named))
    [ ! -e "$database/kindred.tuning-journal" ] || ((++resumed))
  fi
  "${tune[@]}" >"$out" 2>&1 || fail "run $i fails after one that was killed"
  cmp "$database/kindred.tuning" "$tuning" || fail "run $i found another tuning"
  [ ! -e "$database/kindred.tuning-journal" ] || fail "run $i left its journal"
done
echo "$times runs of $ranks ranks: $killed were killed, $named of them named the rank, $resumed left a journal, $hung let mpirun hang"
