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

# Only a communicator that is used gets an attribute (four are); and MPI_COMM_SELF, for the end.
at_most() { # COUNT
    [ -s "$work/failures" ] && [ "$(wc -c <"$work/failures")" -le "$1" ]
}
rm -f "$work/failures"
check "communicators are made and freed unused" recorded 1 "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE $PROGRAMS/failing_calls.so" \
    "FAILING=Comm_set_attr counted" "FAILURES=$work/failures" "EXPECTED=$work" SYNCOPATE_SYNC_BUDGET=0.05 "$PROGRAMS/unseen_frees" 40
check "  of 45, those that are used get an attribute" at_most 5
finish
