#!/bin/sh
# export --format parquet, read by a reader written from the format's pages (read_parquet.py): the rows are those of the
# CSV. $SYNCOPATE_CLI, $MAKE_TRACE.
. "$(dirname "$0")/record_lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
normal() { python3 -c 'import csv, sys; csv.writer(sys.stdout, lineterminator="\n").writerows(csv.reader(sys.stdin))'; }

sh "$here/golden_traces.sh" >/dev/null || exit 1
for trace in basic few split many experiment unknown segments; do
    run "$SYNCOPATE_CLI" export --format parquet -o "$trace.parquet" "$trace"
    expect "status of $trace" "$status" 0
    "$SYNCOPATE_CLI" export --format csv "$trace" | normal >want
    run python3 "$here/read_parquet.py" "$trace.parquet"
    expect "a file as the format's pages have it: $trace" "$status" 0
    cmp -s out want || fail "$trace: rows differ: $(diff out want | head -4)"
done

# More rows than a row group holds.
"$MAKE_TRACE" large events=140000 groups=3 || fail "no large trace"
run "$SYNCOPATE_CLI" export --format parquet -o large.parquet large
"$SYNCOPATE_CLI" export --format csv large | normal >want
run python3 "$here/read_parquet.py" large.parquet
cmp -s out want || fail "large: rows differ"

run "$SYNCOPATE_CLI" export --format parquet -o /dev/full few
expect "status of a full disk" "$status" 2
expect_line err 'No space left'
finish
