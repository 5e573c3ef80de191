# What somebody else has put where Kindred keeps its files is neither followed, nor changed, nor
# deleted: links, folders, pipes, devices, and files of other users.
source "$(dirname "$0")/assert.sh"
make_topics
cp -r topics.db plain.db
"$kindred" tune --db topics.db >/dev/null 2>&1
"$kindred" topics train --db topics.db >/dev/null 2>&1
"$kindred" mirror --db topics.db >/dev/null
"$kindred" related --db topics.db --id moon-1 --json | timeless >right

# what must stay as it is: names, kinds, sizes, times and contents
mkdir victim
echo precious >victim/id_rsa
echo precious >victim/0123456789abcdef
state() { find victim "$@" -printf '%p %y %s %T@ %U %l\n' | sort; cat victim/*; }

mkdir pages

# put KIND PATH: something at a path where nothing is
kinds="link link-to-link link-to-nothing folder fifo"
[ "$(id -u)" != 0 ] || kinds+=" foreign-file foreign-folder"
[ "$(id -u)" != 0 ] || ! mknod probe c 1 3 2>/dev/null || kinds+=" device"
put() {
  local target=victim
  case $2 in *mirror) ;; *) target=victim/id_rsa ;; esac
  case $1 in
    link) ln -s "$work/$target" "$2" ;;
    link-to-link) ln -sfn "$work/$target" between && ln -s "$work/between" "$2" ;;
    link-to-nothing) ln -s "$work/nothing" "$2" ;;
    folder) mkdir "$2" && echo precious >"$2/0123456789abcdef0" ;;
    fifo) mkfifo "$2" ;;
    device) mknod "$2" c 1 3 ;;
    foreign-file) echo precious >"$2" && chown 65534 "$2" ;;
    foreign-folder) mkdir "$2" && echo precious >"$2/0123456789abcdef" && chown -R 65534 "$2" ;;
  esac
}

# refuses PATH KIND COMMAND...: a command that would write there says so, and touches nothing
refuses() {
  local path=$1 kind=$2 before status=0
  shift 2
  rm -rf "$path"
  put "$kind" "$path"
  before=$(state "$path")
  timeout 60 "$@" >"$out" 2>"$err" </dev/null || status=$?
  [ $status = 1 ] || fail "$kind at $path: '$*' exited with $status"
  errs "$path: "
  [ "$before" = "$(state "$path")" ] || fail "$kind at $path: '$*' changed something"
  [ ! -e nothing ] || fail "$kind at $path: '$*' wrote through a link"
  rm -rf "$path"
}

for kind in $kinds; do
  # the mirror, and in it
  [ "$kind" = folder ] || [ "$kind" = foreign-folder ] || rm -rf topics.db/kindred.mirror
  if [ "$kind" != folder ]; then
    refuses topics.db/kindred.mirror "$kind" "$kindred" mirror --db topics.db
    put "$kind" topics.db/kindred.mirror
    expect 0 timeout 60 "$kindred" related --db topics.db --id moon-1 --json
    timeless <"$out" | cmp - right || fail "$kind at the mirror gave another answer"
    rm -rf topics.db/kindred.mirror
  fi
  "$kindred" mirror --db topics.db >/dev/null
  refuses topics.db/kindred.mirror/list "$kind" "$kindred" mirror --db topics.db
  "$kindred" mirror --db topics.db >/dev/null
  part=$(find topics.db/kindred.mirror -name '????????????????' | head -1)
  refuses "$part" "$kind" "$kindred" mirror --db topics.db
  "$kindred" mirror --db topics.db >/dev/null

  # tuning, its absence, map and settings
  refuses plain.db/kindred.tuning "$kind" "$kindred" tune --db plain.db
  refuses plain.db/kindred.tuning "$kind" "$kindred" tune --db plain.db --remove
  refuses plain.db/kindred.tuning "$kind" "$kindred" related --db plain.db --id moon-1
  refuses plain.db/kindred.untuned "$kind" "$kindred" tune --db plain.db --remove
  refuses plain.db/kindred.som "$kind" "$kindred" topics train --db plain.db
  refuses plain.db/kindred.som "$kind" "$kindred" topics show --db plain.db
  refuses plain.db/kindred.toml "$kind" "$kindred" related --db plain.db --id moon-1

  # what a user names: other users' files in folders of others, and links
  case $kind in
    fifo | device | foreign-file) ;;
    *)
      refuses page.html "$kind" "$kindred" suspects --db topics.db --html page.html
      refuses page.html "$kind" "$kindred" evaluate --db topics.db --leave-one-out --html page.html
      refuses page.html "$kind" "$kindred" analyze --text moon --html page.html
      refuses page.html "$kind" "$kindred" topics map --db topics.db --html page.html
      refuses page.svg "$kind" "$kindred" topics map --db topics.db --svg page.svg
      refuses out.documents.csv "$kind" "$kindred" topics export --db topics.db --out out
      refuses out.units.csv "$kind" "$kindred" topics export --db topics.db --out out
      refuses out.topics.csv "$kind" "$kindred" topics export --db topics.db --out out
      refuses out.tsv "$kind" "$kindred" related --db topics.db --all --out out.tsv
      refuses pages/kindred.1 "$kind" "$kindred" help --files pages
      ;;
  esac
  refuses dead.jsonl "$kind" "$kindred" index --db new.db --dead-letters dead.jsonl "$data/topics.jsonl"
done

# with files in a folder elsewhere
mkdir elsewhere
for kind in $kinds; do
  "$kindred" tune --db topics.db --set index.directory=elsewhere >/dev/null 2>&1
  tuning=$(find elsewhere -name '*.kindred-tuning')
  refuses "$tuning" "$kind" "$kindred" tune --db topics.db --set index.directory=elsewhere
  "$kindred" mirror --db topics.db --set mirror.directory=elsewhere >/dev/null
  mirror=$(find elsewhere -name '*.kindred-mirror')
  [ "$kind" = folder ] ||
    refuses "$mirror" "$kind" "$kindred" mirror --db topics.db --set mirror.directory=elsewhere
  rm -rf elsewhere/*
done

# what somebody keeps in the folder of the mirror stays
"$kindred" mirror --db topics.db >/dev/null
echo note >topics.db/kindred.mirror/note.txt
ln -s "$work/victim/id_rsa" topics.db/kindred.mirror/fedcba9876543210
expect 0 "$kindred" mirror --db topics.db
[ -e topics.db/kindred.mirror/note.txt ] || fail "a note was deleted"
[ -L topics.db/kindred.mirror/fedcba9876543210 ] || fail "a link was deleted"

# an index of another user is not written to: Xapian's files would then belong to somebody else
if [ "$(id -u)" = 0 ]; then
  cp -r plain.db owned.db
  chown -R 65534 owned.db
  owner=$(id -un 65534 2>/dev/null || echo '#65534')
  before=$(find owned.db -type f -exec stat -c '%n %u %i %Y' {} + | sort)
  for command in "index $data/topics.jsonl" "ingest $data/topics.jsonl" "tag --all" \
    "tag moon-1 --add x" "label rename space stars" "delete moon-1" "tune" "tune --remove" \
    "topics train"; do
    # shellcheck disable=SC2086
    expect 1 "$kindred" $command --db owned.db
    errs "the index belongs to $owner"
    errs "sudo -u $owner"
  done
  "$kindred" classify --db owned.db --text 'the moon' >/dev/null
  [ "$before" = "$(find owned.db -type f -exec stat -c '%n %u %i %Y' {} + | sort)" ] ||
    fail "an index of another user was changed"

  # where a setting allows it, what root writes belongs to the owner of the index
  "$kindred" tune --db owned.db --set write.other_user=true >/dev/null 2>&1
  "$kindred" topics train --db owned.db --set write.other_user=true >/dev/null 2>&1
  "$kindred" mirror --db owned.db >/dev/null
  [ -z "$(find owned.db -name 'kindred.*' ! -uid 65534)" ] || fail "files belong to somebody else"
  [ -n "$(find owned.db/kindred.mirror -type f -uid 65534)" ] || fail "there is no mirror"
  expect 0 "$kindred" related --db owned.db --id moon-1 --verbose
  errs 'saved mirror: read 0 documents'
fi

# what a shell gives is written to: a pipe that somebody reads, standard output
expect 0 "$kindred" suspects --db topics.db --html /dev/stdout
says '</html>'
"$kindred" suspects --db topics.db --html >(cat >piped) >/dev/null
for _ in $(seq 100); do [ -s piped ] || sleep 0.05; done
grep -q '<html' piped || fail "a pipe got nothing"
