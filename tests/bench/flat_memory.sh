#!/bin/sh
# Memory of one rank while it records CALLS collectives: resident size every few seconds, then the trace's size and longest pause.
# usage: flat_memory.sh PROGRAM LIBSYNCOPATE LAUNCHER [CALLS] [DIRECTORY]; PROGRAM is tests/mpi/loop, CALLS 10^9 by default.
set -eu
program=$1 syncopate=$2 launcher=$3 calls=${4:-1000000000}
work=$(mktemp -d "${5:-/tmp}/flat.XXXXXX")
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
command=$(dirname "$syncopate")/../bin/syncopate
"$launcher" -n 1 env "LD_PRELOAD=$syncopate" "SYNCOPATE_OUTPUT=$work/trace" "$program" 10 "$calls" &
launched=$!
while kill -0 $launched 2>/dev/null; do
    pid=$(pgrep -P $launched -x "$(basename "$program")" || pgrep -n -x "$(basename "$program")" || true)
    [ -n "$pid" ] && awk -v t="$(date +%s)" '/^(VmRSS|RssAnon|RssFile|RssShmem)/ { printf "%s %d MiB  ", $1, $2 / 1024 }
        END { print "" }' "/proc/$pid/status" 2>/dev/null
    sleep 5
done
wait $launched
du -h --apparent-size "$work/trace"/*
"$command" info "$work/trace" | grep -A6 'What the profiler cost'
