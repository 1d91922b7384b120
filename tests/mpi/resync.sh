#!/bin/sh
# --resync: the clocks are measured in between, at the same places on all ranks. The injected clocks wander by far more than is
# assumed of real ones, so that interpolation from the run's begin to its end is wrong in between. That is judged where the
# clocks were measured: how often that happens, and how far apart, is up to how busy the machine is.
# usage: resync.sh CLOCK_ERROR COLLECTIVE_LOOP
. "$(dirname "$0")/lib.sh"
clock_error=$1
loop=$2
wander=seed=3,offset_ns=1e9,drift_ppm=20,wander_ns=60000,wander_period_s=4
median() { awk -v part="$1" '$1 == part { print $3 }' "$work/errors"; }
measured() { # of rank 0; at least so many
    count=$("$DUMP" meta sync.resync_count "$trace" | awk '$1 == 0 { print $2 }')
    echo "measured $count times"
    [ "$count" -ge "$1" ]
}
same_on_all() { "$DUMP" meta "$1" "$trace" | awk 'NR == 1 { first = $2 } $2 != first { exit 1 } END { exit NR < 2 }'; }
less_wrong() {
    "$clock_error" -s "$trace" >"$work/errors"
    cat "$work/errors"
    [ "$(($(median knots) * 2))" -lt "$(median chord)" ]
}

# On a machine with much else to do a measurement may take a second: then the run is longer.
every_tenth() { recorded 3 "SYNCOPATE_TEST_SKEW=$wander" SYNCOPATE_SYNC_BUDGET=0.1 SYNCOPATE_RESYNC=0.1 "$loop" "$1"; }
several() { measured 3 || { every_tenth 20 && measured 3; }; }
check "measured every 0.1 s" every_tenth 2
check "  several times" several
check "  as often on every rank" same_on_all sync.resync_count
check "  errors there are less than half of what they are without" less_wrong
sed 's/^/    /' "$work/check"

# All languages' wrappers, all collectives, calls that MPI refuses on one rank: agreed calls are the same ones everywhere.
for program in collectives communicators nonblocking; do
    check "$program, as often as it goes" recorded 3 SYNCOPATE_RESYNC=0.01 "$PROGRAMS/$program"
    check "  agreed on as often on every rank" same_on_all sync.resync_agreed_count
done
check "errors, as often as it goes" recorded 2 SYNCOPATE_RESYNC=0.01 "$PROGRAMS/wrong_arguments"
[ -x "$PROGRAMS/f08_all" ] && check "Fortran, as often as it goes" recorded 3 SYNCOPATE_RESYNC=0.01 "$PROGRAMS/f08_all"
check "with --align window" recorded 3 SYNCOPATE_RESYNC=0.01 SYNCOPATE_ALIGN=window "$PROGRAMS/align" 100
check "  measured" measured 1

check "nothing on MPI_COMM_WORLD to measure in" recorded 2 SYNCOPATE_RESYNC=0.05 "$PROGRAMS/pause" 200
check "  one line says so" said_once 'resync: no barrier'
check "a run shorter than the interval" recorded 2 SYNCOPATE_RESYNC=100 "$PROGRAMS/loop" 3
check "  says nothing of it" said_lines 2
finish
