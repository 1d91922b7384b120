#!/bin/sh
# Programs with a known cause of lateness each: it is named, at its size, and nothing else is. What the report says is held against
# what the program measured, whatever the machine did meanwhile; where other programs disturbed it so much that something of it
# cannot be judged, that is said (skipped).
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
here=$(dirname "$0")
syncopate=$(dirname "$SYNCOPATE")/../bin/syncopate
MPI_TIMEOUT=240 # a machine with ten times as much to do takes ten times as long

made() { # MODE [NAME=VALUE...]
    mode=$1
    shift
    recorded 4 "$@" "$PROGRAMS/causes" "$mode" "$work/truth"
}

found() { # MODE
    "$syncopate" report --format json -o "$work/json" "$trace" &&
        COLUMNS=1000 "$syncopate" report -o "$work/text" "$trace" &&
        python3 "$here/causes.py" "$1" "$work/json" "$work/text" "$work/truth"
}

adds_up() {
    python3 "$here/../cli/conservation.py" "$work/json"
}

judge() { # MODE [NAME=VALUE...]
    check "$*: runs" made "$@"
    check "  what was put in is found, and nothing else" found "$1"
    tail -n 1 "$work/check" | cut -c 1-100
    check "  and all adds up" adds_up
}

# The analysis of a run does not depend on the MPI: each kind runs under one of them; steady and chain also under the other one, with
# skewed clocks.
modes="equal rare chain threads" skewed=steady
[ "$MPI" = mpich ] || modes="steady moving growing first two work faults crowded nonblocking message" skewed=chain
modes=${CAUSES_MODES:-$modes} # by hand: all kinds under one
for mode in $modes; do
    judge $mode
done
# Clocks of two hosts, which differ by up to a second and 20 ppm.
for mode in $skewed; do
    judge $mode SYNCOPATE_TEST_SKEW=seed=1,offset_ns=1e9,drift_ppm=20,ranks_per_host=2
done
exit $failed
