#!/bin/sh
# A run of which the recorder is not in every process: none waits for ever for who does not come, one line says so, nothing is recorded.
. "$(dirname "$0")/record_lib.sh"
record="$SYNCOPATE_CLI record -o t"

# each COUNT COMMAND OTHER: the ranks below COUNT run the one command, the others the other. (A launcher's own `:` starts them where it can.)
cat >each <<'EACH'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" -ge "$1" ] || exec $2
exec $3
EACH
chmod +x each

absent() { # WHAT COMMAND...
    what=$1
    shift
    run "$@"
    expect "status: $what" "$status" 0
    expect_line err '1 of the 3 processes that the launcher started here take no part (waited 5 s).*; the run is not recorded$'
    [ -e t ] && fail "a trace: $what"
    rm -rf t
}
absent "another program in the run, the last" "$MPIRUN" -n 3 ./each 2 "$record $PROGRAM" "$PROGRAM"
# (The waits of five seconds below are the same code of ours, which a sanitizer sees once.)
[ -n "$ASAN" ] || absent "another program in the run, the first" "$MPIRUN" -n 3 ./each 1 "$PROGRAM" "$record $PROGRAM"
absent "an environment taken away" $record -- "$MPIRUN" -n 3 ./each 1 "env -u LD_PRELOAD $PROGRAM" "$PROGRAM"
expect "lines in all" "$(grep -c '^syncopate' err)" 2
expect_line err "^syncopate: no trace in $work/t: a line above says why, or the program did not initialize"

# On several machines, as the launcher has it: the wait is not ended, but one line says what it is for.
"$MPIRUN" -n 3 ./each 1 "$PROGRAM" "env OMPI_COMM_WORLD_LOCAL_SIZE=2 MPI_LOCALNRANKS=2 $record $PROGRAM" >out 2>err </dev/null &
launcher=$!
for i in $(seq 300); do grep -q 'waits on' err && break; sleep 0.1; done
sleep 1
kill -TERM $launcher
wait $launcher
expect_line err '^syncopate: has waited 10 s for all processes of the run, and waits on: .* (of the 2 on this machine 2 came)$'
expect "lines in all, on several machines" "$(grep -c '^syncopate' err)" 1
run "$MPIRUN" -n 3 env OMPI_COMM_WORLD_LOCAL_SIZE=2 MPI_LOCALNRANKS=2 $record "$PROGRAM"
expect "status of several machines" "$status" 0
expect "lines about waiting" "$(grep -c 'waits on' err)" 0
run "$SYNCOPATE_CLI" check t
expect "status of check" "$status" 0
rm -rf t

# A program that has this MPI in itself, with its names and without.
if [ -n "${LINKED_PROGRAM:-}" ]; then
    strip -o stripped "$LINKED_PROGRAM"
    for linked in "$LINKED_PROGRAM" ./stripped; do
        run "$MPIRUN" -n 2 $record "$linked"
        expect "status of $linked" "$status" 0
        expect "lines about $linked" "$(grep -c '^syncopate' err)" 1
        expect_line err 'has its MPI linked in statically: recording it is not possible'
        run $record -- "$MPIRUN" -n 2 env "$linked"
        expect "status around $linked" "$status" 0
        expect_line err 'has its MPI linked in statically: recording it is not possible'
    done
    [ -n "$ASAN" ] || absent "another program in the run, with its MPI linked in" "$MPIRUN" -n 3 ./each 2 "$record $PROGRAM" "$record ./stripped"
fi

# Several programs that all are recorded.
cp "$PROGRAM" other
if starts_several; then
    run "$MPIRUN" -n 1 $record "$PROGRAM" : -n 2 $record ./other
    expect "status of two programs" "$status" 0
    expect "lines about absence" "$(grep -c 'no part' err)" 0
    expect "ranks" "$(ls t | grep -c '^rank-')" 3
fi
finish
