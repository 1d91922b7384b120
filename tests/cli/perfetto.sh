#!/bin/sh
# export --format perfetto against the definition of the format (read_trace_events.py), and against the CSV: as many calls,
# waiting where the report has waiting. $SYNCOPATE_CLI, $MAKE_TRACE.
. "$(dirname "$0")/record_lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
count_of() { sed -n "s/^$1 //p" out; }

sh "$here/golden_traces.sh" >/dev/null || exit 1
for trace in basic few split many experiment unknown segments killed lacking threads nothing; do
    run "$SYNCOPATE_CLI" export --format perfetto -o "$trace.json" "$trace"
    expect "status of $trace" "$status" 0
    run python3 "$here/read_trace_events.py" "$trace.json"
    expect "as the format is defined: $trace ($(head -3 out))" "$status" 0
    rows=$("$SYNCOPATE_CLI" export --format csv "$trace" 2>/dev/null | tail -n +2 | wc -l)
    expect "calls of $trace" "$(count_of calls)" "$rows"
done

# Rank 2 comes late into half of the 500 instances of 4 ranks, and a jitter otherwise.
run python3 "$here/read_trace_events.py" basic.json
[ "$(count_of waiting)" -ge 700 ] || fail "nobody waits: $(cat out)"
expect "a flow to each that waits" "$(count_of flows)" "$(count_of waiting)"
grep -q '"name":"waiting for rank 2"' basic.json || fail "nobody waits for rank 2"
grep -o '"completion_ns":[0-9]*,"wait_ns":[0-9]*,"last_rank":2' basic.json >out
[ "$(wc -l <out)" -ge 1000 ] || fail "no completion and wait among the arguments"
grep -q '"root":' many.json || fail "no root among the arguments"

# An arrow for each message, of several runs, too.
for run in 1 2; do "$MAKE_TRACE" messages/run-000$run program=1 events=40 late=2 run=$run || fail "no trace"; done
run "$SYNCOPATE_CLI" export --format perfetto -o messages.json messages
run python3 "$here/read_trace_events.py" messages.json
expect "arrows of messages ($(head -3 out))" "$(count_of messages)" "$("$SYNCOPATE_CLI" report --format json messages |
    python3 -c 'import json, sys; print(sum(run["messages"]["count"] for run in json.load(sys.stdin)["runs"]))')"

# Small numbers, also of several runs.
grep -o '"pid":[0-9]*' experiment.json | sort -u | wc -l >out
expect "processes of three runs of four ranks" "$(cat out)" 15
grep -o '"pid":[0-9]*' experiment.json | sort -t: -k2n | tail -1 >out
expect "the largest of their numbers" "$(cat out)" '"pid":15'
run "$SYNCOPATE_CLI" export --format perfetto -o /dev/full few
expect "status of a full disk" "$status" 2
finish
