#!/bin/sh
# report_threads.sh MAKE_TRACE SYNCOPATE: reports by one thread and by many under the thread sanitizer, the same both times.
set -eu
make_trace=$1
syncopate=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TSAN_OPTIONS=exitcode=66:halt_on_error=1
"$make_trace" "$folder/trace" ranks=6 events=1200000 groups=12 split=1 late=2 late_share=0.3 >/dev/null
# A damaged chunk: every thread that meets one writes down where.
middle=$(($(stat -c %s "$folder/trace/rank-000004.syn") / 2))
printf 'XXXXXXXX' | dd of="$folder/trace/rank-000004.syn" bs=1 seek="$middle" conv=notrunc 2>/dev/null
for threads in 1 8; do
    "$syncopate" report --threads $threads --format json -o "$folder/report.$threads" "$folder/trace" 2>"$folder/said.$threads" || {
        cat "$folder/said.$threads"
        exit 1
    }
done
cmp "$folder/report.1" "$folder/report.8"
cmp "$folder/said.1" "$folder/said.8"
