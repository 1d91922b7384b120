#!/bin/sh
# A full disk, eight ranks: the program ends as bare, and one line says what is lacking, however many lack something.
. "$(dirname "$0")/lib.sh"
# Open MPI's launcher would give the other ranks of a run that failed a second before it kills them.
export OMPI_MCA_odls_base_sigkill_timeout=0
ranks=8
preload="${ASAN:+$ASAN }$PROGRAMS/full_disk.so $SYNCOPATE"

# ended STATUS NAME=VALUE... PROGRAM...
ended() {
    wanted=$1
    shift
    recorded $ranks "LD_PRELOAD=$preload" SYNCOPATE_BUFFER=64K "$@" >"$work/out"
    status=$?
    [ "$status" = "$wanted" ] || { echo "status $status"; cat "$work/said"; return 1; }
}
# Lines that are not those of any run: its begin, its end.
one_line() { # PATTERN
    grep '^syncopate: ' "$work/said" | grep -v ' events of ' >"$work/lines"
    [ "$(wc -l <"$work/lines")" = 1 ] && grep -q "$1" "$work/lines" || { cat "$work/said"; return 1; }
}

check "no room for blocks" ended 0 FULL_BLOCKS=0 "$PROGRAMS/loop" 0 1000
check "  one line" one_line 'kept events in memory'
check "  nothing is lost" "$(dirname "$SYNCOPATE")/../bin/syncopate" check "$trace"
check "no room for anything more" ended 0 FULL_BLOCKS=0 FULL_AFTER=8000 "$PROGRAMS/loop" 0 5000
check "  one line" one_line 'No space left on device; the trace is incomplete, .* calls are lost'
check "no room for what is written in the end" ended 0 FULL_AFTER=8000 "$PROGRAMS/loop" 0 5000
check "  one line" one_line 'No space left on device; the trace is incomplete'
rm -rf "$trace"
timeout 60 "$(dirname "$SYNCOPATE")/../bin/syncopate" record -o "$trace" -- "$MPIRUN" -n $ranks env "LD_PRELOAD=$preload" SYNCOPATE_BUFFER=64K \
    FULL_BLOCKS=0 FULL_AFTER=8000 "$PROGRAMS/loop" 0 5000 >"$work/out" 2>"$work/said" </dev/null
check "  record says that the trace is not whole, not that the run did not finish" grep -q "^syncopate: the trace is not whole; what was recorded is in $trace " "$work/said"
check "no room from the start" ended 0 FULL_BLOCKS=0 FULL_AFTER=0 "$PROGRAMS/loop" 0 100
check "  one line" one_line 'No space left on device'
check "no room for the manifest" ended 0 FULL_NAMES=manifest FULL_AFTER=0 "$PROGRAMS/loop" 0 100
check "  one line" one_line 'cannot write .*manifest: No space left on device'

# Without MPI_Finalize no rank can ask another. (The launcher kills the others: one that was to say it, perhaps.)
one_line_at_most() {
    said=$(grep -c '^syncopate: .*No space left on device' "$work/said")
    [ "$said" -le 1 ] || { cat "$work/said"; return 1; }
    lines=$((lines + said))
}
lines=0
for way in exit return; do
    recorded $ranks "LD_PRELOAD=$preload" FULL_AFTER=5000 "$PROGRAMS/endings" $way >"$work/out"
    check "no room at the end without MPI_Finalize ($way): the status is the program's" [ $? -le 9 ]
    check "  one line" one_line_at_most
done
check "  which was said" [ $lines -ge 1 ]
finish
