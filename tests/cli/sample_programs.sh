#!/bin/sh
# The tutorial's programs, compiled and recorded: what they call, and from where, is what their traces in docs/samples have. So
# nobody changes a program and leaves its trace as it was. $SYNCOPATE_CLI, $MPICC, $MPIRUN, $SAMPLES.
. "$(dirname "$0")/record_lib.sh"

# The operations of a trace and their call sites.
places() { "$SYNCOPATE_CLI" report --top 0 --format csv "$1" | grep -o 'MPI_[A-Za-z]*,"\{0,1\}[a-z]*\.c:[0-9]* [a-z]*' | sort -u; }

for program in uneven seldom pausing chatty slowing; do
    "$MPICC" -g -O1 -o $program "$SAMPLES/$program.c" || fail "$program does not compile"
    run "$SYNCOPATE_CLI" record -q -o trace-$program -- "$MPIRUN" -n 3 ./$program 20
    expect "status of $program" "$status" 0
    places "$SAMPLES/$program" >want
    places trace-$program >out
    [ -s want ] || fail "$program: its trace names no call sites"
    cmp -s want out || fail "$program: its trace is of another source: $(diff want out | head -4)"
done

# The page says in which call a rank differs.
disagreement() { "$SYNCOPATE_CLI" hang "$1" | sed -n '/^Ranks disagree/,/^$/p'; }
"$MPICC" -g -O1 -o hanging "$SAMPLES/hanging.c" || fail "hanging does not compile"
disagreement "$SAMPLES/hanging" >want
"$SYNCOPATE_CLI" record -q -o trace-hanging -- "$MPIRUN" -n 3 ./hanging >/dev/null 2>&1 &
recording=$!
for _ in $(seq 300); do # however long the ranks take to come there
    disagreement trace-hanging >out 2>/dev/null
    cmp -s want out && break
    sleep 0.2
done
kill -TERM $recording
wait $recording
disagreement trace-hanging >out
grep -q 'MPI_Gather at hanging.c:[0-9]* collect' want || fail "the trace of the program that hangs does not say so"
cmp -s want out || fail "hanging: its trace is of another source: $(diff want out | head -4)"
finish
