#!/bin/sh
# causes_oracle.sh SYNCOPATE COMMAND... - what R makes of a real program's run against what its report says of causes.
#
#   tests/bench/causes_oracle.sh build/bin/syncopate mpirun -n 3 python3 tests/bench/petsc_solve.py -ksp_type pipecg
#
# Records the command and holds every figure of causes, of the critical path and of "as fast as the fastest tenth" to
# tests/unit/analyze/oracle_causes.R on the export. R needs time in the square of the calls: some thousand are a minute.
set -e
syncopate=$1
shift
oracle=$(dirname "$0")/../unit/analyze/oracle_causes.R
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$syncopate" record -q -o "$work/trace" -- "$@"
"$syncopate" export --format csv --bounds -o "$work/csv" "$work/trace"
"$syncopate" report --format json -o "$work/json" "$work/trace"
echo "calls: $(sed 1d "$work/csv" | wc -l), of nonblocking collectives: $(cut -d, -f4 "$work/csv" | grep -c '^MPI_I[a-z]' || true)"
Rscript "$oracle" "$work/csv" "$work/json" csv
