#!/bin/sh
# The tables of docs/experiments.md that rest on series with a known truth, as Markdown, one after the other (seeds are fixed).
# usage: claims.sh BUILD [TRIALS [CAMPAIGN...]]
set -eu
claims=$1/tests/bench/claims
[ -x "$claims" ] || { echo "claims.sh: $claims is not there: cmake --build $1 -t bench_programs" >&2; exit 2; }
trials=${2-}
[ $# -gt 2 ] && shift 2 || set -- diffs ranks late intervals changes warmups firsts until clocks totals gates uneven
for campaign; do
    printf '## claims %s %s\n\n' "$campaign" "$trials"
    # shellcheck disable=SC2086
    "$claims" $campaign $trials | awk -F, '{ n = NF; gsub(/,/, " | "); print "| " $0 " |"; fflush() }
        NR == 1 { line = "|"; for (i = 1; i <= n; i++) line = line "---|"; print line }'
    echo
done
