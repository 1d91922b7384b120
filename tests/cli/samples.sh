#!/bin/sh
# The tutorial's traces: each is what docs/samples/make.sh makes, and the first screen of its report names what slows it, as the
# tutorial says. $SYNCOPATE_CLI, $MAKE_TRACE, $SAMPLES.
. "$(dirname "$0")/record_lib.sh"

# says TRACE WORDS: within the report's first 40 lines, line ends aside.
says()
{
    "$SYNCOPATE_CLI" report "$SAMPLES/$1" | head -40 | tr -s ' \n' ' ' >out
    grep -qF -- "$2" out || fail "$1 does not say: $2"
}

"$SAMPLES/make.sh" "$MAKE_TRACE" "$work" || fail "make.sh"
for trace in uneven seldom pausing chatty slowing; do
    "$SYNCOPATE_CLI" export --format csv "$SAMPLES/$trace" >want
    "$SYNCOPATE_CLI" export --format csv "$trace" >out
    cmp -s want out || fail "$trace is not what make.sh makes"
done
says uneven 'Rank 2 computes 60.0 us longer'
says uneven 'between solver.c:112 dot_product and solver.c:140 exchange_halo, in every pass'
says seldom 'Rank 5 computes 50.0 us longer'
says seldom 'in 44.6 % of the passes'
says pausing 'Rank 1 takes 4.00 ms longer'
says pausing 'of it off the processor'
says chatty 'Nothing stands out'
says chatty 'The critical path is 95.3 % collective operations'
# What the tutorial quotes is what is printed today.
for trace in uneven seldom pausing chatty slowing; do
    COLUMNS=80 "$SYNCOPATE_CLI" report "$SAMPLES/$trace"
done >out
sed '/^## The four figures/,$d' "$SAMPLES/../tutorial.md" | sed -n 's/^    \(  \)/\1/p' | grep -vxF '  ...' >want
[ "$(wc -l <want)" -ge 30 ] || fail "the tutorial quotes nothing"
grep -vxFf out want && fail "the tutorial quotes lines that no report has"
says slowing 'from call 401 on the median is 98.2 us, before it was 61.9 us'
finish
