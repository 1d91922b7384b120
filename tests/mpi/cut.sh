#!/bin/sh
# Somebody cuts the raw files of a run (a script that cleans up): the program goes on, and is told in one line.
. "$(dirname "$0")/lib.sh"
export OMPI_MCA_odls_base_sigkill_timeout=0

cut() { # WHEN STATUS
    recorded 2 "$PROGRAMS/cut" "$1" >"$work/out"
    status=$?
    [ "$status" = "$2" ] && [ "$(grep -c '^made' "$work/out")" -ge 1 ] || { echo "status $status"; return 1; }
}
accounted() { # calls recorded and lost are those that were made
    "$DUMP" ends "$trace" | awk '{ print } $2 != "finalize" || $3 + $4 != 100001 || $3 < 50000 { wrong = 1 } END { exit wrong || NR != 2 }'
}

check "the raw files are cut" cut none 0
check "  each rank says so" [ "$(grep -c '^syncopate.*has cut' "$work/said")" = 2 ]
check "  every call is recorded, or counted as lost" accounted
check "a program that handles SIGBUS before MPI_Init" cut before 3
check "  every call is recorded, or counted as lost" accounted
check "a program that handles SIGBUS after MPI_Init" cut after 3
check "  every call is recorded, or counted as lost" accounted
finish
