#!/bin/sh
# Every figure of reports over traces of real programs against R's on the same export: $MPI, $MPIRUN, $PROGRAM, $ORACLE, $DEMO.
# Exit status 77 (skipped) where R or its jsonlite is missing.
. "$(dirname "$0")/../plain_tmpdir.sh"
Rscript -e 'library(jsonlite)' >/dev/null 2>&1 || { echo "skipped: no Rscript with jsonlite"; exit 77; }
. "$(dirname "$0")/record_lib.sh"
export R_ENABLE_JIT=0 # as in oracle_lib.sh

# check TRACE RANKS [REPORT OPTION...]
check()
{
    trace=$1
    ranks=$2
    shift 2
    run $SYNCOPATE_CLI export --format csv --bounds -o "$trace.csv" "$trace"
    expect "status of the export of $trace" "$status" 0
    expect "ranks in the export of $trace" "$(cut -d, -f2 "$trace.csv" | sed 1d | sort -u | wc -l)" "$ranks"
    run $SYNCOPATE_CLI report --format json -o "$trace.json" "$@" "$trace"
    expect "status of the report of $trace" "$status" 0
    run Rscript "$ORACLE" "$trace.csv" "$trace.json"
    expect "the oracle's status for $trace $*" "$status" 0
    grep 'figures compared' out
}

for ranks in 2 4; do
    run $SYNCOPATE_CLI record -q -o loop$ranks -- $MPIRUN -n $ranks $PROGRAM
    check loop$ranks $ranks
done

# A program that none of us wrote; Debian's is built with Open MPI.
if [ "$MPI" = openmpi ] && command -v hpcc >/dev/null 2>&1; then
    sed 's/^1000 /100 /' "$DEMO/hpccinf.txt" >hpccinf.txt # (how long it computes is no matter)
    run $SYNCOPATE_CLI record -q -o hpcc -- $MPIRUN -n 4 hpcc
    check hpcc 4
    check hpcc 4 --by op,bytes --confidence 0.9
    # A class shows its operations, all of them and no other.
    groups() { $SYNCOPATE_CLI report --format csv "$@" hpcc 2>/dev/null | sed 1d | grep -c "${pattern:-}"; }
    expect "groups of both classes" "$(($(groups --class data) + $(groups --class comm)))" "$(groups)"
    pattern=MPI_Comm_
    expect "groups on communicators" "$(groups --class comm)" "$(groups)"
    expect "groups on communicators among data" "$(groups --class data)" 0
fi
finish
