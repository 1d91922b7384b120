#!/bin/sh
# A thread of the program's is cancelled in the middle of a write of the profiler's: all others go on, and nothing hangs.
. "$(dirname "$0")/lib.sh"
MPI_TIMEOUT=60

cancelled() { # [async [persistent]]
    recorded 2 "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE $PROGRAMS/cancelling.so" SYNCOPATE_BUFFER=64K "$PROGRAMS/cancelled" "$@" \
        >"$work/out" && [ "$(grep -c 'cancelled 1' "$work/out")" = 2 ]
}
whole() {
    [ "$("$DUMP" ends "$trace" | grep -c ' finalize [0-9]* 0$')" = 2 ]
}

types='deferred async'
# A sanitizer's runtime does not survive an asynchronous cancel in its own code.
[ -n "${ASAN:-}" ] && types=deferred
for type in $types; do
    check "a cancelled thread ($type)" cancelled "$type"
    check "  every rank's file is whole" whole
done
if [ -z "${ASAN:-}" ]; then
    export CANCEL_IN=nothing # until the program says more
    check "a thread that is cancelled while it has two locks" cancelled async persistent
    check "  every rank's file is whole" whole
fi
finish
