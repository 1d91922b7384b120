#!/bin/sh
# There is room for every event, or it is counted: after the disk has filled, and while another thread ends the program.
. "$(dirname "$0")/lib.sh"
export OMPI_MCA_odls_base_sigkill_timeout=0
program=$PROGRAMS/waitall
preload="${ASAN:+$ASAN }$SYNCOPATE"

full() { # RANKS AFTER [NAME=VALUE...]
    ranks=$1 after=$2
    shift 2
    recorded "$ranks" "LD_PRELOAD=$preload $PROGRAMS/full_disk.so" "FULL_AFTER=$after" SYNCOPATE_BUFFER=64K "$@" "$program" disk \
        >"$work/out"
}
# Each call is in the trace, or among those that it says are lost; some are.
accounted() {
    made=$(awk '$1 == "made" { print $2 }' "$work/out")
    "$DUMP" ends "$trace" | awk -v made="$made" '{ print } $3 + $4 != made || $4 == 0 { wrong = 1 } END { exit wrong || NR == 0 }'
}
told() { # COMMAND: in words
    "$(dirname "$SYNCOPATE")/../bin/syncopate" "$@" "$trace" >"$work/told"
    grep -q 'lost' "$work/told" || { cat "$work/told"; return 1; }
}

check "the disk fills before a Waitall completes thousands" full 2 20000
check "  every call is recorded, or counted as lost" accounted
check "  info says so" told info
check "  report says so" told report
check "  check says so" told check
check "  the end of the run says so" said_once ' lost'
# Blocks in memory have no file in which the number of lost events could be: the commands say that it is not known.
unknown() { # COMMAND
    "$(dirname "$SYNCOPATE")/../bin/syncopate" "$@" "$trace" >"$work/told"
    grep -q 'lost is not known' "$work/told" || { cat "$work/told"; return 1; }
}
for how in SPILL=memory SIGNALS=off; do
    check "the same with blocks in memory (SYNCOPATE_$how)" full 2 20000 SYNCOPATE_$how
    check "  the end of the run says so" said_once ' lost'
    check "  info says that it cannot know" unknown info
    check "  report says so" unknown report
    check "  a recovered trace says so too" recover_ended
    check "  info" unknown info
    check "  check" unknown check
done
# A kill loses no block that is in the raw file; only those for which the file had no room.
killed() { # NAME=VALUE...
    recorded 2 "LD_PRELOAD=$preload $PROGRAMS/full_disk.so" "$@" "$PROGRAMS/endings" kill >"$work/out"
    [ -e "$trace/rank-000001.raw" ]
}
known() { ! unknown info; }
check "a kill" killed
check "  what is lost is known" known
check "a kill, with a block in memory" killed FULL_BLOCKS=1
check "  info says that it cannot know" unknown info

aborted() {
    recorded 2 "LD_PRELOAD=$preload $PROGRAMS/late_abort.so" SYNCOPATE_BUFFER=64K "$program" abort
    [ "$?" = 9 ]
}
check "a Waitall of thousands while another thread is in MPI_Abort" aborted
finish
