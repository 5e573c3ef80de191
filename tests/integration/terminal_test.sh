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
