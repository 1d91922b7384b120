#!/bin/sh
# conservation.sh - every nanosecond of waiting has a cause or is said to have none, every rank's time is divided without
# gaps, and the critical path is as long as the run: of all golden traces, one of many slices, and one of threads.
# SYNCOPATE_CLI and MAKE_TRACE are given. Exit status 77 (skipped) without python3.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sh "$here/golden_traces.sh" >/dev/null
"$MAKE_TRACE" slices ranks=4 events=1500000 groups=5 late=1 late_share=0.3 >/dev/null
"$MAKE_TRACE" eager ranks=6 events=1200 groups=4 rooted=1 eager=1 late=1 late_share=0.5 late_ns=20000 >/dev/null
"$MAKE_TRACE" split_slices ranks=6 events=1200000 groups=5 late=1 late_share=0.3 split=1 >/dev/null
"$MAKE_TRACE" halo program=1 ranks=5 events=300 late=2 late_ns=4000 bound_ns=150 >/dev/null
"$MAKE_TRACE" large program=1 ranks=3 events=200 bytes=100000 late=0 late_ns=5000 >/dev/null
"$MAKE_TRACE" pipeline program=2 ranks=6 events=200 late=3 late_ns=9000 >/dev/null
"$MAKE_TRACE" master program=3 ranks=6 events=300 >/dev/null
set --
for trace in */; do
    trace=${trace%/}
    "$SYNCOPATE_CLI" report --by time,rank --format json -o "$trace.json" "$trace" 2>/dev/null || continue
    set -- "$@" "$trace.json"
done
[ $# -ge 20 ]
python3 "$here/conservation.py" "$@"
# Why has six lines at most, whatever the machine did.
for trace in */; do
    "$SYNCOPATE_CLI" report "$trace" >why 2>/dev/null || continue
    lines=$(sed -n '/^Why/,/^$/p' why | grep -c '^  - ' || true)
    [ "$lines" -le 6 ] || {
        echo "$trace: Why has $lines lines"
        exit 1
    }
done
# In runs in which all ranks are alike, hardly any report may name a rank: at most one of 20.
named=0
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    "$MAKE_TRACE" alike ranks=5 events=4000 groups=4 seed=$seed >/dev/null
    "$SYNCOPATE_CLI" report alike | sed -n '/^Why/,/^$/p' | grep -qE 'ranks? [0-9]' && named=$((named + 1))
    rm -r alike
done
[ $named -le 1 ] || {
    echo "somebody was named in $named of 20 runs in which all are alike"
    exit 1
}
# The check itself has to notice.
sed '0,/"waiting_ns": *\([1-9]\)/s//"waiting_ns": 1\1/' basic.json >wrong.json
if python3 "$here/conservation.py" wrong.json >/dev/null; then
    echo "a falsified report passed"
    exit 1
fi
