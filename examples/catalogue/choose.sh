#!/usr/bin/env bash
# Prints N records of a JSON Lines file, evenly spread: records of packages that are installed on
# this machine, or of all packages if fewer than N are installed.
#
# usage: choose.sh N FILE
set -euo pipefail
number=${1:?usage: choose.sh N FILE}
file=${2:?usage: choose.sh N FILE}
{ dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 2>/dev/null || true; } |
  python3 -c '
import json, sys
number, path = int(sys.argv[1]), sys.argv[2]
installed = {line.split()[1] for line in sys.stdin if line.startswith("ii")}
with open(path, encoding="utf-8") as file:
    records = [line for line in file]
own = [line for line in records if json.loads(line)["id"] in installed]
pool = own if len(own) >= number else records
for i in range(min(number, len(pool))):
    sys.stdout.write(pool[i * len(pool) // number])
' "$number" "$file"
