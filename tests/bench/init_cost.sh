#!/bin/bash
# init_cost.sh - milliseconds that a recording adds to MPI_Init and MPI_Finalize.
#
# usage: init_cost.sh [-r ROUNDS] [-n "RANKS..."] [-k] [-m "MPI..."] [-s METHOD] BUILD_DIRECTORY
#
# RANKS on this machine; with -k each on a host of its own (tests/lab: TCP, 30 us one way and up to 10 us more).
# Runs init_time bare and recorded in turn, so that a busy moment hits both, and prints for each MPI and number of
# ranks: the bare time (median, mean, most), the recorded one, the differences of medians and of means, and what the recorder says of itself
# (cost.init_ns and its parts on rank 0, median). Times are until all ranks have left MPI_Init.
set -u

here=$(dirname "$(readlink -f "$0")")
rounds=7 ranks='1 2 4 8 16 64' mpis='openmpi mpich' method=auto hosts=''
while getopts r:n:km:s: option; do
    case $option in
    r) rounds=$OPTARG ;;
    n) ranks=$OPTARG ;;
    k) hosts=1 ;;
    m) mpis=$OPTARG ;;
    s) method=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(readlink -e "${1-}") || { echo "init_cost.sh: which build directory?" >&2; exit 2; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# of column COLUMN of the lines of $work/VARIANT: "median mean most"
summary() {
    awk -v c="$2" '{ print $c }' "$work/$1" | sort -n |
        awk '{ x[NR] = $1; sum += $1 } END { if (NR) print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2, sum / NR, x[NR] }'
}

# launch MPI RANKS COMMAND...
launch() {
    local mpi=$1 count=$2
    shift 2
    if [[ $hosts ]]; then
        "$here/../lab/lab.sh" -B "$build/tests/lab" -k "$count" -d 30 -j 10 -T 300 "$mpi" "$@"
    else
        timeout 300 "mpirun.$mpi" -n "$count" "$@"
    fi
}

bare() { launch "$1" "$2" "$build/tests/bench/$1/init_time" >>"$work/bare" 2>/dev/null; }

recorded() {
    launch "$1" "$2" "$build/bin/syncopate" record -q --sync "$method" -o "$work/trace" \
        "$build/tests/bench/$1/init_time" >>"$work/recorded" 2>/dev/null
    "$build/bin/syncopate" info --format json "$work/trace" | grep -o '"cost\.[a-z_.]*": "[0-9]*"' | tr -d '":' >>"$work/parts"
}

parts() { # PREFIX: each part's median, the longest first
    awk -v prefix="$1" 'index($1, prefix ".") == 1 { key = substr($1, length(prefix) + 2); sub(/_ns$/, "", key); print key, $2 / 1e6 }' "$work/parts" |
        sort -k1,1 -k2,2n | awk '$1 != key { if (n) print key, x[int((n + 1) / 2)]; key = $1; n = 0 } { x[++n] = $2 }
                                 END { if (n) print key, x[int((n + 1) / 2)] }' |
        sort -k2,2nr | awk '$2 >= 0.05 { printf "%s%s %.1f", (NR > 1 ? ", " : ""), $1, $2 }'
}

printf '%-8s %5s %-9s %23s %23s %15s  %s\n' mpi ranks call 'bare ms: median mean most' 'recorded ms' 'added: median mean' 'parts on rank 0'
for mpi in $mpis; do
    [[ -x $build/tests/bench/$mpi/init_time ]] || continue
    for count in $ranks; do
        rm -f "$work"/{bare,recorded,parts}
        for ((round = 0; round < rounds; round++)); do
            bare "$mpi" "$count"
            recorded "$mpi" "$count"
        done
        for call in init finalize; do
            column=$([[ $call == init ]] && echo 1 || echo 2)
            read -r b b_mean b_most <<<"$(summary bare "$column")"
            read -r r r_mean r_most <<<"$(summary recorded "$column")"
            awk -v mpi="$mpi" -v n="$count" -v call="$call" -v b="$b" -v be="$b_mean" -v bm="$b_most" -v r="$r" -v re="$r_mean" \
                -v rm="$r_most" -v parts="$(parts "cost.$call")" 'BEGIN {
                printf "%-8s %5d %-9s %9.1f %7.1f %7.1f %7.1f %7.1f %7.1f %10.1f %7.1f  %s\n", mpi, n, call, b, be, bm, r, re, rm, r - b, re - be, parts }'
        done
    done
done
