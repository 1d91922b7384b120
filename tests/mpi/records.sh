#!/bin/sh
# Does the trace hold exactly the records that a program says it must?
#
# PROGRAM writes to $EXPECTED_RECORDS/rank-R, before each collective, "operation comm_size bytes root"
# (expected_records.f90). Compares these lines with the trace, rank by rank and in order.
# Options -m MPI, -n RANKS, -b BUILD as in counts.sh.
# Exit status: 0 equal, 1 different or the program failed, 2 could not be run.
set -u
usage='records.sh -m MPI [-n RANKS] [-b BUILD] PROGRAM [ARG...]'
. "$(dirname "$0")/under_syncopate.sh"

while getopts m:n:b: option; do
    take_common "$option" "${OPTARG-}"
done
shift $((OPTIND - 1))
prepare "$@"

# Bare first: a program that is wrong by itself shows nothing.
launch "$@" >"$scratch/bare.out" 2>"$scratch/bare.err" || {
    tail -n 20 "$scratch/bare.err"
    die "$1 fails without the profiler"
}
mkdir "$scratch/expected" || exit 2
EXPECTED_RECORDS=$scratch/expected
export EXPECTED_RECORDS
traced "$@" || {
    echo "exit status $? under syncopate:"
    tail -n 20 "$scratch/traced.err"
    exit 1
}
if ! cmp -s "$scratch/bare.out" "$scratch/traced.out"; then
    echo "standard output differs:"
    diff "$scratch/bare.out" "$scratch/traced.out" | head -n 20
    exit 1
fi

recorded >"$scratch/rows" || exit 1
status=0
rank=0
while [ $rank -lt "$ranks" ]; do
    awk -v rank=$rank '$1 == rank { print $2, $3, $4, $5 }' "$scratch/rows" >"$scratch/rank"
    if ! diff "$scratch/expected/rank-$rank" "$scratch/rank" >"$scratch/difference"; then
        echo "rank $rank (operation, comm_size, bytes, root; <: expected, >: the trace):"
        head -n 40 "$scratch/difference"
        status=1
    fi
    rank=$((rank + 1))
done
[ $status = 0 ] || exit $status
echo "$1: $(cat "$scratch"/expected/* | wc -l) records on $ranks ranks of $mpi, as expected"
