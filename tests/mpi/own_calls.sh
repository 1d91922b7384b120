#!/bin/sh
# MPI refuses a call of the profiler's own: the program, whose errors are fatal, does not notice.
. "$(dirname "$0")/lib.sh"

# Fails each time that the profiler calls it; those of the other MPI's start are not called at all.
refused() { # FUNCTION
    rm -f "$work/failures"
    recorded 2 "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE $PROGRAMS/failing_calls.so" "FAILING=$1" "FAILURES=$work/failures" \
        SYNCOPATE_SYNC_BUDGET=0.05 "$PROGRAMS/communicators"
}
made() { [ -s "$work/failures" ]; }

start=Comm_idup
[ "$MPI" = openmpi ] && start=Comm_create_group
for function in $start Comm_create_keyval Comm_group Comm_test_inter Comm_remote_group Topo_test Cartdim_get Comm_set_attr; do
    check "$function fails, the program goes on" refused "$function"
    check "  it was called" made
done
finish
