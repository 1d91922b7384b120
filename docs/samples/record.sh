#!/bin/sh
# record.sh PREFIX DIRECTORY - the tutorial's traces: five programs, and one that hangs, compiled with -g and run on 3 ranks
# under the syncopate that is installed in PREFIX. What slows each is in its source. DIRECTORY gets programs and traces. For traces
# as clear as those here, on a machine with a core for each rank and nothing else to do.
set -e
prefix=$1 here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
cd "$2"
for program in uneven seldom pausing chatty slowing; do
    "${MPICC:-mpicc}" -g -O1 -ffile-prefix-map="$here"=. -o $program "$here/$program.c"
    "$prefix/bin/syncopate" record -q -o trace-$program -- "${MPIRUN:-mpirun}" --bind-to core -n 3 ./$program >/dev/null
done
"${MPICC:-mpicc}" -g -O1 -ffile-prefix-map="$here"=. -o hanging "$here/hanging.c"
timeout 5 "$prefix/bin/syncopate" record -q -o trace-hanging -- "${MPIRUN:-mpirun}" -n 3 ./hanging || :
"$prefix/bin/syncopate" recover trace-hanging
