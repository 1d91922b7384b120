#!/bin/sh
# Collectives that are complete when they return end there, and no wait for a message is taken for theirs; those of several
# ranks end in the call that completes them, which may be shorter than a step of the clock. Times are compared within a record only.
. "$(dirname "$0")/lib.sh"
check "complete_at_once runs recorded" recorded 2 "$PROGRAMS/complete_at_once"
"$(dirname "$SYNCOPATE")/../bin/syncopate" export --format csv -o "$work/csv" "$trace" >/dev/null || exit 1

# rank op comm_size call_end - start, wait_start - call_end, end - wait_start; no field of these rows holds a comma.
sed 's/"[^"]*"//g' "$work/csv" |
    awk -F, 'NR > 1 { print $2, $4, $6, $14 - $12, $15 - $14, $13 - $15, $16 }' >"$work/times"
alone_at_once() {
    awk '$3 == 1 && ($5 != 0 || $6 != 0 || $7 != 0)' "$work/times" | grep . && return 1
    [ "$(awk '$3 == 1' "$work/times" | wc -l)" = 800 ]
}
together_waited_for() {
    awk '$3 == 2 && ($5 < 0 || $6 < 0 || $5 + $6 <= 0 || $7 != 0)' "$work/times" | grep . && return 1
    [ "$(awk '$3 == 2' "$work/times" | wc -l)" = 400 ]
}
check "  those of one rank end where they return" alone_at_once
check "  those of two end in a later call" together_waited_for
finish
