#!/bin/sh
# stored.sh SYNCOPATE DUMP_RANK: traces as released versions wrote them are read with the figures of those versions.
#
# format-N/trace is a trace of format N, report.json, info.json and events.csv what its version said of it (the JSON by
# same_figures.py --slim), but for some ns of waiting: what several made others wait is shared among them in whole ns,
# and what that left over went by the order in which labels were met. everything.syn is a rank's file with all that the
# format can hold, everything.cksum of its events (a format that only node files have has none of its own). Exit status
# 77 (skipped) without python3.
set -eu
syncopate=$1
dump_rank=$2
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || { echo "python3 is not installed: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here"
failed=0
for format in format-*; do
    "$syncopate" check "$format/trace" >"$work/check" || failed=1
    "$syncopate" report --format json --precision 2% --pairs "$format/trace" >"$work/report"
    "$syncopate" info --format json "$format/trace" >"$work/info"
    for what in report info; do
        echo "$format, $what:"
        python3 same_figures.py "$format/$what.json" "$work/$what" || failed=1
    done
    # Later versions append columns.
    columns=$(head -1 "$format/events.csv" | tr ',' '\n' | wc -l)
    "$syncopate" export --format csv "$format/trace" | cut -d, -f "1-$columns" >"$work/events"
    cmp "$format/events.csv" "$work/events" || failed=1
    [ -e "$format/everything.syn" ] || continue
    "$dump_rank" "$format/everything.syn" | grep '^[0-9]' | cut -d' ' -f1-12 | cksum >"$work/cksum"
    cmp "$format/everything.cksum" "$work/cksum" || failed=1
done
exit $failed
