# What is printed on a terminal fits it, in columns of the terminal, not in characters or bytes.
source "$(dirname "$0")/assert.sh"
on_terminal() { env -u COLUMNS python3 "$data/../integration/terminal.py" "$@"; }

python3 - <<'EOF2'
import json
ids = ["plain", "日本語の記事", "e\u0301te\u0301", "한글", "👍🏽ok", "👩\u200d💻dev", "☎\ufe0fcall", "Ω", "ｆｕｌｌ"]
with open("wide.jsonl", "w") as file:
    for name in ids:
        print(json.dumps({"id": name, "title": "長い題名" * 12 + name, "labels": ["x"],
                          "terms": {"shared": 1}}), file=file)
    print('{"id": "other", "terms": {"else": 1}}', file=file)
EOF2
"$kindred" index --db wide.db wide.jsonl >/dev/null
cat >columns.py <<'EOF2'
"""The columns of the terminal that a line takes, by the widths that terminals give characters."""
import sys, unicodedata
def columns(text):
    total, joined = 0, False
    for c in text:
        if c == "\ufe0f":
            total += 1
        elif joined or unicodedata.category(c) in ("Mn", "Me", "Cf") or "\U0001f3fb" <= c <= "\U0001f3ff":
            pass
        else:
            total += 2 if unicodedata.east_asian_width(c) in "WF" else 1
        joined = c == "\u200d"
    return total
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")[:-1]
limit = int(sys.argv[2])
for line in lines:
    if limit and columns(line) > limit:
        sys.exit("%d columns, not %d: %s" % (columns(line), limit, line))
# the titles start in one column
starts = {columns(line.split("長")[0]) for line in lines if "長" in line}
if len(starts) != 1 or len(lines) < 9:
    sys.exit("titles start in %s" % starts)
EOF2

expect 0 on_terminal 60 "$kindred" related --db wide.db --id plain
python3 columns.py "$out" 60 || fail "the table does not fit the terminal"
says '…'
# $COLUMNS is what the user says
expect 0 on_terminal 200 env COLUMNS=50 "$kindred" related --db wide.db --id plain
python3 columns.py "$out" 50 || fail "the table does not fit COLUMNS"
# a terminal that is wide enough, and one that does not know how wide it is
for width in 200 0; do
  expect 0 on_terminal $width "$kindred" related --db wide.db --id plain
  python3 columns.py "$out" 0 || fail "the columns are not straight"
  ! grep -q '…' "$out" || fail "a table that fits is cut"
done
# in a pipe cells are whole, whatever COLUMNS says
expect 0 env COLUMNS=20 "$kindred" related --db wide.db --id plain
python3 columns.py "$out" 0 || fail "the columns are not straight in a pipe"
! grep -q '…' "$out" || fail "a table is cut in a pipe"
# a message goes on below
expect 2 on_terminal 50 "$kindred" related --db wide.db --id plain --backend none
! grep -q '.\{51\}' "$out" "$err" || fail "a message does not fit the terminal"
# too narrow for anything: it still ends
expect 0 on_terminal 5 "$kindred" related --db wide.db --id plain

# progress: the share that is done, on a terminal only, and not if it took less than two seconds
cat >ask.sh <<'EOF2'
"$1" related --db wide.db --ids-from <(sleep "$2"; printf 'plain\nΩ\n') --out related.tsv
EOF2
expect 0 on_terminal 80 bash ask.sh "$kindred" 2.6
says 'asked 0 of 2 documents, 0 %'
[ "$(wc -l <related.tsv)" = 2 ] || fail "progress got in the way"
expect 0 on_terminal 80 bash ask.sh "$kindred" 0
silent "$out"
expect 0 bash ask.sh "$kindred" 2.6
silent "$err"
expect 0 "$kindred" tag --db wide.db --all --dry-run --progress always
errs 'examined 10 of 10 documents, 100 %'

# Work that takes long says how far it is and how long it will take, on a terminal only. A pause
# makes it take longer than two seconds.
python3 - <<'EOF2'
import json, random
draw = random.Random(1)
with open("long.jsonl", "w") as file:
    for i in range(1500):
        label = i % 20
        words = [f"w{label}x{draw.randrange(20)}" for _ in range(8)]
        words += [f"w{draw.randrange(3000)}" for _ in range(40)]
        print(json.dumps({"id": str(i), "text": " ".join(words), "labels": [f"l{label}"]}), file=file)
EOF2
"$kindred" index --db long.db long.jsonl >/dev/null
cat >paused.sh <<'EOF2'
"$@" >paused.out &
has_begun() {  # it has opened the index, or has read more of the file than to know its form
  case $* in
    *.jsonl)
      local number
      number=$(find /proc/$!/fd -lname '*.jsonl' -printf '%f' 2>/dev/null)
      [ -n "$number" ] && awk '$1 == "pos:" && $2 > 300000 { found = 1 } END { exit !found }' /proc/$!/fdinfo/$number 2>/dev/null
      ;;
    *) ls -l /proc/$!/fd | grep -q 'long\.db' ;;
  esac
}
while kill -0 $! && ! has_begun "$@"; do sleep 0.01; done
kill -STOP $!
sleep 2.2
kill -CONT $!
wait $!
EOF2
seen() { tr '\r' '\n' <"$out" | grep -qE "$1" || fail "expected progress like '$1'"; }
long_work() {  # the progress that is seen, and its end; command
  expect 0 on_terminal 80 bash paused.sh "$kindred" "${@:3}"
  seen "$1"
  seen "$2"
  expect 0 bash paused.sh "$kindred" "${@:3}"
  silent "$out" "$err"
}
long_work 'leave-one-out, [0-9]+ %, [0-9]+ s left' 'the latest documents by the earlier ones, 100 % *$' \
  tune --db long.db --dry-run
"$kindred" tune --db long.db >/dev/null
long_work 'suspects: [0-9]+ so far, [0-9]+ %' ' so far, 100 % *$' suspects --db long.db
long_work 'evaluated [0-9]+ of 1500' '1500 of 1500 documents, 100 % *$' evaluate --db long.db --leave-one-out
# several times as long, so that much of it is left when it is paused
cat long.jsonl long.jsonl long.jsonl long.jsonl >longer.jsonl
long_work 'evaluated [0-9]+ documents' '6000 documents, 100 % *$' evaluate --db long.db --jsonl longer.jsonl
long_work 'classified [0-9]+ documents' '6000 documents, 100 % *$' classify --db long.db --jsonl longer.jsonl
rm long.db/kindred.tuning
expect 0 on_terminal 80 bash paused.sh "$kindred" classify --db long.db --all
seen 'leave-one-out, [0-9]+ %, [0-9]+ s left'
seen 'tuned on '
