#!/bin/sh
# team_work.sh - what each process of a report by several processes does, counted and not timed, so that there may
# be more processes than processors: seconds of the processor and megabytes.
#
#     team_work.sh TEAM MPIRUN MPICC TRACE PROCESSES...
#
# TEAM is the front end of the MPI (syncopate-openmpi, syncopate-mpich). Each process has one thread. A line for each number of
# processes: of process 0, and of the others the mean and the most.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
team=$1 run=$2 mpicc=$3 trace=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$mpicc" -O2 -shared -fPIC -o "$work/count.so" "$here/team_work.c"
echo "processes  process 0: s  received MB  sent MB  others: mean s  most s  sent MB (mean)"
for processes; do
    export TEAM_WORK="$work/$processes"
    "$run" -n "$processes" env LD_PRELOAD="$work/count.so" "$team" report --threads 1 -o "$work/report" "$trace"
    awk -v n="$processes" '
        $1 == 0 { own = $2; sent = $3; received = $4; next }
        { sum += $2; bytes += $3; most = $2 > most ? $2 : most; others++ }
        END { printf "%9d  %12.2f  %11.1f  %7.1f  %14.2f  %6.2f  %14.1f\n", n, own, received / 1e6, sent / 1e6,
                     others ? sum / others : 0, most, others ? bytes / others / 1e6 : 0 }' "$TEAM_WORK"
done
