#!/bin/sh
# stats_oracle_test.sh MAKE_TRACE SYNCOPATE ORACLE - every figure of reports over made traces against R's on the same
# export. Exit status 77 (skipped) where R or its jsonlite is missing.
. "$(dirname "$0")/oracle_lib.sh"

# check NAME [REPORT OPTION...]
count=0
check() {
    trace=$folder/$1 count=$((count + 1))
    shift
    "$syncopate" export --format csv --bounds -o "$trace.csv" "$trace"
    "$syncopate" report --format json -o "$trace.$count.json" "$@" "$trace"
    judge "$trace.csv" "$trace.$count.json"
}

# make NAME KEY=VALUE...
make() {
    name=$1
    shift
    "$make_trace" "$folder/$name" "$@" >/dev/null
}

make plain ranks=4 events=4000 groups=4 late=2
check plain
check plain --by root,op --confidence 0.99 --ci exact --pairs --precision 1%
make split ranks=5 events=3000 groups=7 split=1 rooted=1
check split
check split --by comm,site
make tiny ranks=4 events=12 groups=2 split=1 # too few for intervals and most tests
check tiny
make alone ranks=1 events=100 groups=2
check alone
make lacking ranks=3 events=900 groups=3
rm "$folder"/lacking/rank-000001.syn # nothing is complete
check lacking
for run in 1 2 3; do
    make "runs/run-000$run" ranks=3 events=900 groups=2 seed=$run run=$run
done
check runs --precision 2%
check runs --by run,op --pairs --ci block --tukey
# Bounds that differ from event to event, between knots and beyond the last one; as large as what is measured.
make wandering ranks=5 events=5000 groups=3 median_ns=400000 bound_ns=3000 knots=8 wander=1e-4 late=3 late_ns=9000 seed=2
check wandering
make long ranks=2 events=40000 groups=2 median_ns=16000 bound_ns=3000 knots=8 wander=1e-4 late=1 # counted, not sorted
check long
make unknown ranks=3 events=600 groups=2 unknown_clock=1
check unknown
falsify "$folder/plain.2.json" "$folder/wrong.json" 's/"kendall_w": *0/"kendall_w": 1/'
doubt "$folder/plain.csv" "$folder/wrong.json"
judge_all
