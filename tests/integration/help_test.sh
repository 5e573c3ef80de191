# Help, suggestions for slips, man pages and completion: all from the same descriptions.
source "$(dirname "$0")/assert.sh"
on_terminal() { env -u COLUMNS python3 "$data/../integration/terminal.py" "$@"; }

# kindred help is --help
same_help() { # COMMAND...
  "$kindred" "$@" --help >asked
  expect 0 "$kindred" help "$@"
  cmp -s asked "$out" || fail "'help $*' is not '$* --help'"
}
same_help
same_help related
same_help topics train
expect 2 "$kindred" help nonsense
errs "there is no command 'nonsense'"

expect 2 "$kindred"
says 'Subcommands:'

# lines go on below the text of their column
COLUMNS=60 "$kindred" tag --help >"$out"
says '  --wait SECONDS          Seconds to wait where another'

# a database that is not named: that of the environment, else .kindred in a folder above
make_topics
KINDRED_DB=topics.db expect 0 "$kindred" status
says '40'
mkdir -p below/further
(cd below/further && ! "$kindred" status >/dev/null 2>"$err")
errs '--db is required'
mv topics.db .kindred
(cd below/further && "$kindred" related --id moon-1 >"$out")
says 'moon-2'
mv .kindred topics.db

# --wait: how long a writer waits for another
hold_lock topics.db
locked_out "$kindred" tag --db topics.db --all --wait 0
"$kindred" tag --db topics.db --all --wait 60 >/dev/null 7>&- &
release_lock
wait $! || fail "--wait does not wait"

# slips: exit status 2, and what was meant
meant() { # WORD COMMAND-LINE...
  expect 2 "$kindred" "${@:2}"
  errs "did you mean '$1'?"
  silent "$out"
}
meant status staus
meant evaluate eval
meant 'topics train' train
meant train topics trian --db x.db
meant topics help topcis
meant --verbose status --db x.db --vebose
meant --min-confidence classify --db x.db --text x --min-confidense=0.5
meant --json status --db x.db -json
expect 2 "$kindred" status --db x.db --nonsense
errs "there is no option '--nonsense'"
! grep -q 'did you mean' "$err" || fail "a suggestion for nonsense"

# man pages: one for each command, with each of its options, which roff formats without a warning
mkdir pages
expect 0 "$kindred" help --files pages
silent "$out"
expect 1 "$kindred" help --files absent
errs 'absent/kindred.1: cannot be written'
if command -v groff >/dev/null; then
  groff -man -Tutf8 -ww pages/*.1 >formatted 2>warnings || fail "groff cannot format the pages"
  silent warnings
  grep -q 'rockets to the moon' formatted || fail "the examples are not in the pages"
fi

# completion in bash and fish; the scripts of the shells call the program by its name
scripts=$data/../../plugin/cli/completion
PATH=$(dirname "$kindred"):$PATH
bash -n "$scripts/kindred"
bash_line() { # LINE: what may stand for its last word
  bash -c 'source "$1"
    eval "COMP_WORDS=($2)"
    [[ $2 != *" " ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _kindred
    printf "%s\n" "${COMPREPLY[@]}"' bash "$scripts/kindred" "$1" >"$out" 2>"$err"
  silent "$err"
}
fish_line() { # LINE, too, with descriptions; fish 4 lists options that hold the letters further behind
  HOME=$PWD fish --no-config -c 'source $argv[1]; complete -C $argv[2]' -- "$scripts/kindred.fish" "$1" >"$out" 2>"$err"
  silent "$err"
}
touch 'a file.toml'
for shell in bash fish; do
  command -v $shell >/dev/null || continue
  while IFS='|' read -r line wanted; do
    ${shell}_line "$line"
    [ $shell = bash ] || sed -i 's/\t.*//; 1q' "$out"
    [ "$(cat "$out")" = "$wanted" ] || fail "$shell: '$line' is not completed to '$wanted'"
  done <<'LINES'
kindred top|topics
kindred topics m|map
kindred related --fi|--filter
kindred classify --db topics --vote sim|similarity
kindred related --id |
kindred status --config a\ f|a file.toml
kindred index a\ f|a file.toml
kindred help sus|suspects
LINES
done
bash_line 'kindred '
for command in index topics help; do says "$command"; done
bash_line 'kindred classify --vote = ma'
says majority
bash_line 'kindred classify --vote ='
says majority
if command -v fish >/dev/null; then
  fish_line 'kindred top'
  says named
  fish_line 'kindred classify --vote=sim'
  says --vote=similarity
fi

# completion in zsh, typed into a terminal
zsh_line() { # LINE WANTED: after a tab the line holds WANTED
  HOME=$PWD timeout 60 zsh -f -c 'zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "PS1= PS2= TERM=dumb; unset zle_bracketed_paste; fpath=($3 \$fpath); autoload -U compinit; compinit -u -D"
    zpty -w shell "print -r -- rea""dy"
    zpty -r shell line "*ready*"
    zpty -w -n shell "$1"$'"'\\t'"'
    zpty -r shell line "*$2*"' zsh "$1" "$2" "$scripts" || fail "zsh: '$1' is not completed to '$2'"
}
if command -v zsh >/dev/null; then
  zsh -n "$scripts/_kindred"
  zsh_line 'kindred top' 'kindred topics '
  zsh_line 'kindred topics m' 'kindred topics map '
  zsh_line 'kindred classify --db topics --vote sim' 'similarity '
  zsh_line 'kindred related --fi' '--filter'
  zsh_line 'kindred index a' 'a\ file.toml'
  zsh_line 'kindred help sus' 'suspects'
fi

# Every command has its page, and every option stands on it and is completed: no more, and no less than
# the parser takes. Lines of the help fit a terminal, and 80 columns in a pipe.
{
  printf 'kindred\n'
  for command in '' topics; do
    # shellcheck disable=SC2086
    "$kindred" $command --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p' |
      sed "s/^/kindred${command:+ $command} /"
  done
} >commands
[ "$(wc -l <commands)" -ge 23 ] || fail "commands are missing in the help"
while read -r _ command; do
  # shellcheck disable=SC2086
  "$kindred" $command --help >page
  for columns in 60 80; do
    # shellcheck disable=SC2086
    on_terminal $columns "$kindred" $command --help >shown
    [ "$(wc -L <shown)" -le $columns ] || fail "'$command --help' is wider than $columns" >&2
  done
  cmp -s page shown || fail "'$command --help' is not of 80 columns in a pipe" >&2
  grep -oE '^  -[-a-z,]+' page | tr -d ' ' | tr , '\n' | grep '^--' |
    sed "s/^/kindred${command:+ $command}: /"
done <commands | sort >parsed
while read -r _ command; do
  # shellcheck disable=SC2086
  "$kindred" --complete $command -- | cut -f 1 | grep '^--' | sed "s/^/kindred${command:+ $command}: /"
done <commands | sort >completed
diff parsed completed || fail "completion: other options than those of the parser"
while read -r command; do
  sed 's/\\-/-/g' "pages/${command// /-}.1" | grep -oE '^  -[-a-z,]+' | tr -d ' ' | tr , '\n' |
    grep '^--' | sed "s/^/$command: /"
done <commands | sort >in_manual
diff parsed in_manual || fail "man pages: other options than those of the parser"
