#!/bin/sh
# The program's objects: the recorder sets no error handler on them and few attributes, one of which is called in MPI_Finalize.
. "$(dirname "$0")/lib.sh"

as_bare() { [ $our = $bare ] || { [ "$MPI" = openmpi ] && [ $our != 0 ] && [ $bare != 0 ]; }; }
# Does a bare run end now with one status, now with another? (MPICH 4.2 dies of such a call on an intercommunicator by itself.)
is_chance() { # CALLS
    for i in 1 2 3 4 5 6 7 8; do
        mpi 2 "$PROGRAMS/handlers" "$1" >/dev/null 2>&1
        again=$?
        [ $again = $bare ] || { echo "skipped: $1: a bare run ends with status $bare or $again"; return 0; }
    done
    return 1
}
# Status and output are those of a bare run. (Where ranks fail, Open MPI's launcher ends in one way or another.)
same() { # CALLS
    mpi 2 "$PROGRAMS/handlers" "$1" >"$work/out" 2>"$work/err"
    bare=$?
    sort "$work/out" >"$work/bare"
    recorded 2 "$PROGRAMS/handlers" "$1" >"$work/out"
    our=$?
    as_bare || { is_chance "$1" && return; } || { echo "status $bare bare, $our recorded"; return 1; }
    # (How far the other ranks come before a fatal error ends them is chance.)
    [ $bare != 0 ] || sort "$work/out" | diff "$work/bare" -
}
check "the handlers of all objects" same ""
check "a call on an intercommunicator that MPI refuses, its handler fatal" same i
check "calls on what MPI_COMM_WORLD was made into, before that got a handler that returns" same rwdsi

# Only a communicator that is used gets an attribute of ours.
frees() { recorded 1 "EXPECTED=$work" SYNCOPATE_SYNC_BUDGET=0.05 "$PROGRAMS/unseen_frees" 40 >"$work/out"; }
check "communicators are made and freed unused" frees
check "  of 44, the three that are used get an attribute" grep -x '0 unused, 3 used' "$work/out"

# Calls that the program makes after the end of the recording are counted, if MPI allows them.
late() {
    count=$(cat "$work/out")
    [ "$count" = 0 ] && said_lines 2 || said_once "in MPI_Finalize $count calls came behind the end"
}
calls_late() { recorded 2 LATE=1 "$PROGRAMS/finalize_calls" >"$work/out"; }
check "calls when the recording has ended" calls_late
check "  one line says how many" late
entered() { "$DUMP" meta finalize.ticks "$trace" | awk '$2 > 0 { n++ } END { exit n != 2 }'; }
check "  each rank says when it entered MPI_Finalize" entered
not_said() { ! grep "behind the end" "$work/said"; }
left_out() { recorded 2 LATE=1 SYNCOPATE_RANKS=1 "$PROGRAMS/finalize_calls" >"$work/out"; }
check "the same calls of a rank that is left out" left_out
check "  are not told of" not_said
finish
