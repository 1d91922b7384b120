#!/bin/sh
# Where nothing can be written, or no more: one line, and the program runs on as it would have.
. "$(dirname "$0")/lib.sh"
# Open MPI's launcher would give the other ranks of a run that failed a second before it kills them.
export OMPI_MCA_odls_base_sigkill_timeout=0
program=$PROGRAMS/endings
touch "$work/file"
mkdir "$work/papers"
echo mine >"$work/papers/thesis"

ran() { # STATUS COMMAND...
    wanted=$1
    shift
    "$@" >"$work/out"
    [ "$?" = "$wanted" ] && grep -q '^worked' "$work/out" && grep -q '^finalized 1' "$work/out"
}

check "an output that cannot be made" ran 7 recorded 3 "SYNCOPATE_OUTPUT=$work/file/x" "$program"
check "  one line names it" said_once "$work/file/x"
check "  and no other line" said_lines 1
check "an output that is no trace" ran 7 recorded 3 "SYNCOPATE_OUTPUT=$work/papers" "$program"
check "  one line names it" said_once "$work/papers"
check "  which is left alone" grep -q mine "$work/papers/thesis"

check "a trace to write another one into" ran 7 recorded 2 "$program"
for inside in new new/deeper run-0001; do
    check "an output in a trace ($inside)" ran 7 recorded 3 "SYNCOPATE_OUTPUT=$trace/$inside" "$program"
    check "  one line names it" said_once "$trace/$inside: is in a trace"
    check "  and no other line" said_lines 1
done
check "  which is whole" "$(dirname "$SYNCOPATE")/../bin/syncopate" check "$trace"

for after in 0 200 5000; do
    check "the disk is full after $after bytes" ran 7 recorded 2 "LD_PRELOAD=${ASAN:+$ASAN }$PROGRAMS/full_disk.so $SYNCOPATE" \
        FULL_AFTER=$after "$program"
    check "  one line says so" said_once 'No space left on device'
done
full_while_running() {
    recorded 1 "LD_PRELOAD=${ASAN:+$ASAN }$PROGRAMS/full_disk.so $SYNCOPATE" FULL_AFTER=20000 SYNCOPATE_BUFFER=64K \
        "$PROGRAMS/loop" 10 100000
}
check "the disk fills while the program runs" full_while_running
check "  one line says so" said_once 'No space left on device'
recovers() {
    command=$(dirname "$SYNCOPATE")/../bin/syncopate
    "$command" report "$trace" >"$work/report" && recover_ended && "$command" check "$trace"
}
check "  what was recorded until then is there" recovers
check "  and it is known why it ended" "$DUMP" ends "$trace"
check "a limit on the size of files" ran 0 recorded 2 "$program" limit
check "  one line says so" said_once 'File too large'

# A disk that has no room for a block of events (384 KiB), but for the rank's file.
mkdir "$work/small"
if mount -t tmpfs -o size=256k none "$work/small" 2>/dev/null; then
    whole=$trace
    trace=$work/small/trace
    check "a disk too small for blocks of events" ran 7 recorded 1 "$program"
    check "  one line says so" said_once 'the disk was full: 1 of 1 ranks kept events in memory'
    check "  and those of a run" said_lines 3
    check "  nothing is lost" recovers
    umount "$work/small"
    trace=$whole
fi

check "values that make no sense" ran 7 recorded 2 SYNCOPATE_BUFFER=much SYNCOPATE_STACK=-1 SYNCOPATE_SYNC=sundial \
    SYNCOPATE_OPS=Barrier,Nonsense SYNCOPATE_CLOCK= "$program"
for variable in BUFFER STACK SYNC OPS; do
    check "  one line about $variable" said_once "SYNCOPATE_$variable="
done
check "  and those of a run" said_lines 6
check "disabled" ran 7 recorded 2 SYNCOPATE_DISABLE=1 "$program"
check "  no line" said_lines 0
check "quiet" ran 7 recorded 2 SYNCOPATE_QUIET=1 "$program"
check "  no line" said_lines 0
check "  but a trace" "$DUMP" times "$trace"
only_barriers() {
    recorded 2 SYNCOPATE_OPS=barrier "$program" >/dev/null
    [ "$("$DUMP" rows "$trace" | cut -d' ' -f3 | sort | uniq -c | tr -s ' ')" = ' 10 MPI_Barrier' ]
}
check "one operation only" only_barriers
check "  times are in order" "$DUMP" times "$trace"
finish
