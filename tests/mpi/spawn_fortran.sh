#!/bin/sh
# Processes started from Fortran: what they and those who start them record. As spawn.sh, which is the same from C and more.
# usage: spawn_fortran.sh PROGRAM...
. "$(dirname "$0")/lib.sh"

runs_recorded() { # PROGRAM
    (trace=$whole && export EXPECTED_RECORDS="$work/wanted" && recorded_around 2 "$PROGRAMS/$1")
}

same_records() { # RANK FILE
    awk -v rank="$1" '$1 == rank { print $2, $3, $4, $5 }' "$work/rows" >"$work/got"
    diff "$2" "$work/got"
}

judge() { # FIRST: what rank 0 of this trace says it is
    exported_rows >"$work/rows" || exit 1
    for rank in 0 1; do
        check "  $(wc -l <"$work/wanted/rank-$(($1 + rank))") records of rank $rank of $(basename "$trace")" same_records $rank \
            "$work/wanted/rank-$(($1 + rank))"
    done
}

whole=$trace
mpi 2 "$PROGRAMS/$1" >/dev/null 2>&1
bare=$?
[ $bare != 3 ] || { echo "skipped: this MPI cannot start processes"; exit 77; }
# (Open MPI 5.0.7's launcher has died by then.)
[ $bare -lt 128 ] || { echo "skipped: without us it ends with $bare"; exit 77; }
for program in "$@"; do
    rm -rf "$work/wanted" "$whole"
    mkdir "$work/wanted"
    check "$program runs recorded" runs_recorded "$program"
    trace=$whole
    judge 0
    for trace in "$whole/spawned-0001" "$whole/spawned-0002"; do judge 100; done
done
finish
