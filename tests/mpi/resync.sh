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
measured() { # of rank 0; at least so many, where the loop went round as often as it may in a tenth of the time
    count=$("$DUMP" meta sync.resync_count "$trace" | awk '$1 == 0 { print $2 }')
    rounds=$(awk '$1 == "iterations" { print $2 }' "$work/rounds")
    echo "measured $count times in $rounds rounds"
    [ "$count" -lt "$1" ] || return 0
    [ "$count" -gt 0 ] && [ "${rounds:-400}" -lt 400 ] &&
        echo "skipped: whether clocks are measured often: the loop went round $rounds times in 4 s"
}
# Measurements that the machine disturbed know so themselves, by their bounds.
less_wrong() {
    "$clock_error" -s "$trace" >"$work/errors"
    cat "$work/errors"
    [ "$(($(median knots) * 2))" -ge "$(median chord)" ] || return 0
    bound=$(awk '$1 == "knots" { print $6 }' "$work/errors")
    [ "$bound" -gt "$(($(median chord) / 2))" ] &&
        echo "skipped: errors where clocks were measured: the measurements were disturbed, and known to $bound ns"
}

# On a machine with much else to do a measurement may take a second: then the run is longer.
every_tenth() { recorded 3 "SYNCOPATE_TEST_SKEW=$wander" SYNCOPATE_SYNC_BUDGET=0.1 SYNCOPATE_RESYNC=0.1 "$loop" "$1" >"$work/rounds"; }
check "measured every 0.1 s" every_tenth 4
check "  several times" measured 3
check "  as often on every rank" same_on_all sync.resync_count
check "  errors there are less than half of what they are without" less_wrong
sed 's/^/    /' "$work/check"
check "with --align window" recorded 3 SYNCOPATE_RESYNC=0.01 SYNCOPATE_ALIGN=window "$PROGRAMS/align" 100
echo >"$work/rounds"
check "  measured" measured 1
finish
