#!/bin/sh
# causes_oracle_test.sh MAKE_TRACE SYNCOPATE ORACLE - who pays for whose delay, conservation and the critical path of
# made traces against R's on the same export. Exit status 77 (skipped) where R or its jsonlite is missing.
. "$(dirname "$0")/oracle_lib.sh"

# check NAME BOUND KEY=VALUE...: ranks other than 0 have that bound, so that a difference has twice of it
check() {
    trace=$folder/$1
    bound=$2
    shift 2
    "$make_trace" "$trace" bound_ns="$bound" "$@" >/dev/null
    "$syncopate" export --format csv -o "$trace.csv" "$trace"
    "$syncopate" report --format json -o "$trace.json" "$trace"
    judge "$trace.csv" "$trace.json" $((2 * bound))
}

check late 20 events=320 groups=4 late=2 late_share=0.3
check split 20 ranks=8 events=640 groups=3 split=1 late=5 late_share=0.4 # passed on from half to whole
check parts 5 ranks=6 events=420 groups=3 split=1 messages_ns=3000 late=1 off_ns=20000 off_share=0.1 samples_ns=1000 rooted=1
check slept 10 ranks=6 events=420 groups=3 split=1 late=1 late_share=0 off_ns=20000 off_share=0.5 samples_ns=100 # others, while one computes
check blurred 3000 events=120 groups=2 # nothing can be told
check eager 20 ranks=6 events=360 groups=4 rooted=1 eager=1 late=1 late_share=0.5 late_ns=20000 # who leaves before the last has come
check root 20 ranks=6 events=240 groups=4 rooted=1 eager=1 late=0 late_share=0.5 late_ns=20000
check many 20 ranks=4 events=960 groups=2 # enough for an interval of the fastest tenth
check crossed 400 ranks=6 events=360 groups=4 rooted=1 eager=1 late=1 late_share=0.3 late_ns=20000 median_ns=300 # who leaves a little before the last has come
check finalized 20 ranks=4 events=160 groups=2 late=2 late_share=0.3 messages_ns=700 finalize_ns=90000
check alone 20 ranks=1 events=50 groups=2
# Nonblocking operations, of which several are on their way at once; completed one by one, or all by one call.
check ahead 20 ranks=4 events=320 groups=4 nonblocking=3 hidden_ns=2000 late=2 late_share=0.3
check hidden 20 ranks=5 events=300 groups=3 nonblocking=4 hidden_ns=8000 median_ns=9000 late=1 late_share=0.5 late_ns=20000 \
    messages_ns=700 off_ns=20000 off_share=0.1 samples_ns=1000
check hasty 400 ranks=4 events=240 groups=4 nonblocking=1 hidden_ns=100 late=1 late_share=0.5
check unsure 2000 ranks=3 events=210 groups=2 nonblocking=5 late=0 late_share=0.5 late_ns=9000
# Drawn ones: on communicators that contain one another, begun and completed in every order that MPI allows.
for seed in 1 3 38; do
    check "drawn$seed" $((seed % 3 * 150 + 10)) drawn=1 seed=$seed ranks=$((2 + seed % 7)) events=$((30 * (2 + seed % 7))) \
        messages_ns=$((seed % 2 * 700))
done
# Blocking calls alone: halves, even and odd ranks, all, each rank on its own part.
for seed in 2 4; do
    check "layers$seed" 10 drawn=1 blocking_share=1 seed=$seed ranks=$((seed + 2)) events=$((60 * (seed + 2))) messages_ns=$((seed / 4 * 700))
done
# Threads of a rank that call on the same communicators, one after the other.
check halves 20 events=320 groups=4 late=0 median_ns=20000 threads=2
check dealt 20 ranks=6 events=420 groups=3 split=1 late=1 late_share=0.4 threads=3 dealt=1
check started 20 ranks=5 events=300 groups=3 nonblocking=4 hidden_ns=8000 median_ns=9000 late=1 late_share=0.5 late_ns=20000 threads=2 dealt=1
check left 20 ranks=6 events=360 groups=4 rooted=1 eager=1 late=1 late_share=0.5 late_ns=20000 threads=2 dealt=1
for seed in 10 11 14; do
    check "threads$seed" $((seed % 3 * 150 + 10)) drawn=1 seed=$seed ranks=$((2 + seed % 7)) events=$((30 * (2 + seed % 7))) \
        threads=$((2 + seed % 2)) dealt=1
done

# Efficiencies by keys of --by, of traces that are there.
check_by() { # NAME BOUND KEYS
    "$syncopate" report --format json --by "$3" -o "$folder/$1.by.json" "$folder/$1"
    judge "$folder/$1.csv" "$folder/$1.by.json" $((2 * $2))
}
check_by split 20 comm,bytes      # halves, of which each rank is in one
check_by parts 5 op,root,node     # with messages, on two nodes
check_by ahead 20 comm,bytes,rank # completing calls
check_by drawn38 310 op,site,comm,root
check_by late 20 rank

# notices NAME KEY BOUND: the first figure of that name is another one.
notices() {
    falsify "$folder/$1.json" "$folder/wrong.$1.$2.json" "0,/\"$2\":\([^0-9]*\)\([1-9]\)/s//\"$2\":\11\2/"
    doubt "$folder/$1.csv" "$folder/wrong.$1.$2.json" "$3"
}
notices split waiting_ns 40
notices split bound_ns 40
notices split fast_operations 40
notices parts off_cpu_waiting_ns 10
notices ahead waiting_ns 40
notices split longest_ns 40
judge_all
