#!/bin/bash
# begin_drifts.sh - is the drift that MPI_Init measures as wrong as its standard error says? Starts of ranks that are each behind a
# clock of its own, whose drift is known.
#
# usage: begin_drifts.sh [-m "MPI..."] [-n STARTS] [-r RANKS] [-c CPUS] [-s SEED] BUILD_DIRECTORY
#
# For each MPI, over the drifts of all ranks but 0: by how many standard errors they are off (root mean square and at most), how many
# by more than 2 and 4 of them, and the error itself. -c 0: on one processor. What the caller exports of an MPI's settings holds (TCP:
# OMPI_MCA_btl=tcp,self, or MPIR_CVAR_NOLOCAL=1 and FI_PROVIDER=tcp).
set -u

mpis='openmpi mpich' starts=60 ranks=2 first=1 pinned=()
while getopts m:n:r:c:s: option; do
    case $option in
    m) mpis=$OPTARG ;;
    n) starts=$OPTARG ;;
    r) ranks=$OPTARG ;;
    c) pinned=(taskset -c "$OPTARG") ;;
    s) first=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(readlink -e "${1-}") || { echo "begin_drifts.sh: which build directory?" >&2; exit 2; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '%-8s %6s %24s %14s %30s\n' mpi drifts 'off_errors: rms most' 'beyond: 2 4' 'error_ppm: median p95'
for mpi in $mpis; do
    [[ -x $build/tests/mpi/$mpi/loop ]] || continue
    for ((seed = first; seed < first + starts; seed++)); do
        SYNCOPATE_TEST_SKEW=seed=$seed,offset_ns=1e9,drift_ppm=20 timeout 120 "${pinned[@]}" "$build/bin/syncopate" record -q \
            -o "$work/trace" -- "mpirun.$mpi" -n "$ranks" "$build/tests/mpi/$mpi/loop" 20 >"$work/out" 2>&1 </dev/null ||
            { cat "$work/out" >&2; exit 1; }
        "$build/tests/lab/clock_error" -s -d "$work/trace" | tail -n +2
        rm -rf "$work/trace"
    done | sort -g -k 3 >"$work/$mpi"
    awk -v mpi="$mpi" '
        { error[NR] = $3; off = $4 / $3; off = off < 0 ? -off : off; squares += off * off
          if (off > most) most = off
          two += off > 2; four += off > 4 }
        END { printf "%-8s %6d %24s %14s %30s\n", mpi, NR, sprintf("%.2f %.2f", sqrt(squares / NR), most), two + 0 " " four + 0,
                     sprintf("%.4f %.4f", error[int((NR + 1) / 2)], error[int((NR * 95 + 99) / 100)]) }' "$work/$mpi"
done
