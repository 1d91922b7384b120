#!/bin/sh
# Is each message that a program sends or receives an event? An independent counter behind the profiler (count_posted.c) says how many
# there are of each rank. usage: message_counts.sh RANKS PROGRAM [ARG...]; COUNTER names the counter.
. "$(dirname "$0")/lib.sh"
ranks=$1
shift
case $1 in
*/*) program=$1 ;;
*) program=$PROGRAMS/$1 ;;
esac
shift
mkdir "$work/counts"

# RANK SENDS RECEIVES; the lowest bit of the kind says which, the second flag that the call failed.
same_counts() {
    for file in "$work"/counts/rank-*; do echo "${file##*-} $(cat "$file")"; done | LC_ALL=C sort >"$work/wanted"
    "$DUMP" messages "$trace" | awk '
        int($NF / 2) % 2 == 0 { if ($(NF - 1) ~ /[13579bdf]$/) in_[$1]++; else out[$1]++; rank[$1] }
        END { for (r in rank) print r, out[r] + 0, in_[r] + 0 }' | LC_ALL=C sort >"$work/got"
    diff "$work/wanted" "$work/got" && awk '{ sum += $2 + $3 } END { print "    " sum " messages" >"/dev/stderr"; exit sum == 0 }' "$work/got"
}

check "recorded with the counter behind" recorded "$ranks" SYNCOPATE_QUIET=1 SYNCOPATE_MESSAGES=events \
    "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE $COUNTER" "COUNT_POSTED_OUTPUT=$work/counts" "$program" "$@"
check "each message is an event" same_counts
exit "$failed"
