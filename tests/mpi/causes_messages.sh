#!/bin/sh
# Programs that meet in messages, with one late rank each (causes_messages.c): that rank is named first, at its size, whatever ranks
# its lateness came through; and all adds up. What the report says is held against what the program measured; where the machine was
# so busy that nothing can be judged, that is said (skipped).
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
here=$(dirname "$0")
syncopate=$(dirname "$SYNCOPATE")/../bin/syncopate
MPI_TIMEOUT=240 # a machine with ten times as much to do takes ten times as long
export OMPI_MCA_mpi_yield_when_idle=1 # ranks that wait leave the processors to those that work

found() { # MODE
    "$syncopate" report --format json -o "$work/json" "$trace" && python3 "$here/causes_messages.py" "$1" "$work/json" "$work/truth"
}

adds_up() {
    python3 "$here/../cli/conservation.py" "$work/json"
}

for mode in ${CAUSES_MODES:-halo rare pipeline receiver eager sum ring wavefront master worker persistent sendrecv halves nobody}; do
    rm -rf "$trace"
    check "$mode: runs" recorded 4 SYNCOPATE_MESSAGES=events "$PROGRAMS/causes_messages" "$mode" "$work/truth"
    check "  who is late is found" found "$mode"
    head -n 1 "$work/check" | cut -c 1-120
    check "  and all adds up" adds_up
done
exit $failed
