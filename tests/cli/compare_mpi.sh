#!/bin/sh
# `syncopate compare` with a real launcher: $MPI, $MPIRUN, $PROGRAM; $RULES, if it is to be tried when to stop.
. "$(dirname "$0")/record_lib.sh"
compare="$SYNCOPATE_CLI compare"
command="$MPIRUN -n 2 $PROGRAM"

# Both sides are experiments, the diff follows, the programs' output is kept apart from it.
echo input >in
run $compare --runs 2 --seed 5 -o both -a "$command" -b "sh -c '$command; cat'" <in
expect "status" "$status" 0
expect_line err '2 runs a side in random order, seed 5$'
expect_line err "recorded in $work/both"
expect_line out '^too few runs to tell: 2 against 2; a difference takes 4 against 4 to show'
expect_line out '^A: 2 runs of record_program, 2 ranks'
expect "output of A" "$(cat both/output-a.txt)" "sum 2
sum 2"
expect "output of B, without our input" "$(cat both/output-b.txt)" "sum 2
sum 2"
for run in a/run-0001 a/run-0002 b/run-0001 b/run-0002; do
    [ -s both/$run/manifest ] || fail "no trace in $run"
done
grep -q '^run run-0002 0 ' both/b/experiment || fail "the experiment of B does not tell of its runs"
run $SYNCOPATE_CLI report both/a
expect "status of the report of A" "$status" 0
expect_line out '^2 runs, '

# The seed repeats the order; what was there before moves away.
order=$(cat both/comparison)
run $compare -q --runs 2 --seed 5 -o both --format csv -a "$command" -b "$command"
expect "status of the second" "$status" 0
expect "order of the same seed" "$(cat both/comparison)" "$order"
[ -s both/a.old/run-0002/manifest ] || fail "the older runs are gone"
grep -q '^syncopate' err && fail "-q said something"
expect_line out '^op,site,'

if [ -n "${RULES-}" ]; then
    # One program against itself; --fail-on.
    run $compare -q --runs 4 --aa -a "$command" --fail-on indistinguishable,equivalent,slower,faster,unclear --format json --report aa.json
    expect "status of --fail-on" "$status" 1
    expect "lines on the terminal" "$(wc -l <out)" 0
    grep -q '"false_positives"' aa.json || fail "no rate of false claims"
    [ -d syncopate-compare/b/run-0004 ] || fail "no default directory"

    # A rule when to stop: after so many pairs, after so long; what was made is all that was planned.
    run $compare -o until --until 1% --runs 2 -a "$command" -b "$command"
    expect "status of --until" "$status" 0
    expect_line err '^syncopate: 2 runs a side, and no more are allowed, B/A of run time x[0-9.]*, time in collectives x[0-9.]*; wanted was 1.0 %'
    run $compare -o until --for 0.001 -a "$command" -b "$command"
    expect "runs of --for" "$(ls -d until/?/run-* | wc -l)" 2
    expect "order of --for" "$(sed -n 's/^order //p' until/comparison | wc -c)" 3
    grep -q '^planned_count 1$' until/b/experiment || fail "the experiment expects runs that will not come"
fi

# A run that fails ends it; so does one without a trace. What was made is kept.
run $compare -o failing --runs 3 -a "$command" -b "$MPIRUN -n 1 $PROGRAM 9"
expect "status of a failing run" "$status" 2
expect_line err 'compare stopped: run 1 of B ended with status'
run $compare -o traceless --runs 3 -a true -b true
expect "status without traces" "$status" 2
expect_line err 'compare stopped: run 1 of . left no trace'
run $compare -o missing --runs 3 -a ./nowhere -b ./nowhere
expect "status of a missing program" "$status" 2

# Wrong usage: 2, one line, nothing run.
touch_it="touch ran"
refuse()
{
    run $compare "$@"
    expect "status of '$*'" "$status" 2
    expect "lines about '$*'" "$(wc -l <err)" 1
    [ -e ran ] && fail "'$*' ran something"
}
refuse
refuse -a "$touch_it"
refuse -b "$touch_it"
refuse --aa -a "$touch_it" -b "$touch_it"
refuse -a "$touch_it" -b "$touch_it" more
refuse -a "$touch_it" -b "$touch_it | cat"
refuse -a "$touch_it" -b "'"
refuse -a "$touch_it" -b ""
refuse --runs 0 -a "$touch_it" -b "$touch_it"
refuse --until 0 -a "$touch_it" -b "$touch_it"
refuse --for ever -a "$touch_it" -b "$touch_it"
refuse --runs 2.5 -a "$touch_it" -b "$touch_it"
refuse --seed -1 -a "$touch_it" -b "$touch_it"
refuse --metric speed -a "$touch_it" -b "$touch_it"
refuse --format xml -a "$touch_it" -b "$touch_it"
refuse -o "" -a "$touch_it" -b "$touch_it"
mkdir -p theirs/a && echo precious >theirs/a/data
refuse -o theirs -a "$touch_it" -b "$touch_it"
expect "their file" "$(cat theirs/a/data)" precious
for inside in both/a/run-0001 both/a/run-0001/new both/a both/b/new/deeper; do
    refuse -o $inside -a "$touch_it" -b "$touch_it"
done
expect "what is in a run" "$(ls both/a/run-0001 | grep -vc '^manifest$\|^rank-\|^symbols$')" 0

# A signal ends the whole, with the status of the run that it ended.
timeout -s TERM 60 $compare -q -o killed -a "sh -c 'echo up >&2; exec sleep 100'" -b true >out 2>err &
pid=$!
tries=0
while ! grep -q up err && [ $tries -lt 300 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
kill -TERM $pid
wait $pid
[ $? -ne 0 ] || fail "a comparison that was ended claims to be done"
finish
