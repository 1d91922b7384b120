#!/bin/sh
# What a call costs from many call sites, and on many paths to one: bare, without and with call stacks; processor time, the least of
# several rounds; and what a call takes more whose stack is new, all of them on average. usage: stack_cost.sh PROGRAM LIBSYNCOPATE LAUNCHER [COUNT...]
set -eu
program=$(realpath "$1") syncopate=$(realpath "$2") launcher=$3
shift 3
[ $# -gt 0 ] || set -- 10 100 1000 10000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 SYNCOPATE_QUIET=1 SYNCOPATE_SYNC=none SYNCOPATE_OUTPUT="$work/trace"
cd "$work"
cost() { # KIND COUNT NAME=VALUE...
    kind=$1 count=$2
    shift 2
    "$launcher" -n 1 env "$@" "$program" "$kind" "$count" 200000 9 | awk "/^stack_cost/ { print \$4, \$5 }"
}
printf '%-6s %6s %8s %10s %12s %10s\n' '' count bare 'added' 'with stacks' 'a new one'
for kind in sites paths; do
    for count in "$@"; do
        bare=$(cost $kind "$count" LD_PRELOAD=)
        without=$(cost $kind "$count" LD_PRELOAD="$syncopate" SYNCOPATE_STACK=0)
        with=$(cost $kind "$count" LD_PRELOAD="$syncopate")
        echo "$kind $count $bare $without $with" | awk '{ printf "%-6s %6d %8.1f %10.1f %12.1f %10.0f\n", $1, $2, $3, $5 - $3, $7 - $3, $8 - $4 }'
    done
done
