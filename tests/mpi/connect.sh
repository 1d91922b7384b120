#!/bin/sh
# Groups that meet by MPI_Comm_accept and MPI_Comm_connect: two of one world, and two programs with a trace each, where
# there is a server for them to find each other (Open MPI's ompi-server). An MPI that has no ports (MPICH as Debian has
# it) fails with us as it does without.
# usage: connect.sh RANKS...
. "$(dirname "$0")/lib.sh"
syncopate=$(dirname "$SYNCOPATE")/../bin/syncopate
program=$PROGRAMS/connect

same_status() { # STATUS COMMAND...
    wanted=$1
    shift
    "$@"
    got=$?
    [ $got = "$wanted" ] || { echo "exit status $got, not $wanted"; return 1; }
}

same_rows() { # TRACE EXPECTED
    cat "$2"/* >"$work/wanted" && [ -s "$work/wanted" ] && "$DUMP" rows "$1" | diff "$work/wanted" -
}

all_complete() { # TRACE
    "$syncopate" report --format json "$1" >"$work/json" && ! grep -E '"incomplete": [1-9]|"unplaced_events": [1-9]' "$work/json"
}

judge() { # TRACE EXPECTED
    check "  each call has its record" same_rows "$1" "$2"
    check "  communicators agree" "$DUMP" comms "$1"
    check "  no instance lacks a member" all_complete "$1"
    check "  it is whole" "$syncopate" check "$1"
}

side() { # NAME RANKS LIBRARY: one of two programs
    rm -rf "$work/$1.expected"
    mkdir "$work/$1.expected"
    timeout "${MPI_TIMEOUT:-120}" "$MPIRUN" --ompi-server "file:$work/server" -n "$2" env "LD_PRELOAD=$3" \
        "SYNCOPATE_OUTPUT=$work/$1" "EXPECTED=$work/$1.expected" SYNCOPATE_SYNC_BUDGET=0.05 "$program" "$1" "$work/port" \
        </dev/null >"$work/$1.said" 2>&1
}

two_programs() { # LIBRARY
    rm -f "$work/port"
    side accept 2 "$1" &
    side connect 1 "$1" || { wait; cat "$work"/*.said; return 1; }
    wait $! || { cat "$work"/*.said; return 1; }
}

serve() {
    for _ in $(seq 300); do
        [ -s "$work/server" ] && return 0
        sleep 0.1
    done
    return 1
}

# Open MPI 5.0.7 accepts now and then, and waits for ever otherwise.
bare=none
for _ in 1 2 3 4; do
    (MPI_TIMEOUT=20 && mpi 2 "$program") >"$work/bare" 2>&1
    status=$?
    [ $bare = none ] || [ $bare = $status ] || { echo "skipped: without us it ends now with $bare, now with $status"; exit 77; }
    bare=$status
done
for ranks in "$@"; do
    rm -rf "$work/expected"
    mkdir "$work/expected"
    check "$ranks ranks of one world: exit status $bare, as without us" same_status $bare recorded "$ranks" \
        "EXPECTED=$work/expected" SYNCOPATE_SYNC_BUDGET=0.05 "$program"
    judge "$trace" "$work/expected"
done
if [ $bare = 0 ] && [ "$MPI" = openmpi ] && command -v ompi-server >/dev/null; then
    ompi-server --no-daemonize -r "$work/server" >/dev/null 2>&1 &
    server=$!
    trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
    if serve && (MPI_TIMEOUT=40 && two_programs "" >/dev/null 2>&1); then
        check "two programs, recorded each" two_programs "${ASAN:+$ASAN }$SYNCOPATE"
        judge "$work/accept" "$work/accept.expected"
        judge "$work/connect" "$work/connect.expected"
    else
        echo "skipped: two programs, which do not find each other on this machine without us either"
    fi
fi
finish
