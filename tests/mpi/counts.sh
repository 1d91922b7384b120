#!/bin/sh
# Is every collective of a program counted exactly once?
#
# Runs PROGRAM twice: under the independent counter (count_pmpi.c), and under syncopate. Compares the two exit
# statuses, and the number of calls of each operation by each rank; the profiler's come from
# `syncopate export --format csv`.
#   -m MPI      openmpi, mpich, ...: mpirun.MPI starts it
#   -n RANKS    default 2
#   -b BUILD    directory of the build; default: build/ of the checkout
#   -a          communicator constructors, windows and files too
#   -o          the two standard outputs must be the same bytes
#   -x COMMAND  to run before each of the two (to remove what the program wrote)
# Exit status: 0 equal, 1 different (says what), 2 could not be run.
set -u
usage='counts.sh -m MPI [-n RANKS] [-b BUILD] [-a] [-o] [-x COMMAND] PROGRAM [ARG...]'
. "$(dirname "$0")/under_syncopate.sh"

all=no same_output=no before=:
while getopts m:n:b:aox: option; do
    case $option in
    a) all=yes ;;
    o) same_output=yes ;;
    x) before=$OPTARG ;;
    *) take_common "$option" "${OPTARG-}" ;;
    esac
done
shift $((OPTIND - 1))
prepare "$@"
counter=$build/tests/mpi/libcount_pmpi_$mpi.so
[ -e "$counter" ] || die "no $counter"
mkdir "$scratch/counts" || exit 2

collectives() {
    case $all in
    yes) cat ;;
    *) grep -vE ' MPI_(Comm|Cart|Graph|Dist_graph|Intercomm|Win|File)_' ;;
    esac
}

sh -c "$before" || die "-x: $before"
launch LD_PRELOAD="$counter" COUNT_PMPI_OUTPUT="$scratch/counts" "$@" \
    >"$scratch/counted.out" 2>"$scratch/counted.err"
counted_status=$?
sh -c "$before" || die "-x: $before"
traced "$@"
traced_status=$?

# The program's own result first: if it went wrong, the counts mean nothing.
if [ $counted_status != $traced_status ]; then
    echo "exit status $counted_status under the counter, $traced_status under syncopate:"
    tail -n 20 "$scratch/counted.err" "$scratch/traced.err"
    exit 1
fi
if [ $same_output = yes ] && ! cmp -s "$scratch/counted.out" "$scratch/traced.out"; then
    echo "standard output differs:"
    diff "$scratch/counted.out" "$scratch/traced.out" | head -n 20
    exit 1
fi

cat "$scratch"/counts/rank-* 2>/dev/null | grep -v ' failed$' | collectives | LC_ALL=C sort >"$scratch/expected"
recorded >"$scratch/rows" || exit 1
# The second flag: the call returned an error.
awk 'int($6 / 2) % 2 == 0 { count[$1 " " $2]++ } END { for (key in count) print key, count[key] }' \
    "$scratch/rows" | collectives | LC_ALL=C sort >"$scratch/counted"

if ! cmp -s "$scratch/expected" "$scratch/counted"; then
    echo "counts differ (rank, operation, calls; <: the counter, >: the trace):"
    diff "$scratch/expected" "$scratch/counted"
    exit 1
fi
calls=$(awk '{ sum += $3 } END { print sum + 0 }' "$scratch/expected")
operations=$(cut -d' ' -f2 "$scratch/expected" | sort -u | wc -l)
[ "$calls" -gt 0 ] || die "$1 made no collective call: nothing is shown"
echo "$1: $calls calls of $operations operations on $ranks ranks of $mpi, each counted once"
