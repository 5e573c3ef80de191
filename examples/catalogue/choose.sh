#!/usr/bin/env bash
# Prints N records of a JSON Lines file: of packages that many people know, then of packages that are
# installed on this machine, then of all, evenly spread.
#
# usage: choose.sh N FILE
set -euo pipefail
number=${1:?usage: choose.sh N FILE}
file=${2:?usage: choose.sh N FILE}
known="firefox-esr thunderbird vlc inkscape calibre nginx postgresql rsync yt-dlp ripgrep
  chromium mutt borgbackup neovim apache2 php clamav hugo kitty jq git-lfs restic mariadb-server
  gimp libreoffice-writer git curl ffmpeg blender audacity"
{ dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 2>/dev/null || true; } |
  python3 -c '
import json, sys
number, path, known = int(sys.argv[1]), sys.argv[2], sys.argv[3].split()
installed = {line.split()[1] for line in sys.stdin if line.startswith("ii")}
with open(path, encoding="utf-8") as file:
    records = {json.loads(line)["id"]: line for line in file}
chosen = [id for id in known if id in records][:number]
for pool in (sorted(installed & records.keys() - {*chosen}), [*records]):
    more = min(number - len(chosen), len(pool))
    chosen += [pool[i * len(pool) // more] for i in range(more)]
sys.stdout.writelines(records[id] for id in chosen)
' "$number" "$file" "$known"
