#!/bin/sh
# --align where something goes wrong on one rank alone: nobody waits for ever, and the program ends as it would have.
. "$(dirname "$0")/lib.sh"
MPI_TIMEOUT=60

# on_rank_1 NAME=VALUE...: lines of a shell that set them on that rank only.
on_rank_1() {
    printf 'if [ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}" = 1 ]; then export %s; fi; exec "$@"' "$*"
}

# A block of 1,000 events has to fill before anything is written: where processors are busy, that many windows take minutes.
check "barrier: the disk of one rank fills while the program runs" recorded 2 \
    "LD_PRELOAD=${ASAN:+$ASAN }$PROGRAMS/full_disk.so $SYNCOPATE" SYNCOPATE_ALIGN=barrier SYNCOPATE_BUFFER=64K \
    sh -c "$(on_rank_1 FULL_AFTER=1000)" sh "$PROGRAMS/loop" 1100 0
check "  one line says so" said_once 'No space left on device'

late() { # at least so many starts
    late=$("$DUMP" meta rank.late_start_count "$trace" | awk '{ n += $NF } END { print n + 0 }')
    echo "$late late starts"
    [ "$late" -ge "$1" ]
}
for jump in 3600e9 -3600e9; do
    check "window: the clock of one rank jumps by ${jump}" recorded 2 \
        "LD_PRELOAD=${ASAN:+$ASAN }$PROGRAMS/jump_clock.so $SYNCOPATE" SYNCOPATE_ALIGN=window SYNCOPATE_CLOCK=monotonic \
        sh -c "$(on_rank_1 JUMP_AFTER=30000 JUMP_NS="$(awk "BEGIN { printf \"%d\", $jump }")")" sh "$PROGRAMS/align" 100
    check "  what could not start together is late" late 50
done
for align in barrier window; do
    check "$align: a rank stands still for 0.3 s" recorded 3 SYNCOPATE_ALIGN=$align "$PROGRAMS/align" 20 300
done
finish
