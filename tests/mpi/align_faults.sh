#!/bin/sh
# --align where something goes wrong on one rank alone: nobody waits for ever, and the program ends as it would have.
. "$(dirname "$0")/lib.sh"
MPI_TIMEOUT=240
syncopate=$(dirname "$SYNCOPATE")/../bin/syncopate

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
for jump in 3600000000000 -3600000000000; do
    check "window: the clock of one rank jumps by $jump ns" recorded 2 \
        "LD_PRELOAD=${ASAN:+$ASAN }$PROGRAMS/jump_clock.so $SYNCOPATE" SYNCOPATE_ALIGN=window SYNCOPATE_CLOCK=monotonic \
        sh -c "$(on_rank_1 JUMP_AFTER=30000 JUMP_NS=$jump)" sh "$PROGRAMS/align" 100
    check "  what could not start together is late" late 50
done

# Each tenth start of rank 1, 20 ms late: so many are flagged, and no figure has them but with --all.
check "window: one rank starts each tenth barrier 20 ms late" recorded 2 \
    "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE $PROGRAMS/late_agreement.so" SYNCOPATE_ALIGN=window \
    sh -c "$(on_rank_1 LATE_EVERY=10 LATE_MS=20)" sh "$PROGRAMS/loop" 50 0
injected_are_flagged() {
    "$syncopate" export --format csv -o "$work/csv" "$trace" >&2 || return 1
    sed 's/"[^"]*"/x/g' "$work/csv" | awk -F, '$2 == 1 && $4 == "MPI_Barrier" && $8 % 10 == 9 { n++; late += int($16 / 16) % 2 }
        END { print n + 0, "injected,", late + 0, "flagged"; exit !(n == 5 && late == 5) }'
}
check "  all five are flagged" injected_are_flagged
worst_spread() { # OPTION...: of the barriers, ns; 0 where all were late
    worst=$("$syncopate" report --by op --format json "$@" "$trace" | tr '{' '\n' | sed -n '/"op": "MPI_Barrier"/,$p' |
        grep -A1 '"spread_ns"' | grep -o '"max": [0-9]*' | head -1 | cut -d' ' -f2)
    echo "${worst:-0}"
}
only_with_all() {
    echo "worst spread $(worst_spread) ns, with --all $(worst_spread --all) ns"
    [ "$(worst_spread)" -lt 10000000 ] && [ "$(worst_spread --all)" -gt 15000000 ]
}
check "  and left out of the figures" only_with_all
# Each start of rank 1, 20 ms late: after 100 of them nobody waits for one any more, and all is said once.
check "window: one rank is late at every start: given up" recorded 2 \
    "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE $PROGRAMS/late_agreement.so" SYNCOPATE_ALIGN=window \
    sh -c "$(on_rank_1 LATE_EVERY=1 LATE_MS=20)" sh "$PROGRAMS/loop" 300 0
check "  one line says how many were late, and what to do" said_once \
    'given up, .*[0-9] of 100 .* were late .* fewer ranks than processors, bind them, or take --align barrier'
given_up_at_100() { # the agreements are those that were counted, the other calls are flagged
    "$DUMP" meta align.given_up_count "$trace" | grep -q '1$' || return 1
    late 100
    flagged=$("$syncopate" export --format csv -o "$work/csv" "$trace" >&2; sed 's/"[^"]*"/x/g' "$work/csv" |
        awk -F, '$4 == "MPI_Barrier" && $8 >= 100 { n++; late += int($16 / 16) % 2 } END { print n + 0, late + 0 }')
    echo "calls after the 100th, flagged: $flagged"
    [ "$flagged" = "400 400" ]
}
check "  all later calls are flagged" given_up_at_100

for align in barrier window; do
    check "$align: a rank stands still for 0.3 s" recorded 3 SYNCOPATE_ALIGN=$align "$PROGRAMS/align" 20 300
done
finish
