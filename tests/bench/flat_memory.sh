#!/bin/sh
# Memory of one rank while it records CALLS collectives: CSV on standard output, a line every SECONDS; then, on standard error, what
# `syncopate info` says of the cost. flat_memory.R makes the picture.
# usage: flat_memory.sh PROGRAM LIBSYNCOPATE LAUNCHER [CALLS] [DIRECTORY] [SECONDS]; PROGRAM is tests/mpi/MPI/loop, CALLS 10^9 by default.
# private_mib and shared_mib are resident (shared: libraries, and the mapped blocks of events); raw_mib are those blocks on the disk.
set -eu
program=$1 syncopate=$2 launcher=$3 calls=${4:-1000000000} every=${6:-5}
work=$(mktemp -d "${5:-/tmp}/flat.XXXXXX")
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
command=$(dirname "$syncopate")/../bin/syncopate

size() { # FILE: in MiB
    stat -c %s "$1" 2>/dev/null | awk '{ s = $1 } END { printf "%.1f", s / 1048576 }'
}
rank() { # the process id, once the program is there
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe" 2>/dev/null)" = "$program" ] && echo "${process#/proc/}" && return
    done
}

program=$(readlink -f "$program")
"$launcher" -n 1 env "LD_PRELOAD=$syncopate" "SYNCOPATE_OUTPUT=$work/trace" "$program" 10 "$calls" >&2 &
launched=$!
began=$(date +%s)
echo seconds,private_mib,shared_mib,raw_mib,trace_mib
while kill -0 $launched 2>/dev/null; do
    pid=$(rank || true)
    [ -n "$pid" ] && awk -v seconds=$(($(date +%s) - began)) -v raw="$(size "$work/trace/rank-000000.raw")" \
        -v trace="$(size "$work/trace/rank-000000.syn.part")" '
        /^RssAnon/ { private = $2 } /^(RssFile|RssShmem)/ { shared += $2 }
        END { if (shared) printf "%d,%.1f,%.1f,%s,%s\n", seconds, private / 1024, shared / 1024, raw, trace }' "/proc/$pid/status" 2>/dev/null
    sleep "$every"
done
wait $launched
"$command" info "$work/trace" | grep -A12 'What the profiler cost' >&2
