#!/bin/sh
# How often are identical programs claimed to differ? (`syncopate compare --aa`, on this machine)
# usage: false_claims.sh SYNCOPATE RUNS REPEATS COMMAND...
# Compares COMMAND with itself REPEATS times, RUNS runs a side, and prints for each comparison and in all: the groups, and
# how many of them are claimed to differ at the 5 % level by the runs' medians, after Holm's adjustment, and had all
# instances been pooled. SYNCOPATE_ALIGN and the like apply. The traces of one comparison are kept at a time.
set -eu
syncopate=$1 runs=$2 repeats=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

figure() { # NAME: of false_positives in the JSON
    sed -n '/"false_positives"/,/}/p' "$work/diff.json" | sed -n "s/.*\"$1\": \([0-9.e-]*\).*/\1/p"
}

echo 'comparison seed groups runs adjusted pooled'
for repeat in $(seq "$repeats"); do
    rm -rf "$work/compare"
    "$syncopate" compare -q --aa --runs "$runs" --seed "$repeat" -o "$work/compare" --format json --report "$work/diff.json" \
        --top 0 -a "$*"
    echo "$repeat $repeat $(figure groups) $(figure claims) $(figure claims_adjusted) $(figure claims_pooled)"
done | tee "$work/lines" | cat
awk '{ groups += $3; runs += $4; adjusted += $5; pooled += $6; any += $5 > 0 }
     END { printf "all: %d comparisons, %d groups: %.1f %% claimed by run, %.2f %% adjusted (any in %d comparisons), %.1f %% pooled\n",
                  NR, groups, 100 * runs / groups, 100 * adjusted / groups, any, 100 * pooled / groups }' "$work/lines"
