#!/bin/sh
# Is one operation of one rank, slower by so many percent, found, named and sized in a program?
# usage: slow_rank.sh SYNCOPATE SLOW_RANK_LIBRARY RUNS RANK PERCENT LAUNCHER -n N PROGRAM...
#        (the launcher is three words: mpirun -n 4)
# Records PROGRAM RUNS times a side in random order, each time with the library behind the profiler: on side A it delays
# nothing, on side B it keeps RANK's MPI_Allreduce PERCENT longer. Then compares each rank's part in each operation.
# SYNCOPATE_ALIGN and the like apply. Traces stay in $OUT (default: ./slow-rank).
set -eu
syncopate=$1 library=$2 runs=$3 rank=$4 percent=$5 launcher="$6 $7 $8"
shift 8
command() { # PERCENT PROGRAM...
    share=$1
    shift
    echo "$launcher env LD_PRELOAD=$library SLOW_RANK=$rank SLOW_PERCENT=$share $*"
}
"$syncopate" compare -q --runs "$runs" --seed 1 -o "${OUT:-slow-rank}" --by op,bytes,rank --threshold 1% \
    -a "$(command 0 "$@")" -b "$(command "$percent" "$@")"
