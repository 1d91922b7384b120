#!/bin/sh
# A program of MPI Sessions without MPI_Init runs as it does without us, and is told that it is not recorded.
. "$(dirname "$0")/lib.sh"

mpi 2 "$PROGRAMS/sessions" >"$work/bare"
bare=$?
same_run() {
    recorded 2 "$PROGRAMS/sessions" >"$work/recorded"
    status=$?
    [ $status = $bare ] && cmp "$work/bare" "$work/recorded"
}
check "it runs as without us, exit status $bare" same_run
[ $bare = 77 ] || {
    check "  one line says that it is not recorded" said_once "Sessions without MPI_Init"
    check "  and no other" said_lines 1
    check "  there is no trace" [ ! -e "$trace" ]
}
finish
