#!/bin/sh
# What a wrapped call costs in a long run: mean, median, 99.9th and 99.99th percentile and the longest, bare, with a wrapper that only
# reads the clock twice, with syncopate without and with call stacks, and with any other library to preload.
# usage: sustained_cost.sh PROGRAM TWO_READS_LIBRARY LIBSYNCOPATE LAUNCHER [ROUNDS [CALLS...]]
# Calls default to 10^4 to 10^7, rounds to 3. The variants take turns, so that a busy moment hits all of them; each figure is the median over
# rounds. `cpu` is the processor time of a call: without what others had the processor for. `again` is the longest of the shortest times that
# each call took in any round, up to 10^7 calls: a machine's stops come at any call, a recorder's at the same ones each time. `first` is that
# of the first call, which is MPI's own first and not in `again`.
# With RANKS=N (default 1) every rank makes the calls, each on MPI_COMM_SELF, or with WORLD=yes all together; THREADS=N: in each of N threads.
# OTHERS="NAME=LIBRARY[:LIBRARY...] ...": more variants, as mpiP=/opt/lib/libmpiP.so. CALL=barrier|allreduce|iallreduce|comm|sites|paths|apart|asleep (default
# allreduce; iallreduce with its MPI_Wait, comm: MPI_Comm_dup and MPI_Comm_free, sites and paths: from 10,000 call sites and on 1,000 ways to
# one, apart and asleep: an allreduce behind 2 ms of work on memory or of sleep each time).
# OUTPUT: where traces go (default: a temporary directory), as /dev/shm/traces: what mapped pages cost is the file system's.
set -eu
program=$(realpath "$1") two_reads=$(realpath "$2") syncopate=$(realpath "$3") launcher=$4 rounds=${5:-3}
shift 4
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 10000 100000 1000000 10000000
call=${CALL:-allreduce}
where=self
[ -z "${WORLD:-}" ] || where=world
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
    for library in $(echo "${other#*=}" | tr : ' '); do
        [ -r "$library" ] || {
            echo "sustained_cost.sh: $library: no such library" >&2
            exit 2
        }
    done
done

run() { # CALLS VARIANT NAME=VALUE...: appends a "CALLS VARIANT MEAN MEDIAN P99.9 P99.99 LONGEST OVER" line
    calls=$1 variant=$2
    shift 2
    times=
    [ "$calls" -gt 10000000 ] || times=SYNCOPATE_BENCH_TIMES=$work/times-$calls-$variant-$round
    (cd "$work" && "$launcher" -n "${RANKS:-1}" env $times "$@" "$program" "$call" "$calls" "$where" ${THREADS:-}) >"$work/said"
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

again() { # CALLS VARIANT: "FIRST LONGEST", "- -" where times are not kept
    [ "$1" -le 10000000 ] || { echo - -; return; }
    "$program" again "$work/times-$1-$2-"* | awk '{ print $5, $6 }'
}

printf '%s on %s, ranks: %s, threads: %s\n' "$call" "$where" "${RANKS:-1}" "${THREADS:-1}"
printf '%10s %-12s %8s %8s %8s %8s %8s %9s %7s %9s %10s %s\n' calls variant cpu 'cpu more' mean median p99.9 p99.99 first again longest 'beyond 20 us, ns a call'
for calls in "$@"; do
    bare=$(median "$calls" bare 9)
    for variant in $variants; do
        printf '%s %s %s %s %s %s %s %s %s %s\n' "$calls" "$variant" "$(median "$calls" "$variant" 3)" "$(median "$calls" "$variant" 4)" \
            "$(median "$calls" "$variant" 5)" "$(median "$calls" "$variant" 6)" "$(median "$calls" "$variant" 7)" "$(median "$calls" "$variant" 8)" \
            "$(median "$calls" "$variant" 9)" "$(again "$calls" "$variant")" |
            awk -v bare="$bare" '{ printf "%10d %-12s %8.1f %8.1f %8.1f %8.0f %8.0f %9.0f %7s %9s %10.0f %.1f\n", $1, $2, $9, $9 - bare, $3, $4, $5, $6, $10, $11, $7, $8 }'
    done
done
