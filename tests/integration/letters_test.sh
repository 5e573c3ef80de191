# The letters on the PNG of kindred topics map: those of any script, in the fonts of the machine.
source "$(dirname "$0")/assert.sh"
need python3 fc-list

# A map for each of these words, none of whose letters is an upright line as high as the word; and one
# like that for the other topic.
words=(さくら арбуз كتاب)
languages=(ja ru ar)
for i in "${!words[@]}"; do
  for n in 1 2 3 4 5 6; do
    printf '{"id": "%s", "text": "%s", "labels": ["%s"]}\n' "$n" "${words[i]}" "${words[i]}" "f$n" golf golf
  done >"${languages[i]}.jsonl"
  expect 0 "$kindred" index --db "${languages[i]}.db" "${languages[i]}.jsonl"
  expect 0 "$kindred" topics train --db "${languages[i]}.db" --rows 6 --columns 8 --topics 2
done

# Without fonts a number stands for the name, and the program says what to install.
mkdir no_fonts
printf '<?xml version="1.0"?><fontconfig><dir>%s</dir><cachedir>%s</cachedir></fontconfig>\n' \
  "$work/no_fonts" "$work/no_fonts" >fonts.conf
for language in "${languages[@]}"; do
  expect 0 env FONTCONFIG_FILE="$work/fonts.conf" "$kindred" topics map --db "$language.db" --png "no-$language.png" --color labels
  if grep -q 'was built without Pango' "$err"; then skip "the program was built without Pango"; fi
  errs "no-$language.png: 1 name is left out: no font of this machine has its letters"
done
errs '(Arabic); install fonts-noto-core'
expect 0 env FONTCONFIG_FILE="$work/fonts.conf" "$kindred" topics map --db ja.db --png no-ja.png
errs '(Hiragana); install fonts-noto-cjk'
expect 0 env FONTCONFIG_FILE="$work/fonts.conf" "$kindred" topics map --db ja.db --svg ja.svg
silent "$err"  # whoever shows it has the letters

# The ink of a name is dark and amid the color of its topic. Boxes that stand for letters would begin
# and end with a line as high as the name.
cat >letters.py <<'PYTHON'
import collections, struct, sys, zlib

def pixels(path):
    """The rows of a PNG of 24 bits, each a list of colors."""
    data = open(path, "rb").read()
    at, packed, width, height = 8, b"", 0, 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
            assert body[8:10] == b"\x08\x02", body
        packed += body if kind == b"IDAT" else b""
        at += size + 12
    raw, step, before, rows = zlib.decompress(packed), 3 * width + 1, bytearray(3 * width), []
    for y in range(height):
        kind, row = raw[y * step], bytearray(raw[y * step + 1:(y + 1) * step])
        for i in range(3 * width):
            left, up, corner = (row[i - 3], before[i], before[i - 3]) if i > 2 else (0, before[i], 0)
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            row[i] = row[i] + (0, left, up, (left + up) // 2, nearest)[kind] & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, 3 * width, 3)])
        before = row
    return rows

def next_color(line, colors):
    """Of each pixel of a line, the first of these colors at it or before it."""
    found, last = [], None
    for pixel in line:
        last = pixel if pixel in colors else last
        found.append(last)
    return found

rows = pixels(sys.argv[1])
topics = [c for c, _ in collections.Counter(p for row in rows for p in row if p != (255, 255, 255)).most_common(2)]
turned = list(zip(*rows))
around = [[next_color(row, topics) for row in rows], [next_color(row[::-1], topics)[::-1] for row in rows],
          list(zip(*(next_color(c, topics) for c in turned))),
          list(zip(*(next_color(c[::-1], topics)[::-1] for c in turned)))]
for topic in topics:
    dark = [(x, y) for y, row in enumerate(rows) for x, pixel in enumerate(row)
            if max(pixel) < 120 and all(side[y][x] == topic for side in around)]
    columns = collections.Counter(x for x, y in dark)
    high = max(y for x, y in dark) - min(y for x, y in dark) + 1
    across = max(columns) - min(columns) + 1
    assert high > 8 and across > 1.2 * high, f"no word: {across} x {high} pixels"
    assert max(columns.values()) < .85 * high, f"a line of {max(columns.values())} of {high} pixels: boxes?"
PYTHON
for i in "${!words[@]}"; do
  language=${languages[i]}
  [ -n "$(fc-list ":lang=$language:scalable=true" file)" ] || { echo "no font here has $language: not drawn"; continue; }
  expect 0 "$kindred" topics map --db "$language.db" --png "$language.png" --color topics
  silent "$err"
  expect 0 python3 letters.py "$language.png"
done

# Names that are ASCII are drawn alike wherever: without a look at the fonts.
make_topics
expect 0 "$kindred" topics train --db topics.db --rows 4 --columns 5
expect 0 "$kindred" topics map --db topics.db --png here.png
expect 0 env FONTCONFIG_FILE="$work/fonts.conf" "$kindred" topics map --db topics.db --png there.png
cmp here.png there.png || fail "another picture without fonts"
