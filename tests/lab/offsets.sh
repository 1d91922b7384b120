#!/bin/bash
# offsets.sh - record a program on hosts with different clocks, over a slow and uneven network, and hold
# the global times of its trace to the truth: no error may exceed the bound that the trace states.
#
# usage: offsets.sh openmpi|mpich DIRECTORY_OF_THE_BUILT_PROGRAMS SYNCOPATE [OPTION...]
#
#   -l       long: more cases, 3 and 4 hosts, 10 s each (without: 2 hosts, 1 s)
#   -s NAME  the method of synchronization (the default one)
#   -P FILE  preload FILE before anything else (a sanitizer's runtime)
#
# For each case it prints the distribution of the errors at the start, in the middle and at the end of
# the run. Exit status: 0; 1 where a time is worse than its bound, or a bound is so wide that it says
# nothing; 77 where there can be no lab.
set -u

here=$(dirname "$(readlink -f "$0")")
mpi=$1
programs=$2
syncopate=$3
shift 3
long='' method=() preload=()
while getopts ls:P: option; do
    case $option in
    l) long=1 ;;
    s) method=(--sync "$OPTARG") ;;
    P) preload=(-P "$OPTARG") ;;
    *) exit 2 ;;
    esac
done

# A bound beyond this is no achievement: it would hold for clocks read by hand.
useful_bound_ns=100000000
clock=monotonic
seconds=${long:+10}
seconds=${seconds:-1}
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# record NAME LAB_OPTION...: a trace in $work/NAME.
record() {
    local name=$1 status
    shift
    "$here/lab.sh" "${preload[@]}" -B "$programs" "$@" "$mpi" \
        "$syncopate" record -q -o "$work/$name" --clock "$clock" "${method[@]}" \
        "$programs/collective_loop.$mpi" "$seconds" >"$work/$name.log" 2>&1
    status=$?
    ((status == 77)) && cat "$work/$name.log" && exit 77 # in which lab.sh has printed "skipped: WHY"
    if ((status != 0)); then
        cat "$work/$name.log"
        printf 'NOT: %s: recorded (status %d)\n' "$name" "$status"
        return 1
    fi
}

# judge NAME CLOCK_ERROR_OPTION...
judge() {
    local name=$1
    shift
    if ! "$programs/clock_error" "$@" "$work/$name" >"$work/$name.errors"; then
        cat "$work/$name.errors"
        printf 'NOT: %s: every global time is within its bound\n' "$name"
        return 1
    fi
    cat "$work/$name.errors"
    awk -v limit="$useful_bound_ns" '$1 == "all" { ok = $6 <= limit } END { exit !ok }' "$work/$name.errors" || {
        printf 'NOT: %s: the bounds are useful\n' "$name"
        return 1
    }
    printf 'ok:  %s\n' "$name"
}

# shifted NAME HOSTS RANKS_PER_HOST LAB_OPTION...: clocks 1000 s apart.
shifted() {
    local name=$1 hosts=$2 ranks=$3
    shift 3
    printf '\n%s: %s, %d hosts of %d rank(s), CLOCK_MONOTONIC 1000 s apart, network %s\n' \
        "$name" "$mpi" "$hosts" "$ranks" "${*:-a bridge}"
    record "$name" -k "$hosts" -p "$ranks" -t 1000 "$@" && judge "$name" -t 1000 -p "$ranks" || failed=1
}

# counted NAME HOSTS RANKS_PER_HOST LAB_OPTION...: each host counts the same ticks, at the rate that it found.
counted() {
    local name=$1 hosts=$2 ranks=$3 clock=tsc
    shift 3
    printf '\n%s: %s, %d hosts of %d rank(s), TSC, network %s\n' \
        "$name" "$mpi" "$hosts" "$ranks" "${*:-a bridge}"
    record "$name" -k "$hosts" -p "$ranks" "$@" && judge "$name" || failed=1
}

# skewed NAME HOSTS RANKS_PER_HOST SKEW LAB_OPTION...: clocks that drift, wander and jitter.
skewed() {
    local name=$1 hosts=$2 ranks=$3 skew=$4
    shift 4
    printf '\n%s: %s, %d hosts of %d rank(s), clocks %s, network %s\n' \
        "$name" "$mpi" "$hosts" "$ranks" "$skew" "${*:-a bridge}"
    SYNCOPATE_TEST_SKEW=$skew,ranks_per_host=$ranks record "$name" -k "$hosts" -p "$ranks" "$@" &&
        judge "$name" -s || failed=1
}

shifted uneven 2 1 -d 50 -j 20 -a 30
counted ticks 2 1 -d 30 -j 10
skewed drifting 2 1 seed=12,offset_ns=1e9,drift_ppm=20 -d 30 -j 10
if [[ -n $long ]]; then
    skewed drifting_pairs 2 2 seed=12,offset_ns=1e9,drift_ppm=20 -d 30 -j 10
    shifted direct 2 1
    shifted slow 2 1 -d 20
    shifted three 3 1 -d 30 -j 10 -a 10
    shifted four 4 1 -d 20 -j 10 -a 20 -s 500
    shifted pairs 2 2 -d 20 -j 10
    skewed drifting_four 4 1 seed=2,offset_ns=1e9,drift_ppm=20 -d 30 -j 10 -a 10
    skewed wandering 3 1 \
        seed=3,offset_ns=1e9,drift_ppm=20,wander_ns=50,wander_period_s=20,jitter_ns=20 -d 20 -j 10
fi
exit "$failed"
