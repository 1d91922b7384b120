#!/bin/bash
# crowded_clocks.sh - how good the clocks are where processors are shared: runs of two ranks, each behind a clock of its own,
# beside twice as many spinning processes as there are processors.
#
# usage: crowded_clocks.sh [-m "MPI..."] [-n RUNS] [-l SPINNING] [-r RANKS] BUILD_DIRECTORY
#
# For each MPI the worst error and the widest bound of each run's times, on ranks other than 0: median, 95th percentile and worst
# over the runs, how many runs are within 100 ns and 2 us, and how many times lie outside their bounds.
# MENDED=1: of the clocks as `report` takes them, whose bounds also cover what a clock may have done unseen.
set -u

mpis='openmpi mpich' runs=20 ranks=2 spinning=$((2 * $(nproc)))
while getopts m:n:l:r: option; do
    case $option in
    m) mpis=$OPTARG ;;
    n) runs=$OPTARG ;;
    l) spinning=$OPTARG ;;
    r) ranks=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(readlink -e "${1-}") || { echo "crowded_clocks.sh: which build directory?" >&2; exit 2; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d) spinners=()
finish() {
    ((${#spinners[@]})) && kill "${spinners[@]}" 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM
for ((i = 0; i < spinning; i++)); do
    timeout 3600 sh -c 'while :; do :; done' &
    spinners+=($!)
done

printf '%-8s %5s %30s %30s %8s %8s\n' mpi runs 'error_ns: median p95 worst' 'bound_ns: median p95 worst' within outside
for mpi in $mpis; do
    [[ -x $build/tests/lab/collective_loop.$mpi ]] || continue
    for ((run = 1; run <= runs; run++)); do
        SYNCOPATE_TEST_SKEW=seed=$run,offset_ns=1e9,drift_ppm=20 timeout 120 "$build/bin/syncopate" record -q -o "$work/trace" -- \
            "mpirun.$mpi" -n "$ranks" "$build/tests/lab/collective_loop.$mpi" 1 500 >/dev/null || exit
        "$build/tests/lab/clock_error" ${MENDED:+-m} -s "$work/trace" | awk '$1 == "all" { print $5, $6, $7 }'
    done >"$work/$mpi"
    count=$(wc -l <"$work/$mpi")
    # place COLUMN SHARE: the value that so many of the runs do not exceed
    place() { cut -d ' ' -f "$1" "$work/$mpi" | sort -n | sed -n "$(((count * $2 + 99) / 100))p"; }
    printf '%-8s %5d %30s %30s %8d %8d\n' "$mpi" "$count" "$(place 1 50) $(place 1 95) $(place 1 100)" \
        "$(place 2 50) $(place 2 95) $(place 2 100)" "$(awk '$1 <= 100 && $2 <= 2000' "$work/$mpi" | wc -l)" \
        "$(awk '{ sum += $3 } END { print sum + 0 }' "$work/$mpi")"
done
