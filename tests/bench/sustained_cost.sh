#!/bin/sh
# What a wrapped call costs in a long run: mean, median, 99.9th and 99.99th percentile and the longest, bare, with a wrapper that only
# reads the clock twice, with syncopate without and with call stacks, and with any other library to preload.
# usage: sustained_cost.sh PROGRAM TWO_READS_LIBRARY LIBSYNCOPATE LAUNCHER [ROUNDS [CALLS...]]
# Calls default to 10^4 to 10^7, rounds to 3. The variants take turns, so that a busy moment hits all of them; each figure is the median over
# rounds. With RANKS=N (default 1) every rank makes the calls, each on MPI_COMM_SELF, or with WORLD=yes all together.
# OTHERS="NAME=LIBRARY ...": more variants, as mpiP=/opt/lib/libmpiP.so. CALL=barrier|allreduce (default allreduce).
# OUTPUT: where traces go (default: a temporary directory), as /dev/shm/traces: what mapped pages cost is the file system's.
set -eu
program=$(realpath "$1") two_reads=$(realpath "$2") syncopate=$(realpath "$3") launcher=$4 rounds=${5:-3}
shift 4
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 10000 100000 1000000 10000000
call=${CALL:-allreduce}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export SYNCOPATE_OUTPUT="${OUTPUT:-$work}/trace" SYNCOPATE_QUIET=1 SYNCOPATE_SYNC=none

for library in "$two_reads" "$syncopate"; do # what cannot be loaded costs nothing
    [ -r "$library" ] || {
        echo "sustained_cost.sh: $library: no such library" >&2
        exit 2
    }
done
for other in ${OTHERS:-}; do
    [ -r "${other#*=}" ] || {
        echo "sustained_cost.sh: ${other#*=}: no such library" >&2
        exit 2
    }
done

run() { # CALLS VARIANT NAME=VALUE...: appends a "CALLS VARIANT MEAN MEDIAN P99.9 P99.99 LONGEST OVER" line
    calls=$1 variant=$2
    shift 2
    (cd "$work" && "$launcher" -n "${RANKS:-1}" env "$@" "$program" "$call" "$calls" ${WORLD:+world}) >"$work/said"
    sed -nE "s/^sustained ([0-9]+) /\1 $variant /p" "$work/said" >>"$work/figures"
}

variants='bare two-reads stack-0 stacks'
for other in ${OTHERS:-}; do
    variants="$variants ${other%%=*}"
done
for round in $(seq "$rounds"); do
    for calls in "$@"; do
        run "$calls" bare LD_PRELOAD=
        run "$calls" two-reads "LD_PRELOAD=$two_reads"
        run "$calls" stack-0 "LD_PRELOAD=$syncopate" SYNCOPATE_STACK=0
        run "$calls" stacks "LD_PRELOAD=$syncopate"
        for other in ${OTHERS:-}; do
            run "$calls" "${other%%=*}" "LD_PRELOAD=${other#*=}"
        done
    done
done

median() { # CALLS VARIANT COLUMN
    awk -v n="$1" -v v="$2" -v c="$3" '$1 == n && $2 == v { print $c }' "$work/figures" | sort -n |
        awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'
}

printf '%s, ranks: %s\n' "$call" "${RANKS:-1}"
printf '%10s %-12s %9s %11s %9s %9s %9s %11s %s\n' calls variant mean 'mean added' median p99.9 p99.99 longest 'beyond 20 us, ns a call'
for calls in "$@"; do
    bare=$(median "$calls" bare 3)
    for variant in $variants; do
        printf '%s %s %s %s %s %s %s %s\n' "$calls" "$variant" "$(median "$calls" "$variant" 3)" "$(median "$calls" "$variant" 4)" \
            "$(median "$calls" "$variant" 5)" "$(median "$calls" "$variant" 6)" "$(median "$calls" "$variant" 7)" "$(median "$calls" "$variant" 8)" |
            awk -v bare="$bare" '{ printf "%10d %-12s %9.1f %11.1f %9.0f %9.0f %9.0f %11.0f %.1f\n", $1, $2, $3, $3 - bare, $4, $5, $6, $7, $8 }'
    done
done
