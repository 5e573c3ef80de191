# Errors tell a database that may not be read from one that does not exist.
source "$(dirname "$0")/assert.sh"
make_topics

# without CAP_DAC_OVERRIDE even root has to keep to permissions
limited=()
if [ "$(id -u)" = 0 ]; then
  need setpriv
  limited=(setpriv --bounding-set=-dac_override,-dac_read_search)
fi
denied() {
  expect 1 "${limited[@]}" "$kindred" "$@"
  errs 'ermission denied'
  ! grep -q 'no such database' "$err" || fail "it says that there is none"
  silent "$out"
}
cp -r topics.db closed.db
mkdir folder
cp -r topics.db folder/inside.db
cp topics.db/iamglass file.db
chmod 000 closed.db folder file.db
for db in closed.db folder/inside.db file.db; do
  for command in status 'related --id moon-1' 'classify --text moon' 'tag --all' 'tune' 'tune --remove' 'topics train' \
    'topics show' 'tag --id moon-1 --opt-out' "ingest $data/unlabeled.jsonl"; do
    # shellcheck disable=SC2086
    [ "$db $command" = "file.db tune --remove" ] || denied $command --db "$db"
  done
done
chmod 700 closed.db folder file.db
chmod 000 topics.db/postlist.glass
denied status --db topics.db
chmod 600 topics.db/postlist.glass
chmod 000 topics.db/iamglass
denied status --db topics.db
chmod 600 topics.db/iamglass
expect 0 "${limited[@]}" "$kindred" status --db topics.db
expect 1 "$kindred" status --db topics.db/iamglass/x
errs 'no such database'
