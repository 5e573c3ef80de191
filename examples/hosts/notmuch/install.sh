#!/usr/bin/env bash
# Lets notmuch tag new mail by Kindred: makes the hook post-new, or says what to add to one that is
# there. Mail that comes from now on is tagged.
#
# usage: install.sh
set -euo pipefail
program=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/kindred_notmuch.py
# cron, which may run notmuch new, has a short PATH
kindred=$(realpath "$(command -v "${KINDRED:-kindred}")") || {
  echo "there is no program ${KINDRED:-kindred}: install Kindred first" >&2
  exit 1
}
call="KINDRED=\"$kindred\" \"$program\""
hooks=$(notmuch config get database.hook_dir 2>/dev/null) || true
if [ -z "$hooks" ]; then
  echo "notmuch has no database: run 'notmuch setup' and 'notmuch new' first" >&2
  exit 1
fi
hook=$hooks/post-new
mkdir -p "$hooks"
"$program"
if [ ! -e "$hook" ]; then
  printf '#!/bin/sh\n%s\n' "$call" >"$hook"
  chmod +x "$hook"
  echo "made $hook"
elif ! grep -qF "$program" "$hook"; then
  echo "$hook is there already; add this line, before any that takes the tags of new mail off:"
  echo "$call"
fi
