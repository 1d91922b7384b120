#!/bin/sh
# Instructions that a wrapped call takes, by callgrind: the figure that no other load on the machine changes.
# usage: call_instructions.sh PROGRAM TWO_READS_LIBRARY LIBSYNCOPATE; PROGRAM is tests/bench/MPI/call_cost, or message_cost that an mpicc
# has compiled (SYNCOPATE_MESSAGES=events says that messages are events). Of one MPI at a time, without a launcher. The difference of
# two runs, so that what is done once (a call site's first walk) is not in it; and few enough calls for the first block of events, so
# that no pause is.
set -eu
program=$1 two_reads=$2 syncopate=$3
case $program in # `call_cost 2 N` makes 2.1 N of each call, `message_cost N` 2 N
*message_cost) calls='test exchange three' arguments='' few=300 many=600 more=600 ;;
*) calls='barrier allreduce' arguments=2 few=600 many=1200 more=1260 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SYNCOPATE_OUTPUT="$work/trace" SYNCOPATE_QUIET=1 SYNCOPATE_SYNC=none OMPI_MCA_btl=self

collected() { # FUNCTION COUNT [NAME=VALUE...]
    function=$1 count=$2
    shift 2
    env "$@" valgrind --tool=callgrind --callgrind-out-file="$work/out" --collect-atstart=no --toggle-collect="$function" \
        "$program" $arguments "$count" >"$work/said" 2>&1 || { cat "$work/said" >&2; exit 1; }
    awk '/^(summary|totals):/ { print $2; exit }' "$work/out"
}

instructions() { # FUNCTION [NAME=VALUE...]: per call
    function=$1
    shift
    of_few=$(collected "$function" $few "$@")
    of_many=$(collected "$function" $many "$@")
    echo "$of_few $of_many $more" | awk '{ printf "%.1f\n", ($2 - $1) / $3 }'
}

printf '%-11s %8s %14s %12s %12s %15s\n' call bare 'clock read x2' '--stack 0' 'with stacks' '--messages off'
for call in $calls; do
    bare=$(instructions "call_$call" LD_PRELOAD=)
    reads=$(instructions "call_$call" "LD_PRELOAD=$two_reads")
    none=$(instructions "call_$call" "LD_PRELOAD=$syncopate" SYNCOPATE_STACK=0)
    stacks=$(instructions "call_$call" "LD_PRELOAD=$syncopate")
    off=$(instructions "call_$call" "LD_PRELOAD=$syncopate" SYNCOPATE_MESSAGES=off)
    echo "$call $bare $reads $none $stacks $off" |
        awk '{ printf "%-11s %8.1f %+14.1f %+12.1f %+12.1f %+15.1f\n", $1, $2, $3 - $2, $4 - $2, $5 - $2, $6 - $2 }'
done
