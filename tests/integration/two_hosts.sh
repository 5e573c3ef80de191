#!/usr/bin/env bash
# Two hosts on one machine, as network namespaces with names and addresses of their own, joined by a
# cable: mpirun runs on the host kindred-a and starts processes on kindred-b.
#
# usage: two_hosts.sh up                         makes them; 77 if this machine does not allow that
#        two_hosts.sh mpirun ARGUMENT...         as root; -host 10.77.N.1:2,10.77.N.2:2 are their names
#        two_hosts.sh down                       removes them
#        two_hosts.sh agent ADDRESS COMMAND...   what mpirun calls in place of ssh
# KINDRED_HOSTS: the N of their addresses, which also makes their names unique; default 77.
set -euo pipefail
number=${KINDRED_HOSTS:-77}
a=kindred-a$number b=kindred-b$number

# on HOST COMMAND...: in its namespaces
on() {
  local host=$1
  shift
  # shellcheck disable=SC2016
  ip netns exec "$host" unshare --uts sh -c 'hostname "$1"; shift; exec "$@"' sh "$host" "$@"
}

up() {
  ip netns add "$a" && ip netns add "$b" || return 1
  ip link add "v$number" netns "$a" type veth peer name "v$number" netns "$b" || return 1
  local host address=1
  for host in "$a" "$b"; do
    ip -n "$host" addr add "10.77.$number.$address/24" dev "v$number" || return 1
    ip -n "$host" link set "v$number" up && ip -n "$host" link set lo up || return 1
    address=2
  done
  on "$a" true
}

down() {
  ip netns del "$a" 2>/dev/null || true
  ip netns del "$b" 2>/dev/null || true
}

case ${1:?} in
  up) up || { down; exit 77; } ;;
  down) down ;;
  mpirun)
    shift
    on "$a" mpirun --mca plm_rsh_agent "$(realpath "$0") agent" --mca btl self,vader,tcp \
      --mca btl_tcp_if_include "10.77.$number.0/24" --mca oob_tcp_if_include "10.77.$number.0/24" "$@"
    ;;
  agent)
    shift 2  # the command is for the other host, whatever its name
    on "$b" sh -c "$*"
    ;;
  *) exit 2 ;;
esac
