# A disk that is full: each command that writes says so and ends with status 1, nothing is lost that
# was acknowledged, and the same command goes through once there is room.
#
# usage: full_disk_test.sh KINDRED [SIZES]     how many sizes of the room are tried; default 4
source "$(dirname "$0")/assert.sh"
need xapian-check
sizes=${2:-4}
mkdir disk
mount -t tmpfs -o size=128m tmpfs disk 2>/dev/null || skip "no disk can be mounted here"
trap 'umount -l "$work/disk" 2>/dev/null; rm -rf "$work"' EXIT
make_topics
"$kindred" topics train --db topics.db >/dev/null 2>&1
python3 - >many.jsonl <<'EOF2'
import json
for i in range(3000):
    print(json.dumps({"id": f"m{i}", "text": " ".join(f"word{i * k % 4999}" for k in range(40))}))
EOF2

# disk_with KB: the index, and so much room beside it
disk_with() {
  umount disk
  mount -t tmpfs -o size=128m tmpfs disk
  cp -r topics.db disk/db
  local used
  used=$(df --output=used -B1024 disk | tail -1)
  mount -o "remount,size=$((used + $1))k" disk
}

# writes ROOM COMMAND...: fails for want of room, or has enough; later it goes through
writes() {
  local room=$1 status=0 before
  shift
  disk_with "$room"
  before=$(documents disk/db)
  timeout 120 "$kindred" "$@" >"$out" 2>"$err" || status=$?
  if [ $status != 0 ]; then
    [ $status = 1 ] || fail "with room for $room KB '$*' exited with $status"
    grep -qE 'of room on its disk|No space left on device' "$err" || fail "no word of the room"
  fi
  xapian-check disk/db >"$out" 2>&1 || fail "with room for $room KB '$*' damaged the index"
  [ $status = 0 ] || [ "$(documents disk/db)" -ge "$before" ] || fail "documents were lost"
  [ -z "$(find disk -name '*.new-*')" ] || fail "an unfinished file was left"
  [ $status = 1 ] || return 0
  mount -o remount,size=128m disk
  expect 0 timeout 120 "$kindred" "$@"
}

# Above 16 MB there is room to begin; what is pending ends it, or nothing does.
for step in $(seq 0 $((sizes - 1))); do
  room=$((step * 24000 / sizes))
  writes "$room" index --db disk/db many.jsonl
  writes "$room" ingest --db disk/db "$data/held_out.jsonl"
  writes "$room" tag --db disk/db --all
  writes "$room" label rename --db disk/db space zzz
  writes "$room" delete --db disk/db moon-1
  writes "$room" topics assign --db disk/db
  writes "$room" tune --db disk/db
  writes "$room" topics train --db disk/db
  writes "$room" mirror --db disk/db
done
