#!/bin/sh
# What was started and not completed when a program is killed is in its trace, as never completed; what was completed is
# there once, as complete.
. "$(dirname "$0")/lib.sh"
export OMPI_MCA_odls_base_sigkill_timeout=0
command=$(dirname "$SYNCOPATE")/../bin/syncopate

# Every rank's events as "OPERATION FLAGS COUNT" are those given (the last of FLAGS 1: never completed).
holds() { # COUNT
    done=$((($1 + 2) / 3))
    cat >"$work/expected" <<END
MPI_Barrier_init complete 1
MPI_Barrier_init never 1
MPI_Comm_dup complete 1
MPI_Iallreduce complete $done
MPI_Iallreduce never $(($1 - done))
MPI_Ibarrier complete 2
MPI_Ibarrier never 1
END
    exported_rows >"$work/rows" 2>&1 || { cat "$work/rows"; return 1; }
    for rank in 0 1; do
        awk -v rank="$rank" '$1 == rank { print $2, ($6 % 2 ? "never" : "complete") }' "$work/rows" |
            LC_ALL=C sort | uniq -c | awk '{ print $2, $3, $1 }' | diff "$work/expected" - || return 1
    done
}

killed() { # COUNT
    rm -rf "$trace"
    recorded 2 "$PROGRAMS/pending" "$1" >"$work/our"
    [ ! -e "$trace/manifest" ] && [ -e "$trace/rank-000001.raw" ]
}

recovered() { # COUNT
    recover_ended && "$command" check "$trace" && holds "$1"
}

lost() { # COUNT: so many in all
    [ "$("$DUMP" ends "$trace" | awk '{ sum += $NF } END { print sum }')" = "$1" ] || {
        "$DUMP" ends "$trace"
        return 1
    }
}

for count in 30 3000; do # one block of places, and several
    check "$count: killed" killed $count
    check "  read as it lies" holds $count
    check "  nothing lost" lost 0
    check "  recovered" recovered $count
done
finish
