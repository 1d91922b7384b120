#!/bin/sh
# readers.sh python|package|r - a reader against the command's own output. "package" is the Python reader installed by pip.
# $SYNCOPATE_CLI, $MAKE_TRACE, $READERS.
. "$(dirname "$0")/../plain_tmpdir.sh"
. "$(dirname "$0")/record_lib.sh"
export SYNCOPATE_COMMAND="$SYNCOPATE_CLI"
"$MAKE_TRACE" trace ranks=4 events=1200 groups=3 late=1 late_share=0.5 messages_ns=2000 || exit 1
rows=$(($("$SYNCOPATE_CLI" export --format csv trace | wc -l) - 1))
first=$("$SYNCOPATE_CLI" report --format csv trace | sed 's/"[^"]*"/x/g' |
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "completion_median") c = i } NR == 2 { print $c }')
[ -n "$first" ] || fail "no median in the CSV"
"$MAKE_TRACE" split ranks=6 events=1200 groups=3 split=1 late=1 late_share=0.5 >/dev/null || exit 1
# example COMMAND...: what an example prints of the sample trace, and of one with several communicators, is what the report has: each
# rank and how long it waited.
example()
{
    for given in "$READERS/../docs/samples/uneven" split; do
        "$SYNCOPATE_CLI" report --format json -o report.json "$given"
        LD_PRELOAD= /usr/bin/python3 -c 'import json
for rank in json.load(open("report.json"))["runs"][0]["rank"]: print(rank["rank"], rank["waiting_ns"])' >waited
        [ "$(wc -l <waited)" -ge 3 ] || fail "no ranks in the report of $given"
        run env LD_PRELOAD= PYTHONPATH="$READERS/python" "$@" "$given"
        expect "the ranks that $2 prints of $given" "$(cat out)" "$(cat waited)"
        expect "what $2 says besides" "$(cat err)" ""
    done
}
python=/usr/bin/python3

# need COMMAND...: the test is skipped where it fails.
need()
{
    LD_PRELOAD= "$@" >/dev/null 2>&1 || { echo "skipped: this fails: $*"; exit 77; }
}

check_python()
{
    need $python -c 'import pandas'
    cat >read.py <<'END'
import syncopate_trace as st
calls = st.calls("trace")
assert str(calls["start_ns"].dtype) == "int64" and str(calls["root"].dtype) == "Int64"
groups = st.groups("trace")
assert len(st.ranks("trace")) == 4 * len(groups)
st.causes("trace"), st.efficiency("trace")
try:
    st.calls("nowhere")
    raise SystemExit("no error for a trace that is not there")
except st.TraceError as error:
    assert "nowhere" in str(error)
print(len(calls), format(groups["completion_ns.median"][0], "g"))
END
    run env LD_PRELOAD= PYTHONPATH="$READERS/python" $python read.py
    expect "status of the Python reader" "$status" 0
    expect "rows and the first median in Python" "$(cat out)" "$rows $first"
    example $python "$READERS/python/example.py"
    # Without the command: one sentence.
    run env LD_PRELOAD= SYNCOPATE_COMMAND= PATH=/nowhere PYTHONPATH="$READERS/python" $python -c '
import os, syncopate_trace
del os.environ["SYNCOPATE_COMMAND"]
try:
    syncopate_trace.calls("trace")
except syncopate_trace.TraceError as error:
    print(error)'
    expect_line out "^the command syncopate cannot be started .*: put syncopate into PATH, or name it by SYNCOPATE_COMMAND$"
}

# In a virtual environment.
check_package()
{
    need $python -c 'import pandas, setuptools, venv, wheel'
    cp -r "$READERS/python" source
    LD_PRELOAD= $python -m venv --system-site-packages environment &&
        LD_PRELOAD= environment/bin/pip install -q --no-index --no-build-isolation ./source || fail "pip does not install the reader"
    run env LD_PRELOAD= environment/bin/python -c 'import syncopate_trace; print(len(syncopate_trace.calls("trace")))'
    expect "rows by the package" "$(cat out)" "$rows"
}

check_r()
{
    need Rscript -e 'library(jsonlite)'
    cat >read.R <<'END'
source(file.path(Sys.getenv("READERS"), "r", "syncopate.R"))
calls <- syn_calls("trace")
groups <- syn_groups("trace")
stopifnot(is.numeric(calls$start_ns), nrow(syn_efficiency("trace")) == 1)
invisible(syn_causes("trace"))
cat(nrow(calls), format(groups$completion_ns.median[1], digits = 15), "\n")
END
    run env LD_PRELOAD= Rscript read.R
    expect "status of the R reader" "$status" 0
    expect "rows and the first median in R" "$(sed 's/ *$//' out)" "$rows $first"
    example Rscript "$READERS/r/example.R"
    run env LD_PRELOAD= SYNCOPATE_COMMAND=/nowhere/syncopate Rscript -e 'source(file.path(Sys.getenv("READERS"), "r", "syncopate.R")); syn_calls("trace")'
    expect_line err "the command /nowhere/syncopate is not there: put syncopate into PATH, or name it by SYNCOPATE_COMMAND"
}

"check_$1"
finish
