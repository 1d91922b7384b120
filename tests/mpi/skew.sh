#!/bin/sh
# Global times against an injected truth: clocks up to 1 s and 20 ppm apart; no error exceeds the bound that the trace states.
# usage: skew.sh CLOCK_ERROR RANKS...
. "$(dirname "$0")/lib.sh"
clock_error=$1
shift
for ranks in "$@"; do
    for skew in seed=$ranks,offset_ns=1e9,drift_ppm=20 seed=$ranks,offset_ns=1e9,drift_ppm=20,ranks_per_host=2; do
        check "$ranks ranks, $skew" recorded "$ranks" "SYNCOPATE_TEST_SKEW=$skew" "$PROGRAMS/loop" 50 0
        check "  every time is within its bound" "$clock_error" -s "$trace"
        sed 's/^/    /' "$work/check"
        check "  times are in order" "$DUMP" times "$trace"
    done
done
finish
