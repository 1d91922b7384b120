#!/bin/sh
# Threads that end leave what they had to others: memory does not grow, and each call is in the trace.
. "$(dirname "$0")/lib.sh"
command=$(dirname "$SYNCOPATE")/../bin/syncopate

# Nothing is complained about, and the trace has as many events as there were calls; of a handful of threads more than live at once.
whole() {
    # (The address sanitizer keeps freed memory.)
    [ -n "$ASAN" ] || ! grep -E '^(mappings|memory): ' "$work/out" || return 1
    "$DUMP" rows "$trace" | awk -v "calls=$(awk '$2 == "calls" { print $1 }' "$work/out")" '
        { threads[$2]; n++ }
        END { for (t in threads) count++; print n, "events of", count, "threads"; exit n != calls || count > 52 }'
}
threads() { # [kill]
    rm -rf "$trace"
    recorded 1 "$PROGRAMS/short_threads" 2000 "$@" >"$work/out"
    [ $? = 0 ] || [ "$1" = kill ]
}
check "2,500 threads" threads
check "  are in the trace" whole
check "  times are in order" "$DUMP" times "$trace"
check "the same, killed" threads kill
check "  recovered" recover_ended
check "  nothing is lost" whole
finish
