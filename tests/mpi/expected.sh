#!/bin/sh
# A program that says what its records must be (expect.h), at several numbers of ranks.
# usage: expected.sh PROGRAM RANKS...
. "$(dirname "$0")/lib.sh"
program=$1
shift

same_rows() { # RANKS
    for rank in $(seq 0 $(($1 - 1))); do cat "$work/expected/$rank"; done >"$work/wanted"
    "$DUMP" rows "$trace" >"$work/got" && diff "$work/wanted" "$work/got"
}

all_whole() { # RANKS
    [ "$("$DUMP" ends "$trace" | grep -c ' finalize [0-9]* 0$')" = "$1" ]
}

for ranks in "$@"; do
    rm -rf "$work/expected"
    mkdir "$work/expected"
    check "$program runs recorded on $ranks" recorded "$ranks" "EXPECTED=$work/expected" SYNCOPATE_SYNC_BUDGET=0.05 \
        "$PROGRAMS/$program"
    check "  each call has its record" same_rows "$ranks"
    check "  communicators agree over ranks" "$DUMP" comms "$trace"
    check "  times are in order" "$DUMP" times "$trace"
    check "  every rank ended in MPI_Finalize" all_whole "$ranks"
    check "  one line at the start, one at the end" said_lines 2
done
finish
