#!/bin/sh
# A run of which the recorder is not in every process: none waits for ever for who does not come, one line says so, nothing is recorded.
. "$(dirname "$0")/record_lib.sh"
record="$SYNCOPATE_CLI record -o t"

absent() { # WHAT COMMAND...
    what=$1
    shift
    run "$@"
    expect "status: $what" "$status" 0
    expect_line err '1 of the 3 processes that the launcher started here take no part (waited 5 s).*; the run is not recorded$'
    [ -e t ] && fail "a trace: $what"
    rm -rf t
}
absent "another program in the run, the last" "$MPIRUN" -n 2 $record "$PROGRAM" : -n 1 "$PROGRAM"
absent "another program in the run, the first" "$MPIRUN" -n 1 "$PROGRAM" : -n 2 $record "$PROGRAM"
absent "an environment taken away" $record -- "$MPIRUN" -n 1 env -u LD_PRELOAD "$PROGRAM" : -n 2 "$PROGRAM"
expect "lines in all" "$(grep -c '^syncopate' err)" 2
expect_line err "^syncopate: no trace in $work/t: a line above says why, or the program did not initialize"

# Several programs that all are recorded.
cp "$PROGRAM" other
run "$MPIRUN" -n 1 $record "$PROGRAM" : -n 2 $record ./other
expect "status of two programs" "$status" 0
expect "lines about absence" "$(grep -c 'no part' err)" 0
expect "ranks" "$(ls t | grep -c '^rank-')" 3
finish
