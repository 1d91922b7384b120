#!/bin/sh
# However a run ends, it ends as it would have without us, and what was recorded is readable.
. "$(dirname "$0")/lib.sh"

# Bare first: exit status and output are what recording must not change.
same() { # RANKS COMMAND...
    mpi "$@" >"$work/bare" 2>/dev/null
    echo "$?" >"$work/bare.status"
    recorded "$@" >"$work/our"
    echo "$?" >"$work/our.status"
    for who in bare our; do grep -v 'PID [0-9]* RUNNING' "$work/$who" >"$work/$who.out"; done # MPICH's launcher on a crash
    diff "$work/bare.status" "$work/our.status" && diff "$work/bare.out" "$work/our.out"
}

ended() { # PATTERN MINIMUM: so many ranks at least ended like that, with all 10 events
    [ "$("$DUMP" ends "$trace" | grep -c " $1 10 0\$")" -ge "$2" ] || {
        "$DUMP" ends "$trace"
        ls -l "$trace"
        return 1
    }
}

readable() {
    "$DUMP" rows "$trace" >/dev/null
}

program=$PROGRAMS/endings
for how in finalize atexit fork thread; do
    check "$how ends as bare" same 2 "$program" "$how"
    check "  both ranks whole" ended finalize 2
    check "  two lines" said_lines 2
done
for how in return exit handler; do
    check "$how ends as bare" same 2 "$program" "$how"
    # The launcher may kill the other ranks once one has left like that.
    check "  what was recorded is there" ended exit 1
done
check "abort ends as bare" same 2 "$program" abort
check "  the rank that aborted is there" ended abort 1
check "a signal's death ends as bare" same 2 "$program" 'abort()'
check "  what is left can be read" readable
rm -rf "$trace"
check "the directory is removed meanwhile" same 2 env "REMOVE=$trace" "$program" remove
check "  that is said in one line" said_once 'cannot write'
finish
