# What the help calls a default can be given, and gives the answer that comes without it: for every
# option of every command that has one. In a tuned index this holds of those defaults that no tuning
# decides.
source "$(dirname "$0")/assert.sh"
make_topics
"$kindred" topics train --db topics.db --rows 3 --columns 3 --epochs 2 >/dev/null
cp -r topics.db tuned.db
"$kindred" tune --db tuned.db >/dev/null
python3 - "$kindred" "$data/topics.jsonl" <<'PYTHON' || fail "not what the help calls a default"
import functools, json, re, shutil, subprocess, sys

KINDRED, RECORDS = sys.argv[1:]
# What each command needs beside --db.
COMMANDS = {
    "index": [RECORDS], "ingest": [RECORDS], "related": ["--id", "moon-1"],
    "classify": ["--id", "moon-1"], "evaluate": ["--folds", "4"], "geometry": [],
    "suspects": [], "candidates": ["space"], "duplicates": [], "tag": ["--all"],
    "tune": ["--dry-run"], "mirror": [], "status": [], "settings": [],
    "analyze": ["--text", "moon"], "export": [], "topics train": [], "topics show": [],
    "topics of": ["--id", "moon-1"], "topics assign": [], "topics map": ["--svg", "map.svg"],
    "topics export": ["--out", "exported"], "help": [], "show": ["moon-1"], "search": ["moon"],
    "delete": ["moon-1", "--dry-run"], "label list": [], "label remove": ["space", "--dry-run"],
    "label rename": ["space", "sky", "--dry-run"], "log": [], "review": [], "undo": ["--edit", "1", "--dry-run"], "vocabulary load": ["terms.csv"],
    "vocabulary show": [], "vocabulary search": ["sky"], "vocabulary remove": []}
with open("terms.csv", "w") as terms:
    terms.write("id,name\nspace,The sky\n")


def ask(*words):
    return subprocess.run([KINDRED, *words], capture_output=True, text=True)


def commands():
    """Those that the help names."""
    for parent in ["", "topics", "label", "vocabulary"]:
        listed = ask(*parent.split(), "--help").stdout.split("Subcommands:")[1].split("\n\n")[0]
        for name in re.findall(r"^  ([a-z]+)", listed, re.M):
            if name not in ["topics", "label", "vocabulary"]:
                yield f"{parent} {name}".strip()


def defaults(command):
    """The options of a command, what its help calls their default, and if a tuning may decide it."""
    for entry in re.split(r"^  (?=-)", ask(*command.split(), "--help").stdout, flags=re.M)[1:]:
        text = " ".join(entry.split("\n\n")[0].split())
        name = text.split()[0].split(",")[-1].split("[")[0]
        if name == "--set":  # has several: "epochs (passes over the documents; default 20), ..."
            yield from ((name, "=".join(key), False) for key in re.findall(r"(\w+) \([^)]*; default ([^\s;)]+)", text))
            continue
        tuned = re.search(r"default: as tuned, else ([^\s;]+)", text)
        found = tuned or re.search(r"default ([^\s;:]+)", text)
        if found:
            yield name, found[1], bool(tuned)


@functools.cache
def answer(index, command, *words):
    """Without what depends on the clock."""
    shutil.rmtree("asked.db", ignore_errors=True)
    shutil.copytree(index, "asked.db")
    database = [] if command in ("analyze", "help") else ["--db", "asked.db"]
    got = ask(*command.split(), *database, *words, *([] if command == "help" else ["--json"]))
    if got.returncode != 0:
        return got.stderr
    if command in ("settings", "help"):
        return ""
    drop = lambda pairs: {k: v for k, v in pairs if "seconds" not in k and k not in ("request", "time")}
    return [json.loads(line, object_pairs_hook=drop) for line in got.stdout.splitlines()]


if sorted(commands()) != sorted(COMMANDS):
    sys.exit(f"commands: {sorted(set(commands()) ^ set(COMMANDS))}")
tried, wrong = 0, []
for index, asked in [("topics.db", COMMANDS), ("tuned.db", ["classify", "candidates", "evaluate"])]:
    for command in asked:
        for name, value, tuned in defaults(command):
            if tuned and index == "tuned.db":
                continue
            expected = answer(index, command, *COMMANDS[command])
            given = [word for word in COMMANDS[command] if word != name] + [name, value]
            found = answer(index, command, *given)
            tried += 1
            if expected != found or isinstance(expected, str) and expected != "":
                wrong.append(f"{index}: {command} {name} {value}: {str(found)[:200]}, "
                             f"not {str(expected)[:200]}")
print(tried, "defaults")
sys.exit("\n".join(wrong) if wrong or tried < 100 else 0)
PYTHON
