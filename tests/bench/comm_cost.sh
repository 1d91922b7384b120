#!/bin/sh
# What making and freeing a communicator costs, bare and recorded (with call stacks), and their ratio.
# usage: comm_cost.sh PROGRAM LIBSYNCOPATE LAUNCHER [RANKS [ROUNDS]]
# The two take turns, ROUNDS times (default 9); each figure is the median over rounds of the program's own median, and
# the ratio the median of the rounds' ratios.
set -eu
program=$1 syncopate=$2 launcher=$3 ranks=${4:-2} rounds=${5:-9}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export SYNCOPATE_OUTPUT="$work/trace" SYNCOPATE_QUIET=1 SYNCOPATE_SYNC=none

run() { # PRELOAD: "CALL NS" lines
    "$launcher" -n "$ranks" env "LD_PRELOAD=$1" "$program" 11 300
}
for round in $(seq "$rounds"); do
    run "" >"$work/bare"
    run "$syncopate" >"$work/recorded"
    paste -d' ' "$work/bare" "$work/recorded" | awk '{ print $1, $2, $4, $4 / $2 }' >>"$work/figures"
done

median() { # CALL COLUMN
    awk -v call="$1" -v column="$2" '$1 == call { print $column }' "$work/figures" | sort -n |
        awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'
}
printf '%-12s %8s %12s %8s\n' "$ranks ranks" 'bare ns' 'recorded ns' ratio
for call in dup_self dup_world split_world; do
    printf '%-12s %8.0f %12.0f %8.2f\n' $call "$(median $call 2)" "$(median $call 3)" "$(median $call 4)"
done
