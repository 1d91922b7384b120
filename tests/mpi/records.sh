#!/bin/sh
# A Fortran program that says what its records must be (expected_records.f90), at several numbers of ranks; by way
# of `syncopate export --format csv`.
# usage: records.sh PROGRAM RANKS...
. "$(dirname "$0")/lib.sh"
program=$1
shift

same_output() { # RANKS
    mpi "$1" "$PROGRAMS/$program" >"$work/bare.out" && cmp "$work/bare.out" "$work/recorded.out"
}

runs_recorded() { # RANKS
    recorded "$1" "EXPECTED_RECORDS=$work/wanted" SYNCOPATE_SYNC_BUDGET=0.05 "$PROGRAMS/$program" >"$work/recorded.out"
}

same_records() { # RANK
    awk -v rank="$1" '$1 == rank { print $2, $3, $4, $5 }' "$work/rows" >"$work/got"
    diff "$work/wanted/rank-$1" "$work/got"
}

# The first flag: a nonblocking collective whose completion was not seen.
all_completed() {
    ! awk '$6 % 2' "$work/rows" | grep .
}

for ranks in "$@"; do
    rm -rf "$work/wanted"
    mkdir "$work/wanted"
    check "$program runs recorded on $ranks" runs_recorded "$ranks"
    check "  its results and its output are those without us" same_output "$ranks"
    exported_rows >"$work/rows" || exit 1
    check "  what was started was seen to complete" all_completed
    for rank in $(seq 0 $((ranks - 1))); do
        check "  $(wc -l <"$work/wanted/rank-$rank") records of rank $rank: operation, size, bytes, root" same_records "$rank"
    done
done
finish
