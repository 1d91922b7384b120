#!/bin/bash
# align_figures.sh - what aligned starts change: Hunold & Carpen-Amarie (2015), Fig. 9 and 10 on this machine.
#
# usage: align_figures.sh [-n RANKS] [-c COUNT] [-b BYTES] [-o DIR] BUILD_DIRECTORY
#
# For each MPI, a loop of MPI_Allreduce and of MPI_Barrier is recorded as it is, after barriers and in windows. Printed, and
# drawn to DIR/align-MPI.png (where there is R):
#   Fig. 9   the time of MPI_Allreduce: local (the longest of any rank) and global (first start to last end)
#   Fig. 10  when each rank leaves MPI_Barrier, after the first one
set -u

here=$(dirname "$(readlink -f "$0")")
. "$here/../plain_tmpdir.sh"
ranks=2 count=4000 bytes=32768 out=align-figures
while getopts n:c:b:o: option; do
    case $option in
    n) ranks=$OPTARG ;;
    c) count=$OPTARG ;;
    b) bytes=$OPTARG ;;
    o) out=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(readlink -e "${1-}") || { echo "align_figures.sh: which build directory?" >&2; exit 2; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
syncopate=$build/bin/syncopate
mkdir -p "$out" || exit

for mpi in openmpi mpich; do
    program=$build/tests/bench/$mpi/align_loop
    [[ -x $program ]] || continue
    for align in none barrier window; do
        "$syncopate" record -q --align "$align" -o "$out/$mpi-$align" -- \
            "mpirun.$mpi" -n "$ranks" "$program" "$count" "$bytes" || exit
        "$syncopate" export --format csv -o "$out/$mpi-$align.csv" "$out/$mpi-$align" || exit
        printf '\n%s, --align %s\n' "$mpi" "$align"
        "$syncopate" report --by op,bytes --format csv "$out/$mpi-$align" | awk -F, '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { printf "  %-14s n %5d   completion %7.2f us (%.2f .. %.2f)   local max %7.2f us   spread %6.2f us   exit skew %6.2f us (+-%.2f)\n",
                     $at["op"], $at["completion_n"], $at["completion_median"] / 1e3, $at["completion_ci_low"] / 1e3,
                     $at["completion_ci_high"] / 1e3, $at["local_max_median"] / 1e3, $at["spread_median"] / 1e3,
                     $at["exit_skew_median"] / 1e3, $at["exit_skew_clock_bound"] / 1e3 }'
        "$syncopate" info "$out/$mpi-$align" | sed -n 's/^ *- \(.*started late.*\)/  \1/p'
    done
    if command -v Rscript >/dev/null; then
        Rscript "$here/align_figures.R" "$out/$mpi" "$out/align-$mpi.png" || exit
    fi
done
