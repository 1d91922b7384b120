#!/bin/sh
# A program of one MPI under the other's launcher: as many runs of one rank as processes. Each is kept, and one line names it.
. "$(dirname "$0")/record_lib.sh"

# Processes of Open MPI that are each alone make their session's directory at the same time, and one that finds it made meanwhile gives up
# ("mkdir: File exists"). So each has one of its own.
# shellcheck disable=SC2016
apart='OMPI_MCA_orte_tmpdir_base=$(mktemp -d "$0/XXXXXX") && export OMPI_MCA_orte_tmpdir_base && exec "$@"'

for i in 1 2; do
    run "$OTHER_MPIRUN" -n 3 sh -c "$apart" "$work/.sessions" "$SYNCOPATE_CLI" record -o t "$PROGRAM"
    expect "exit status" "$status" 0
    expect_line err 'the launcher started 3 processes, but the program.s MPI knows of one'
    for trace in t t.rank-1 t.rank-2; do
        run "$SYNCOPATE_CLI" check "$trace"
        expect "status of check $trace" "$status" 0
    done
    [ "$i" = 2 ] || [ ! -e t.old ] || fail "one of the run took another's directory"
done
run "$MPIRUN" -n 2 "$SYNCOPATE_CLI" record -o u "$PROGRAM"
expect "lines about its own launcher" "$(grep -c 'the launcher started' err)" 0
finish
