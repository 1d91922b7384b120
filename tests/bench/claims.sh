#!/bin/sh
# Every table of docs/experiments.md that rests on series with a known truth, made anew, one after the other (seeds are fixed).
# usage: claims.sh BUILD [TRIALS]
set -eu
claims=$1/tests/bench/claims
[ -x "$claims" ] || { echo "claims.sh: $claims is not there: build with -DSYN_TESTS=ON" >&2; exit 2; }
for campaign in diffs ranks late intervals changes warmups firsts until clocks totals gates; do
    printf '## claims %s %s\n\n' "$campaign" "${2-}"
    # shellcheck disable=SC2086
    "$claims" $campaign ${2-}
    echo
done
