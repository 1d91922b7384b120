#!/bin/sh
# What a message call costs: bare, with --messages off, sums and events; beside them two clock reads (two_reads.so of that MPI) where
# TWO_READS names it, and other tools. usage: message_cost.sh MPICC LIBSYNCOPATE [ROUNDS]. Of one rank, without a launcher.
# OTHERS="NAME=LIBRARY[:LIBRARY...] ...": the tools, by full path, as mpiP=/opt/lib/libmpiP.so. What they need else is given in the
# environment: MPIP='-k 0'; EZTRACE_TRACE=mpich EZTRACE_LIBRARY_PATH=DIR EZTRACE_TRACE_DIR=eztrace LD_LIBRARY_PATH=DIR with
# libeztrace-lib.so:libeztrace-mpich.so; SCOREP_ENABLE_TRACING=1 SCOREP_ENABLE_PROFILING=0 SCOREP_TOTAL_MEMORY=1G with scorep-preload-init's.
# The variants take turns, ROUNDS times (default 7); each figure is the median over rounds. Timed one by one: median, mean,
# 99.9th percentile, longest, of which the clock's own 20 ns and steps are a part; loop: without timing. probe, test: find nothing;
# exchange: one Sendrecv, two messages; three: Irecv, Isend, Waitall. Bytes a message are of all files that a run without polls leaves.
set -eu
mpicc=$1 syncopate=$(realpath "$2") rounds=${3:-7} others=${OTHERS:-}
two_reads=${TWO_READS:+$(realpath "$TWO_READS")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SYNCOPATE_OUTPUT=trace SYNCOPATE_QUIET=1 SYNCOPATE_SYNC=none OMPI_MCA_btl=self OMPI_MCA_ess_singleton_isolated=1
"$mpicc" -O2 -Wno-unknown-warning-option -Wno-stringop-overflow -o "$work/program" "$(dirname "$0")/message_cost.c"
cd "$work"

variants="bare ${two_reads:+reads} off sums events"
for other in $others; do
    variants="$variants ${other%%=*}"
done
[ -n "$others" ] || echo 'message_cost.sh: no other tool is named by OTHERS' >&2

libraries() { # VARIANT
    case $1 in
    bare) ;;
    reads) echo "$two_reads" ;;
    off | sums | events) echo "$syncopate" ;;
    *) printf '%s\n' $others | sed -n "s/^$1=//p" ;;
    esac
}
for variant in $variants; do
    for library in $(libraries "$variant" | tr : ' '); do # what cannot be loaded costs nothing
        [ -r "$library" ] || {
            echo "message_cost.sh: $library: no such library" >&2
            exit 2
        }
    done
done

run() { # VARIANT [POLLS]: tools write where they are started
    rm -rf "run-$1"
    mkdir "run-$1"
    (cd "run-$1" && env "LD_PRELOAD=$(libraries "$1")" "SYNCOPATE_MESSAGES=$1" ../program 300000 ${2:-}) >said
}
for round in $(seq "$rounds"); do
    for variant in $variants; do
        run "$variant"
        sed -nE "s/^(probe|test|exchange|three) /$variant \1 /p" said >>figures
    done
done

printf '%-7s %-9s %8s %8s %8s %10s %8s\n' '' call median mean p99.9 longest loop
for variant in $variants; do
    for call in probe test exchange three; do
        printf '%-7s %-9s' "$variant" "$call"
        for column in 3 4 5 6 8; do
            awk -v v="$variant" -v c="$call" -v k=$column '$1 == v && $2 == c { print $k }' figures | sort -n |
                awk '{ x[NR] = $1 } END { printf " %8.1f", x[int((NR + 1) / 2)] }'
        done
        echo
    done
done
for variant in events $(printf '%s\n' $others | sed 's/=.*//'); do # both exchanges, in loops and timed: 8 messages a call
    run "$variant" 0
    find "run-$variant" -type f -printf '%s\n' | awk -v v="$variant" '{ sum += $1 } END { printf "%s: %.2f bytes a message\n", v, sum / 8 / 300000 }'
done
