#!/bin/bash
# resync_error.sh - what --resync is worth: how wrong global times are during a run, against clocks whose error is known.
#
# usage: resync_error.sh [-m "MPI..."] [-n RANKS] [-w SECONDS] [-i "INTERVALS..."] BUILD_DIRECTORY
#
# collective_loop runs on this machine, each rank behind a clock of its own (sync/time/clock_skew.h), up to 1 s and 20 ppm apart:
#   steady    wander within what the bound assumes of clocks (0.03 ppm over 20 s)
#   warming   ten times as much as that
# Once without and once for each interval with --resync, and printed: how often was measured; of all times of events on ranks
# other than 0 the absolute error (median, 95th percentile, worst), the widest bound, and how many errors lie outside theirs.
set -u

mpis='openmpi mpich' ranks=2 seconds=20 intervals='5 1'
while getopts m:n:w:i: option; do
    case $option in
    m) mpis=$OPTARG ;;
    n) ranks=$OPTARG ;;
    w) seconds=$OPTARG ;;
    i) intervals=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(readlink -e "${1-}") || { echo "resync_error.sh: which build directory?" >&2; exit 2; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

apart=seed=3,offset_ns=1e9,drift_ppm=20
declare -A clocks=([steady]=$apart,wander_ns=100,wander_period_s=20 [warming]=$apart,wander_ns=1000,wander_period_s=20)

printf '%-8s %-8s %7s %9s %9s %10s %8s %9s %9s %8s\n' mpi clocks resync measured times median_ns p95_ns worst_ns bound_ns outside
for mpi in $mpis; do
    [[ -x $build/tests/lab/collective_loop.$mpi ]] || continue
    for kind in steady warming; do
        for interval in 0 $intervals; do
            SYNCOPATE_TEST_SKEW=${clocks[$kind]} "$build/bin/syncopate" record -q --resync "$interval" -o "$work/trace" -- \
                "mpirun.$mpi" -n "$ranks" "$build/tests/lab/collective_loop.$mpi" "$seconds" 500 >/dev/null || exit
            count=$("$build/bin/syncopate" info --format json "$work/trace" | grep -o '"resync_count": [0-9]*' | grep -o '[0-9]*$')
            "$build/tests/lab/clock_error" -s "$work/trace" | awk -v mpi="$mpi" -v kind="$kind" -v interval="$interval" \
                -v count="${count:-0}" '$1 == "all" {
                printf "%-8s %-8s %7s %9d %9d %10d %8d %9d %9d %8d\n", mpi, kind, interval ? interval " s" : "-", count, $2, $3, $4, $5, $6, $7 }'
        done
    done
done
