#!/bin/sh
# What the recorder's stops cost a program of up to 10^5 ranks: stops as measured here, ranks as simulated (amplification.c).
# usage: amplification.sh SUSTAINED_COST AMPLIFICATION LIBSYNCOPATE LAUNCHER [ROUNDS [CALLS]]
set -eu
sustained=$(realpath "$1") amplification=$(realpath "$2") syncopate=$(realpath "$3") launcher=$4 rounds=${5:-15} calls=${6:-150000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 SYNCOPATE_QUIET=1 SYNCOPATE_SYNC=none SYNCOPATE_OUTPUT="$work/trace"
cd "$work"
for round in $(seq "$rounds"); do
    "$launcher" -n 1 env LD_PRELOAD="$syncopate" SYNCOPATE_BENCH_TIMES="$work/times-$round" "$sustained" allreduce "$calls" >/dev/null
done
"$amplification" 20 "$work"/times-*
