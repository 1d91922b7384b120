#!/bin/sh
# messages_oracle_test.sh MAKE_TRACE SYNCOPATE ORACLE - messages of made traces against R's on the same export: which meet, who waits
# for whom, what is left. Exit status 77 (skipped) where R or its jsonlite is missing.
. "$(dirname "$0")/oracle_lib.sh"

# check NAME BOUND KEY=VALUE...
check() {
    trace=$folder/$1
    bound=$2
    shift 2
    "$make_trace" "$trace" bound_ns="$bound" "$@" >/dev/null
    "$syncopate" export --format csv -o "$trace.csv" "$trace"
    "$syncopate" report --format json -o "$trace.json" "$trace"
    judge "$trace.csv" "$trace.json" "$bound"
}

check halo 0 program=1 ranks=5 events=300 late=2 late_ns=4000
check halo_bound 150 program=1 ranks=4 events=300 late=1 late_ns=2000 median_ns=300
check large 20 program=1 ranks=3 events=200 bytes=100000 late=0 late_ns=5000
check two 20 program=1 ranks=2 events=100
check pipeline 20 program=2 ranks=6 events=200 late=3 late_ns=9000
check empty 20 program=2 ranks=3 events=100 bytes=0
check master 20 program=3 ranks=6 events=300
check threads 20 program=2 ranks=4 events=200 threads=2 dealt=1
judge_all
