# Sourced by the tests of hosts.
# refused GARBAGE COMMAND...: the host refuses a file that is no database, by its name
refused() {
  garbage=$1
  shift
  echo 'no database' > "$garbage"
  if LD_PRELOAD=${HOST_PRELOAD-} "$@" "$garbage" ${questions-} 2> "$work/error"; then
    echo "the host opened a file that is not a database" >&2
    exit 1
  fi
  grep -q garbage "$work/error"
}
