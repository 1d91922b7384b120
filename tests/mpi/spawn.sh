#!/bin/sh
# Processes started by MPI_Comm_spawn: a trace of their own within that of who started them, or a line that says that there is none.
# An MPI that cannot start any (MPICH as Debian has it) fails with us as it does without.
# usage: spawn.sh RANKS...
. "$(dirname "$0")/lib.sh"
syncopate=$(dirname "$SYNCOPATE")/../bin/syncopate
program=$PROGRAMS/spawn

recorded_with_children() { # RANKS TIMES
    (export EXPECTED="$work/expected" && recorded_around "$1" "$program" "$2")
}

same_status() { # STATUS COMMAND...
    wanted=$1
    shift
    "$@"
    got=$?
    [ $got = "$wanted" ] || { echo "exit status $got, not $wanted"; return 1; }
}

same_rows() { # TRACE EXPECTED
    "$DUMP" rows "$1" >"$work/got" && LC_ALL=C sort -n "$2"/* >"$work/wanted" &&
        LC_ALL=C sort -n "$work/got" | diff "$work/wanted" -
}

all_complete() { # TRACE
    "$syncopate" report --format json "$1" >"$work/json" && ! grep -E '"incomplete": [1-9]|"unplaced_events": [1-9]' "$work/json"
}

fresh() {
    rm -rf "$work/expected" "$work/expected.spawned"
    mkdir "$work/expected" "$work/expected.spawned"
}

places() { # WANTED...: what was started, in the trace
    (cd "$trace" && for name in spawned-*; do [ -e "$name" ] && echo "$name"; done; true) >"$work/places"
    printf '%s\n' "$@" | sed '/^$/d' | diff - "$work/places"
}

report_says() { # TEXT
    COLUMNS=400 "$syncopate" report "$trace" >"$work/report" && grep -F "$1" "$work/report"
}

for ranks in "$@"; do
    mpi "$ranks" "$program" >"$work/bare" 2>&1
    bare=$?
    fresh
    check "$ranks ranks that start 3: exit status $bare, as without us" same_status $bare recorded_with_children "$ranks" 1
    check "  each call has its record" same_rows "$trace" "$work/expected"
    check "  communicators agree" "$DUMP" comms "$trace"
    check "  no instance lacks a member" all_complete "$trace"
    check "  it is whole" "$syncopate" check "$trace"
    if [ $bare != 0 ]; then
        check "  who was not started has no place" places
        continue
    fi
    check "  the started ones have a place" places spawned-0001
    check "  and a trace: each call has its record" same_rows "$trace/spawned-0001" "$work/expected.spawned"
    check "  communicators agree" "$DUMP" comms "$trace/spawned-0001"
    check "  no instance lacks a member" all_complete "$trace/spawned-0001"
    check "  it is whole" "$syncopate" check "$trace/spawned-0001"
    check "  the report says where" report_says "syncopate report $trace/spawned-0001"
    check "  again: what was there is kept" recorded_with_children "$ranks" 2
    check "  in one piece" "$syncopate" check "$trace.old/spawned-0001"
    check "  two places" places spawned-0001 spawned-0002
    check "  which are whole" "$syncopate" check "$trace/spawned-0002"
    # The library reaches the first ones only.
    check "without us in the started ones" recorded "$ranks" SYNCOPATE_SYNC_BUDGET=0.05 "$program" 1
    check "  a place that nobody took" places spawned-0001.part
    check "  it is said" said_once "1 of 1 calls of MPI_Comm_spawn"
    check "  also in the report" report_says "Processes of 1 call of MPI_Comm_spawn were not recorded"
    check "  no instance lacks a member" all_complete "$trace"
done
finish
