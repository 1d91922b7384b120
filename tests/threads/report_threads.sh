#!/bin/sh
# report_threads.sh MAKE_TRACE SYNCOPATE: reports by one thread and by many under the thread sanitizer, the same both times.
set -eu
make_trace=$1
syncopate=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TSAN_OPTIONS=exitcode=66:halt_on_error=1
"$make_trace" "$folder/trace" ranks=6 events=1200000 groups=12 split=1 late=2 late_share=0.3 >/dev/null
# Damaged chunks, several of each file: every thread that meets one writes down where.
for rank in 0 1 2 3 4 5; do
    bytes=$(stat -c %s "$folder/trace/rank-00000$rank.syn")
    for part in 1 3 5 7 9; do
        printf 'XXXXXXXX' | dd of="$folder/trace/rank-00000$rank.syn" bs=1 seek=$((bytes * part / 10)) conv=notrunc 2>/dev/null
    done
done
# A trace with enough call sites that all threads add up the sums of the causes.
"$make_trace" "$folder/sites" ranks=6 events=1200000 groups=1000 late=2 late_share=0.3 >/dev/null
for trace in trace sites; do
    for threads in 1 8; do
        "$syncopate" report --threads $threads --format json -o "$folder/report.$threads" "$folder/$trace" 2>"$folder/said.$threads" || {
            cat "$folder/said.$threads"
            exit 1
        }
    done
    cmp "$folder/report.1" "$folder/report.8"
    cmp "$folder/said.1" "$folder/said.8"
done
