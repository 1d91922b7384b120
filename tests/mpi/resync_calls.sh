#!/bin/sh
# --resync whatever the program calls, or does not: how well the clocks are known is no part of it (resync.sh).
. "$(dirname "$0")/lib.sh"

# All languages' wrappers, all collectives, calls that MPI refuses on one rank: agreed calls are the same ones everywhere.
for program in collectives communicators nonblocking; do
    check "$program, as often as it goes" recorded 3 SYNCOPATE_RESYNC=0.01 "$PROGRAMS/$program"
    check "  agreed on as often on every rank" same_on_all sync.resync_agreed_count
done
check "errors, as often as it goes" recorded 2 SYNCOPATE_RESYNC=0.01 "$PROGRAMS/wrong_arguments"
[ -x "$PROGRAMS/f08_all" ] && check "Fortran, as often as it goes" recorded 3 SYNCOPATE_RESYNC=0.01 "$PROGRAMS/f08_all"

check "nothing on MPI_COMM_WORLD to measure in" recorded 2 SYNCOPATE_RESYNC=0.05 "$PROGRAMS/pause" 200
check "  one line says so" said_once 'resync: no barrier'
check "a run shorter than the interval" recorded 2 SYNCOPATE_RESYNC=100 "$PROGRAMS/loop" 3
check "  says nothing of it" said_lines 2
finish
