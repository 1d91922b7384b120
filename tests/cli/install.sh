#!/bin/sh
# The installed tree, in a prefix that nobody knew when it was built, and moved once more: $CMAKE, $BUILD, $MPIRUN, $PROGRAM.
. "$(dirname "$0")/record_lib.sh"
unset SYNCOPATE_LIBRARY
run "$CMAKE" --install "$BUILD" --prefix "$work/first"
expect "status of the installation" "$status" 0
mv first second
syncopate=$work/second/bin/syncopate
library=$(find "$work/second" -name libsyncopate.so)

run "$syncopate" --version
expect "version" "$(cut -d' ' -f1 out)" syncopate
run "$syncopate" record -q -o trace -- "$MPIRUN" -n 2 "$PROGRAM"
expect "status of recording" "$status" 0
expect "output of the program" "$(cat out)" "sum 2"
run "$syncopate" check trace
expect "the trace is whole" "$status" 0
run "$syncopate" report trace
expect_line out "^Allreduce .* 10 "
run env LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD }$library" SYNCOPATE_OUTPUT="$work/by_hand" "$MPIRUN" -n 2 "$PROGRAM"
[ -f by_hand/manifest ] || fail "nothing recorded by hand"

# What the help and README.md refer to is there.
documents=$work/second/share/doc/syncopate
for file in $(sed -n 's/.*](\([^):]*\)).*/\1/p' "$documents/README.md") docs/reports.md; do
    [ -f "$documents/$file" ] || fail "README.md refers to $file, which is not installed"
done
finish
