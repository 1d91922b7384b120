#!/bin/sh
# What the recorder leaves on the program's objects: no error handler, few attributes. One of them tells of MPI_Finalize.
. "$(dirname "$0")/lib.sh"
# Open MPI's launcher would give the other ranks of a run that failed a second before it kills them.
export OMPI_MCA_odls_base_sigkill_timeout=0

# Status and output are those of a bare run.
same() { # CALLS
    mpi 2 "$PROGRAMS/handlers" "$1" >"$work/out" 2>"$work/err"
    bare=$?
    sort "$work/out" >"$work/bare"
    recorded 2 "$PROGRAMS/handlers" "$1" >"$work/out"
    our=$?
    [ $our = $bare ] || { echo "status $bare bare, $our recorded"; return 1; }
    sort "$work/out" | diff "$work/bare" -
}
check "a call on an intercommunicator that MPI refuses, its handler fatal" same i
check "calls on what MPI_COMM_WORLD was made into, before that got a handler that returns" same rwdsi

# Only a communicator that is used gets an attribute (four are); and MPI_COMM_SELF, for the end.
at_most() { # COUNT
    [ -s "$work/counted" ] && [ "$(wc -c <"$work/counted")" -le "$1" ]
}
check "communicators are made and freed unused" recorded 1 "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE $PROGRAMS/count_attributes.so" \
    "COUNTED=$work/counted" "EXPECTED=$work" SYNCOPATE_SYNC_BUDGET=0.05 "$PROGRAMS/unseen_frees" 40
check "  of 45, those that are used get an attribute" at_most 5
finish
