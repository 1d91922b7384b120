#!/bin/bash
# clock_campaign.sh - clocks that are set, that warm and that swing while a program runs: how wrong its global times are, what
# bound is stated, and what the report says.
#
# usage: clock_campaign.sh [-m "MPI..."] [-n RANKS] [-w SECONDS] [-u PAUSE_US] [-c "CASE..."] [-k DIRECTORY] [-M] [-H] BUILD_DIRECTORY
#
# collective_loop runs on this machine, each rank behind a clock of its own (sync/time/clock_skew.h), up to 1 s and 20 ppm apart; rank 1's
# does what the case says from a third of the run on. Printed, of all times of events on ranks other than 0: the absolute error
# (median and worst), the widest bound, how many lie outside theirs, and the report's verdict. -M: as recorded, without mending. -k: the traces are kept there. -H: each rank on a host of its own
# (lab.sh, TCP over a bridge), where that is permitted.
set -u

mpis='openmpi mpich' ranks=2 seconds=12 pause=500 mend=-m keep='' hosts=''
cases='steady +1ms -1ms +20us -20us warm1 warm5 sine unfinished'
while getopts m:n:w:u:c:k:MH option; do
    case $option in
    m) mpis=$OPTARG ;;
    n) ranks=$OPTARG ;;
    w) seconds=$OPTARG ;;
    u) pause=$OPTARG ;;
    c) cases=$OPTARG ;;
    k) keep=$OPTARG ;;
    M) mend='' ;;
    H) hosts=1 ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(readlink -e "${1-}") || { echo "clock_campaign.sh: which build directory?" >&2; exit 2; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# fault NAME: prints the clock's fault as words of SYNCOPATE_TEST_SKEW.
fault() {
    local at
    at=$(python3 -c "import time; print(time.clock_gettime(time.CLOCK_MONOTONIC_RAW) + 1 + $seconds / 3)")
    case $1 in
    +1ms) echo ",step_ns=1e6,step_at_s=$at" ;;
    -1ms) echo ",step_back_ns=1e6,step_at_s=$at" ;;
    +20us) echo ",step_ns=20000,step_at_s=$at" ;;
    -20us) echo ",step_back_ns=20000,step_at_s=$at" ;;
    warm1) echo ",warm_ppm=1,warm_at_s=$at,warm_s=$((seconds / 3))" ;;
    warm5) echo ",warm_ppm=5,warm_at_s=$at,warm_s=$((seconds / 3))" ;;
    sine) echo ",wander_ns=50000,wander_period_s=20" ;;
    esac
}

# run MPI [exit]: a trace in $work/trace.
run() {
    local program=("$build/tests/lab/collective_loop.$1" "$seconds" "$pause" "${@:2}")
    if [[ $hosts ]]; then
        "$here/lab.sh" -B "$build/tests/lab" -k "$ranks" -T 240 "$1" \
            "$build/bin/syncopate" record -q -o "$work/trace" "${program[@]}"
    else
        timeout 300 "$build/bin/syncopate" record -q -o "$work/trace" -- "mpirun.$1" -n "$ranks" "${program[@]}"
    fi
}

printf '%-8s %-10s %8s %10s %10s %10s %8s  %s\n' mpi case times median_ns worst_ns bound_ns outside verdict
for mpi in $mpis; do
    [[ -x $build/tests/lab/collective_loop.$mpi ]] || continue
    for name in $cases; do
        ending=()
        [[ $name == unfinished ]] && ending=(exit)
        rm -rf "$work/trace"
        SYNCOPATE_TEST_SKEW=seed=3,offset_ns=1e9,drift_ppm=20$(fault "$name") run "$mpi" "${ending[@]}" >/dev/null 2>&1
        verdict=$("$build/bin/syncopate" report --format json "$work/trace" 2>/dev/null |
            grep -o '"clock_check": {[^}]*' | sed 's/.*"verdict": "\([^"]*\)".*"violations_as_measured": \([0-9]*\).*/\1 (\2 violations)/')
        "$build/tests/lab/clock_error" -s $mend "$work/trace" | awk -v mpi="$mpi" -v name="$name" -v verdict="$verdict" '$1 == "all" {
            printf "%-8s %-10s %8d %10d %10d %10d %8d  %s\n", mpi, name, $2, $3, $5, $6, $7, verdict }'
        [[ $keep ]] && mkdir -p "$keep" && cp -r "$work/trace" "$keep/$mpi-$ranks-$name"
    done
done
