#!/bin/sh
# The rules by which the recorder finds a function's caller are those that readelf prints, for every function of some large objects
# that compilers and people wrote. usage: frame_rules.sh PROGRAM OBJECT... (those that are not there are left out)
set -eu
program=$1
shift
count=0 wrong=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for object in "$@"; do
    [ -r "$object" ] || continue
    # (It fails where an object's debugging file is missing, and prints all the same.)
    readelf --debug-dump=frames-interp "$object" >"$work/rows" 2>"$work/warnings" || true
    "$program" "$object" <"$work/rows" >"$work/said" || wrong=$((wrong + 1))
    tail -n 20 "$work/said"
    # All but a few are of the usual kind.
    sed -n 's/^.*: \([0-9]*\) places, \([0-9]*\) known.*/\1 \2/p' "$work/said" | awk '{ exit !($1 > 100 && $2 > 0.99 * $1) }' || {
        echo "$object: too few are known"
        wrong=$((wrong + 1))
    }
    count=$((count + 1))
done
[ "$count" -ge 3 ] || {
    echo "only $count objects"
    exit 1
}
[ "$wrong" -eq 0 ]
