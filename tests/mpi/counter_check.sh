#!/bin/sh
# The judge judged: what count_pmpi.c counts is what the Fortran programs say they call, in every language.
# usage: counter_check.sh PROGRAM RANKS...
. "$(dirname "$0")/lib.sh"
program=$1
shift

counted() { # RANKS
    mpi "$1" env "LD_PRELOAD=$COUNTER" "COUNT_PMPI_OUTPUT=$work/counts" "EXPECTED_RECORDS=$work/said_so" "$PROGRAMS/$program"
}

same_counts() {
    for file in "$work"/said_so/rank-*; do
        awk -v rank="${file##*-}" '{ count[$1]++ } END { for (op in count) print rank, op, count[op] }' "$file"
    done | LC_ALL=C sort >"$work/wanted"
    cat "$work"/counts/rank-* | LC_ALL=C sort >"$work/got"
    [ -s "$work/wanted" ] && diff "$work/wanted" "$work/got"
}

for ranks in "$@"; do
    rm -rf "$work/counts" "$work/said_so"
    mkdir "$work/counts" "$work/said_so"
    check "$program runs under the counter on $ranks" counted "$ranks"
    check "  each call is counted once" same_counts
done
finish
