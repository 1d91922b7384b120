#!/bin/sh
# team_work.sh - what each process of a report by several processes does, counted and not timed, so that there may
# be more processes than processors: seconds of the processor and megabytes.
#
#     team_work.sh TEAM MPIRUN MPICC TRACE PROCESSES...
#
# TEAM is the front end of the MPI (syncopate-openmpi, syncopate-mpich). Each process has one thread. A line for each number of
# processes: of process 0, and of the others the mean and the most. Work is what is left of the processor's seconds
# without MPI_Init and without what the MPI does while a process waits for a message.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
team=$1 run=$2 mpicc=$3 trace=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$mpicc" -O2 -shared -fPIC -o "$work/count.so" "$here/team_work.c"
echo "processes  process 0: s  work s  received MB  sent MB  others, mean: s  work s  most work s  received MB  sent MB"
for processes; do
    export TEAM_WORK="$work/$processes"
    "$run" -n "$processes" env LD_PRELOAD="$work/count.so" "$team" report --threads 1 -o "$work/report" "$trace"
    awk -v n="$processes" '
        { work = $2 - $5 - $6 }
        $1 == 0 { own = $2; own_work = work; sent = $3; received = $4; next }
        { sum += $2; works += work; out += $3; in_ += $4; most = work > most ? work : most; others++ }
        END { k = others ? others : 1
              printf "%9d  %12.2f  %6.2f  %11.1f  %7.1f  %15.2f  %6.2f  %11.2f  %11.1f  %7.1f\n", n, own, own_work,
                     received / 1e6, sent / 1e6, sum / k, works / k, most, in_ / k / 1e6, out / k / 1e6 }' "$TEAM_WORK"
done
