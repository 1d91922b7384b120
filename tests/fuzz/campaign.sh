#!/bin/sh
# campaign.sh - fuzz a target for a number of executions under libFuzzer and both sanitizers.
#
#   campaign.sh BUILD TARGET EXECUTIONS CORPUS       BUILD: where `ninja TARGET` was run; TARGET: fuzz_reader, ...
#
# CORPUS (a directory, made where missing) grows and can be used again. Findings are written beside it, in CORPUS.found.
# Memory of one allocation, of all, and the time of one execution are limited; the targets themselves hold memory
# to what the size of their input allows. Exit status 0: nothing was found.
set -eu
build=$1 target=$2 executions=$3 corpus=$4
mkdir -p "$corpus" "$corpus.found"
[ -n "$(ls -A "$corpus")" ] || "$build/tests/fuzz/${target}_plain" --seeds "$corpus"
exec "$build/tests/fuzz/${target}_libfuzzer" -runs="$executions" -max_len=4096 -len_control=0 -entropic=0 -reload=0 \
    -close_fd_mask=1 -timeout="${FUZZ_TIMEOUT:-60}" -report_slow_units=5 -malloc_limit_mb=256 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$corpus.found/" "$corpus"
