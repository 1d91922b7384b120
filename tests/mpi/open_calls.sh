#!/bin/sh
# Ranks that wait for one that does not come: what each is inside is seen while they wait, in the trace after a SIGKILL of all, and
# in the recovered one. usage: open_calls.sh PROGRAM RANKS
. "$(dirname "$0")/lib.sh"
program=$1 ranks=$2
export SYNCOPATE_QUIET=1
mkdir "$work/pids"

# Print the open calls of `program` as dump_trace has them. The last rank is outside.
expected() {
    case $program in
    open_calls) echo "0 0 inside MPI_Barrier on dup 1 of MPI_COMM_WORLD #1 bytes 0" ;;
    *) echo "0 0 inside MPI_Allreduce on dup 1 of MPI_COMM_WORLD #1 bytes 8 MPI_MAXLOC value-and-index8" ;;
    esac
    cat <<END
1 0 inside MPI_Recv on dup 2 of MPI_COMM_WORLD from $((ranks - 1)) tag 5
2 0 inside MPI_Wait of MPI_Ibarrier on dup 3 of MPI_COMM_WORLD #1
3 0 inside MPI_Comm_split on dup 4 of MPI_COMM_WORLD #1
4 0 inside MPI_Finalize
END
    last=$((ranks - 1))
    case $program in
    open_calls) cat <<END
5 0 outside MPI_Bcast on dup $ranks of MPI_COMM_WORLD #0 bytes 4 root $last  integer4
5 1 inside MPI_Allreduce on dup 6 of MPI_COMM_WORLD #1 bytes 40 MPI_MAX floating-point8
6 0 inside MPI_Sendrecv on dup 7 of MPI_COMM_WORLD to $last tag 6 from any
7 0 inside MPI_Waitall to unknown from unknown
END
        ;;
    esac
    echo "$last 0 outside MPI_Bcast on dup $ranks of MPI_COMM_WORLD #0 bytes 4 root $last  integer4"
}

as_expected() {
    "$DUMP" open "$trace" >"$work/open" 2>&1
    diff "$work/expected" "$work/open"
}

come() { # as soon as all are where they are to be
    for _ in $(seq 300); do
        as_expected >"$work/difference" && return
        kill -0 "$launcher" 2>/dev/null || break
        sleep 0.1
    done
    cat "$work/difference"
    return 1
}

killed() {
    kill -KILL $(cat "$work"/pids/pid.*) $launcher
    wait $launcher
    [ ! -e "$trace/manifest" ]
}

recovered() {
    recover_ended && as_expected
}

expected >"$work/expected"
MPI_TIMEOUT=60 recorded "$ranks" "$PROGRAMS/$program" "$work/pids" >"$work/our" &
launcher=$!
check "all are seen inside their calls, live" come
check "killed" killed
check "the trace has what they were inside" as_expected
check "and so has the recovered one" recovered
finish
