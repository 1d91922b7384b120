#!/bin/sh
# Is every collective of a program counted exactly once?
# usage: counts.sh [-m MPI] [-n RANKS] [-b BUILD] [-d] [-o] [-f COMMAND] [-t] [-r] [-x COMMAND] PROGRAM [ARG...]
#
# Runs PROGRAM twice: under the independent counter (count_pmpi.c), and under syncopate. Compares the two exit
# statuses, and the number of calls of each operation by each rank; the profiler's come from
# `syncopate export --format csv`.
#   -m MPI      openmpi, mpich, ...: started by mpirun.MPI; under ctest the variables of lib.sh say it
#   -n RANKS    default 2
#   -b BUILD    directory of the build; default: build/ of the checkout
#   -d          collectives on data only: not those on communicators, windows and files
#   -o          the two standard outputs must be the same bytes
#   -f COMMAND  what it makes of them must be: it is run after each of the two, with the program's output as its input
#               (to leave out times, or to show files instead)
#   -t          one run, the counter behind the profiler: for programs that do not call the same twice (hpcc draws the
#               rank that measures). The counter then sees what the profiler passes on, and still counts for itself
#   -r          the results alone: of such a program, over two runs
#   -x COMMAND  to run before each of the two (to remove what the program wrote)
# Exit status: 0 equal, 1 different (says what), 2 could not be run.
ranks=2 build=$(dirname "$0")/../../build all=yes same_output=no together=no results_only=no before=: filter=cat
while getopts m:n:b:dof:trx: option; do
    case $option in
    m) MPI=$OPTARG MPIRUN=mpirun.$OPTARG ;;
    n) ranks=$OPTARG ;;
    b) build=$OPTARG ;;
    d) all=no ;;
    o) same_output=yes ;;
    f) same_output=yes filter=$OPTARG ;;
    t) together=yes ;;
    r) results_only=yes ;;
    x) before=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
SYNCOPATE=${SYNCOPATE:-$(cd "$build" && pwd)/lib/libsyncopate.so}
COUNTER=${COUNTER:-$(cd "$build" && pwd)/tests/mpi/$MPI/libcount_pmpi.so}
MPI_TIMEOUT=${MPI_TIMEOUT:-500}
. "$(dirname "$0")/lib.sh"

die() {
    echo "counts.sh: $*" >&2
    exit 2
}
[ $# -gt 0 ] || die "which program?"
[ -e "$SYNCOPATE" ] || die "no $SYNCOPATE"
[ -e "$COUNTER" ] || die "no $COUNTER"

collectives() {
    case $all in
    yes) cat ;;
    *) grep -vE ' MPI_(Comm|Cart|Graph|Dist_graph|Intercomm|Win|File)_' ;;
    esac
}

shown() { # WHICH: its output as the filter has it
    sh -c "$filter" <"$work/$1.out" >"$work/$1.shown"
    mv "$work/$1.shown" "$work/$1.out"
}

mkdir "$work/counts"
sh -c "$before" || die "-x: $before"
case $together in
yes)
    recorded "$ranks" SYNCOPATE_QUIET=1 "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE $COUNTER" "COUNT_PMPI_OUTPUT=$work/counts" "$@" \
        >"$work/recorded.out"
    recorded_status=$?
    counted_status=$recorded_status
    cp "$work/recorded.out" "$work/counted.out"
    ;;
*)
    mpi "$ranks" env "LD_PRELOAD=$COUNTER" "COUNT_PMPI_OUTPUT=$work/counts" "$@" >"$work/counted.out" 2>"$work/counted.err"
    counted_status=$?
    shown counted
    sh -c "$before" || die "-x: $before"
    recorded "$ranks" SYNCOPATE_QUIET=1 "$@" >"$work/recorded.out"
    recorded_status=$?
    shown recorded
    ;;
esac

# The program's own result first: if it went wrong, the counts mean nothing.
if [ $counted_status != $recorded_status ]; then
    echo "exit status $counted_status under the counter, $recorded_status under syncopate:"
    tail -n 20 "$work/counted.err" "$work/said"
    exit 1
fi
if [ $same_output = yes ] && ! cmp -s "$work/counted.out" "$work/recorded.out"; then
    echo "standard output differs:"
    diff "$work/counted.out" "$work/recorded.out" | head -n 20
    exit 1
fi

if [ $results_only = yes ]; then
    [ -s "$work/counted.out" ] || die "$1: no results to compare"
    echo "$1: the same results on $ranks ranks of $MPI, $(wc -l <"$work/counted.out") lines"
    exit 0
fi

cat "$work"/counts/rank-* 2>/dev/null | grep -v ' failed$' | collectives | LC_ALL=C sort >"$work/wanted"
exported_rows >"$work/rows" || exit 1
# The second flag: the call returned an error.
awk 'int($6 / 2) % 2 == 0 { count[$1 " " $2]++ } END { for (key in count) print key, count[key] }' \
    "$work/rows" | collectives | LC_ALL=C sort >"$work/got"

if ! cmp -s "$work/wanted" "$work/got"; then
    echo "counts differ (rank, operation, calls; <: the counter, >: the trace):"
    diff "$work/wanted" "$work/got"
    exit 1
fi
calls=$(awk '{ sum += $3 } END { print sum + 0 }' "$work/wanted")
operations=$(cut -d' ' -f2 "$work/wanted" | sort -u | wc -l)
[ "$calls" -gt 0 ] || die "$1 made no collective call: nothing is shown (its exit status: $counted_status)"
echo "$1: $calls calls of $operations operations on $ranks ranks of $MPI, each counted once; exit status $counted_status"
