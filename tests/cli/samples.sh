#!/bin/sh
# The tutorial's traces: the first screen of each report, 80 x 40, names what slows the program, as its source has it; and the
# lines that the tutorial and README.md quote are printed today. $SYNCOPATE_CLI, $SAMPLES.
. "$(dirname "$0")/record_lib.sh"
export COLUMNS=80

# says TRACE WORDS: within the report's first 40 lines, line ends aside.
says()
{
    "$SYNCOPATE_CLI" report "$SAMPLES/$1" | head -40 | tr -s ' \n' ' ' >out
    grep -q -- "$2" out || fail "$1 does not say: $2"
}

# uneven.c: rank 1 has 1.2 to compute in solve(), the others 1.0.
says uneven 'Rank 1 computes [0-9.]* us longer \[[^]]*\] than the others (\(1[5-9]\|2[0-5]\)\.[0-9] %) between MPI_Barrier at uneven.c:20 assemble and MPI_Allreduce at uneven.c:27 solve, in every pass'
# seldom.c: rank 2 has 3.0 instead of 1.0 in chemistry(), in three of ten passes.
says seldom 'Rank 2 computes [0-9.]* ms longer \[[^]]*\] than the others (\(1[7-9]\|20\)[0-9]\.[0-9] %) between MPI_Barrier at seldom.c:35 transport and MPI_Allreduce at seldom.c:28 chemistry, in \(29\|30\|31\)\.[0-9] % of the passes'
# pausing.c: rank 1 sleeps for 30 ms in one pass of fifty.
says pausing 'Rank 1 is blocked 30\.[0-9] ms longer \[[^]]*\] than the others from one call to the next of MPI_Allreduce at pausing.c:29 advance, in \(1\.[89]\|2\.[0-2]\) % of the passes ([0-9.]* us in the mean of all), every 50th pass'
# chatty.c: all time goes into MPI_Allgather, and nobody has more to do.
says chatty 'The critical path is 9[0-9]\.[0-9] % collective operations'
# slowing.c: rank 0 has ever more to compute.
says slowing 'Rank 0 computes [0-9.]* us longer \[[^]]*\] than the others ([0-9.]* %) from one call to the next of MPI_Allreduce at slowing.c:28 forces, in [0-9.]* % of the passes ([0-9.]* us in the mean of all), growing by'

# hanging.c: rank 2 leaves the loop on its own residual.
"$SYNCOPATE_CLI" hang "$SAMPLES/hanging" >out && fail "hanging: exit status 0"
sed -n 's/^    //p' "$SAMPLES/../hang.md" | sed -n '/^Stuck.*same call/,/^$/p' >want
[ "$(wc -l <want)" -ge 4 ] || fail "hang.md quotes nothing of the run that hangs"
grep -vxFf out want && fail "hang.md quotes lines that the trace does not give"
"$SYNCOPATE_CLI" hang --watch "$SAMPLES/hanging" >out
[ $? = 1 ] || fail "hanging: exit status of hang --watch"
grep -vxFf out want && fail "hang --watch does not end with what is left of the run"
"$SYNCOPATE_CLI" hang --watch --format json "$SAMPLES/hanging" >out
[ "$(wc -l <out)" = 1 ] && grep -q '^{.*}$' out || fail "hang --watch --format json: not one document a line"

for trace in uneven seldom pausing chatty slowing; do
    "$SYNCOPATE_CLI" report "$SAMPLES/$trace"
done >out
sed '/^## The four figures/,$d' "$SAMPLES/../tutorial.md" | sed -n 's/^    \(  \)/\1/p' | grep -vxF '  ...' >want
[ "$(wc -l <want)" -ge 30 ] || fail "the tutorial quotes nothing"
grep -vxFf out want && fail "the tutorial quotes lines that no report has"
sed -n '/^    Reliable: /,/^$/s/^    //p' "$SAMPLES/../../README.md" >want
[ "$(wc -l <want)" -ge 12 ] || fail "README.md quotes no report"
grep -vxFf out want && fail "README.md quotes lines that no report has"
finish
