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

# An operation that this version does not know has the name that the CSV gives it. Its number says whether it is a collective, or
# from 32,768 on a message, of which the CSV tells that the peer is unknown (-1).
for of in 900:,,, 60000:,-1,[0-9]*,0; do
    op=${of%%:*} ends=${of#*:}
    "$MAKE_TRACE" unnamed events=80 groups=2 "unnamed=$op" || fail "no trace of operation $op"
    "$SYNCOPATE_CLI" export --format parquet -o unnamed.parquet unnamed
    run python3 "$here/read_parquet.py" unnamed.parquet
    expect "rows of operation $op" "$(grep -c ",operation $op," out)" 40
    "$SYNCOPATE_CLI" export --format csv unnamed >want
    expect "peer of operation $op" "$(grep ",operation $op," want | grep -c "$ends\$")" 40
done

# More rows than a row group holds.
"$MAKE_TRACE" large events=140000 groups=3 || fail "no large trace"
run "$SYNCOPATE_CLI" export --format parquet -o large.parquet large
"$SYNCOPATE_CLI" export --format csv large | normal >want
run python3 "$here/read_parquet.py" large.parquet
cmp -s out want || fail "large: rows differ"

# Programs that people load the file with, if installed: rows, nulls and times are those of the CSV. (Debian 12 has neither program.)
"$SYNCOPATE_CLI" export --format csv many | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
print(len(rows), sum(row["root"] == "" for row in rows), sum(int(row["end_ns"]) - int(row["start_ns"]) for row in rows))' >want
opened()
{
    cmp -s out want || fail "many.parquet as $1 reads it: $(cat out), in the CSV $(cat want)"
    echo "opened by $1"
}
if python3 -c 'import pyarrow.parquet' 2>/dev/null; then
    run python3 -c '
import pyarrow.compute as compute, pyarrow.parquet as parquet
calls = parquet.read_table("many.parquet")
print(calls.num_rows, calls["root"].null_count, compute.sum(compute.subtract(calls["end_ns"], calls["start_ns"])))'
    opened pyarrow
else
    echo "skipped: pyarrow is not installed"
fi
if command -v duckdb >/dev/null; then
    run duckdb -noheader -list -separator ' ' -c "select count(*), count(*) - count(root), sum(end_ns - start_ns) from 'many.parquet'"
    opened duckdb
else
    echo "skipped: duckdb is not installed"
fi

run "$SYNCOPATE_CLI" export --format parquet -o /dev/full few
expect "status of a full disk" "$status" 2
expect_line err 'No space left'
finish
