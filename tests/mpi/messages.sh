#!/bin/sh
# The time in messages: each call that is one is counted once, in every form and language, and its time is what an
# independent counter behind the profiler (count_messages.c) measures, no less and hardly more.
# usage: messages.sh RANKS PROGRAM [ARG...]; COUNTER names the counter.
. "$(dirname "$0")/lib.sh"
ranks=$1
shift
program=$PROGRAMS/$1
shift
SYN=$(dirname "$SYNCOPATE")/../bin/syncopate

run() { # [NAME=VALUE...]: counter and profiler together
    rm -rf "$trace" "$work/counts"
    mkdir "$work/counts"
    recorded "$ranks" SYNCOPATE_QUIET=1 "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE $COUNTER" "COUNT_MESSAGES_OUTPUT=$work/counts" \
        "$@" "$program" $arguments
}

factor() { # RANK KEY: its own, or rank 0's where that is the same
    "$SYN" info --format json "$trace" | awk -v rank="$1" -v key="\"$2\"" '
        function has(list, i, n, part, ends) {
            n = split(list, part, ",")
            for (i = 1; i <= n; i++) {
                split(part[i], ends, "-")
                if (rank >= ends[1] + 0 && rank <= (ends[2] == "" ? ends[1] : ends[2]) + 0) return 1
            }
            return 0
        }
        index($0, key ":") { gsub(/[",]/, "", $2); value = $2 }
        index($0, "\"key\": " key) { split($0, word, "\""); if (has(word[8])) value = word[12] }
        END { print value }'
}

# rank, sum of both columns of messages
column_sums() {
    "$SYN" export --format csv -o "$work/csv" "$trace" &&
        sed 's/"[^"]*"//g' "$work/csv" | awk -F, 'NR > 1 { sum[$2] += $18 + $20 } END { for (r in sum) printf "%s %.0f\n", r, sum[r] }'
}

same_calls() {
    for file in "$work"/counts/rank-*; do
        read -r calls _ one_sided _ <"$file"
        rank=${file##*-}
        got="$(factor "$rank" messages.call_count) $(factor "$rank" messages.one_sided_count)"
        [ "$calls" -gt 0 ] && [ "$calls $one_sided" = "$got" ] ||
            { echo "rank $rank: counter $calls $one_sided, trace $got"; return 1; }
    done
}

# Not less than what is behind, nor more than that and 2 us a call, but for a processor that went away in between: where that was for
# longer than 20 ms, and the rank lacked one for so long, it is skipped.
same_time() {
    for file in "$work"/counts/rank-*; do
        read -r calls ns _ delay <"$file"
        rank=${file##*-}
        got=$(factor "$rank" messages.sum_ns)
        echo "$calls $ns $delay $got" | awk -v rank="$rank" '{
            beyond = $4 - ($2 * 1.2 + 2000 * $1 + 2e7)
            if ($4 < $2 * 0.999 - 1000 || beyond > $3) exit 1
            if (beyond > 0) printf "skipped: whether rank %d has no more time in messages than is behind: it had no processor for %.0f ms\n", rank, $3 / 1e6
        }' || { echo "rank $rank: counter $ns ns, trace $got ns, $calls calls, without a processor for $delay ns"; return 1; }
    done
}

# All of it lies before some event: the program ends with a collective call. Half a nanosecond a call is rounding.
all_in_columns() {
    column_sums >"$work/sums" || return 1
    while read -r rank sum; do
        got=$(factor "$rank" messages.sum_ns)
        echo "$sum $got" | awk '{ d = $1 - $2; exit !(d <= 0 && d >= -1000) }' || { echo "rank $rank: events $sum, in all $got"; return 1; }
    done <"$work/sums"
    [ "$(wc -l <"$work/sums")" = "$ranks" ]
}

empty_columns() {
    column_sums >/dev/null && sed 's/"[^"]*"//g' "$work/csv" | awk -F, 'NR > 1 && ($18 != "" || $20 != "") { exit 1 }'
}

said_off() {
    [ "$(factor 0 messages.recorded)" = no ] && [ -z "$(factor 0 messages.call_count)" ] && [ -z "$(factor 0 sample.interval_ns)" ]
}

arguments="$*"
check "recorded with the counter behind" run
check "  each message is counted once" same_calls
check "  with its time" same_time
check "  and all of it is before some event" all_in_columns
check "recorded with small blocks and ticks" run SYNCOPATE_BUFFER=64K
check "  each message is counted once" same_calls
check "  and all of it is before some event" all_in_columns
check "without messages and samples" run SYNCOPATE_MESSAGES=off SYNCOPATE_SAMPLES=off
check "  which the trace says" said_off
check "  and columns are empty" empty_columns
finish
