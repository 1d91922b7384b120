#!/bin/sh
# What a message call costs: bare, with --messages off, sums and events; beside them two clock reads (two_reads.so of that MPI) where
# TWO_READS names it, and mpiP, which wraps messages too, where MPIP_LIBRARY does. usage: message_cost.sh MPICC LIBSYNCOPATE [ROUNDS]. Of one rank, without a launcher.
# The variants take turns, ROUNDS times (default 7); each figure is the median over rounds. Timed one by one: median, mean,
# 99.9th percentile, longest, of which the clock's own 20 ns and steps are a part; loop: without timing. exchange: one Sendrecv, two
# messages; three: Irecv, Isend, Waitall. The last line: bytes a message in the trace.
set -eu
mpicc=$1 syncopate=$(realpath "$2") rounds=${3:-7}
for library in "$syncopate" "${TWO_READS:-$syncopate}" "${MPIP_LIBRARY:-$syncopate}"; do # what cannot be loaded costs nothing
    [ -r "$library" ] || {
        echo "message_cost.sh: $library: no such library" >&2
        exit 2
    }
done
[ -z "${TWO_READS:-}" ] || TWO_READS=$(realpath "$TWO_READS")
[ -z "${MPIP_LIBRARY:-}" ] || MPIP_LIBRARY=$(realpath "$MPIP_LIBRARY")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SYNCOPATE_OUTPUT="$work/trace" SYNCOPATE_QUIET=1 SYNCOPATE_SYNC=none OMPI_MCA_btl=self
"$mpicc" -O2 -Wno-unknown-warning-option -Wno-stringop-overflow -o "$work/program" "$(dirname "$0")/message_cost.c"

run() { # VARIANT [NAME=VALUE...]
    variant=$1
    shift
    (cd "$work" && env "$@" ./program 300000) | sed -nE "s/^(probe|exchange|three) /$variant \1 /p" >>"$work/figures"
}
round=0
while [ $round -lt "$rounds" ]; do
    run bare LD_PRELOAD=
    [ -z "${TWO_READS-}" ] || run reads "LD_PRELOAD=$TWO_READS"
    run off "LD_PRELOAD=$syncopate" SYNCOPATE_MESSAGES=off
    run sums "LD_PRELOAD=$syncopate" SYNCOPATE_MESSAGES=sums
    rm -rf "$work/trace"
    run events "LD_PRELOAD=$syncopate" SYNCOPATE_MESSAGES=events
    [ -z "${MPIP_LIBRARY-}" ] || run mpip "LD_PRELOAD=$MPIP_LIBRARY"
    round=$((round + 1))
done

printf '%-6s %-9s %8s %8s %8s %10s %8s\n' '' call median mean p99.9 longest loop
for variant in bare ${TWO_READS:+reads} off sums events ${MPIP_LIBRARY:+mpip}; do
    for call in probe exchange three; do
        printf '%-6s %-9s' "$variant" "$call"
        for column in 3 4 5 6 8; do
            awk -v v="$variant" -v c="$call" -v k=$column '$1 == v && $2 == c { print $k }' "$work/figures" | sort -n |
                awk '{ x[NR] = $1 } END { printf " %8.1f", x[int((NR + 1) / 2)] }'
        done
        echo
    done
done
# Both exchanges, in loops and timed: 8 messages a call of the program's 300,000.
du -b "$work"/trace/*.syn | awk '{ sum += $1 } END { printf "%.2f bytes a message\n", sum / 8 / 300000 }'
