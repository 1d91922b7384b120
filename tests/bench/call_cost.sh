#!/bin/sh
# What a wrapped call costs: bare, with a wrapper that only reads the clock twice, with syncopate without and with call stacks.
# usage: call_cost.sh PROGRAM TWO_READS_LIBRARY LIBSYNCOPATE LAUNCHER [ROUNDS]
# The variants take turns, ROUNDS times (default 7), so that a busy moment hits all of them; each figure is the median
# over rounds of the program's own median.
set -eu
program=$1 two_reads=$2 syncopate=$3 launcher=$4 rounds=${5:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export SYNCOPATE_OUTPUT="$work/trace" SYNCOPATE_QUIET=1 SYNCOPATE_SYNC=none

run() { # VARIANT [NAME=VALUE...]: appends "VARIANT CALL NS" lines
    variant=$1
    shift
    "$launcher" -n 1 env "$@" "$program" 21 10000 | sed "s/^/$variant /" >>"$work/figures"
}

for round in $(seq "$rounds"); do
    run bare LD_PRELOAD=
    run two-reads "LD_PRELOAD=$two_reads"
    run stack-0 "LD_PRELOAD=$syncopate" SYNCOPATE_STACK=0
    run stacks "LD_PRELOAD=$syncopate"
done

median() { # VARIANT CALL
    awk -v v="$1" -v c="$2" '$1 == v && $2 == c { print $3 }' "$work/figures" | sort -n |
        awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'
}

printf '%-11s %-28s %9s %9s %16s\n' call variant 'ns a call' 'ns added' 'of two reads'
for call in barrier allreduce; do
    bare=$(median bare $call)
    reads=$(median two-reads $call)
    for variant in bare two-reads stack-0 stacks; do
        ns=$(median $variant $call)
        case $variant in
        bare) text='bare' ;;
        two-reads) text='clock read twice' ;;
        stack-0) text='syncopate --stack 0' ;;
        stacks) text='syncopate, with call stacks' ;;
        esac
        awk -v call=$call -v text="$text" -v ns="$ns" -v bare="$bare" -v reads="$reads" 'BEGIN {
            printf "%-11s %-28s %9.1f %9.1f %15.2fx\n", call, text, ns, ns - bare,
                   (reads > bare ? (ns - bare) / (reads - bare) : 0) }'
    done
done
