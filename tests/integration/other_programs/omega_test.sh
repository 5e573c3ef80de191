# Omega, Xapian's CGI search program, finds and shows documents that kindred wrote.
source "$(dirname "$0")/../assert.sh"
omega=${KINDRED_OMEGA:-/usr/lib/cgi-bin/omega/omega}
[ -x "$omega" ] || skip "omega is not installed"
mkdir -p databases templates log
"$kindred" index --db databases/default "$data/topics.jsonl" >/dev/null
cat >omega.conf <<EOF2
database_dir $work/databases
template_dir $work/templates
log_dir $work/log
cdb_dir $work
EOF2
cat >templates/query <<'EOF2'
$setmap{boolprefix,label,K}$msize matches
$hitlist{hit $id|$field{id}|$field{title}|$field{sample}|$list{$field{label},+}|$field{url}
}
EOF2
search() { OMEGA_CONFIG_FILE=$work/omega.conf "$omega" "$@" >"$out" 2>"$err" || fail "omega failed"; }

search 'P=lunar orbit'
says '|moon-1|Apollo lands on the Moon|The lunar module carried two astronauts'
says '|space|https://example.org/moon-1'
search 'P=telescopes' # stemmed
says '|telescope-1|'
search 'P=oven' 'B=Kscience' # a filter by tag
says '1 matches'
says '|cake-2|'
says 'cooking'
search 'P="football league"'
says '|league-1|'
search 'P=' 'B=Ksport'
says '10 matches'
