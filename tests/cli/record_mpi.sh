#!/bin/sh
# `syncopate record` with a real launcher: $MPI, $MPIRUN, $PROGRAM.
. "$(dirname "$0")/../plain_tmpdir.sh"
. "$(dirname "$0")/record_lib.sh"
record="$SYNCOPATE_CLI record"

ranks_of()
{
    ls "$1" 2>/dev/null | grep -c '^rank-[0-9]*\.syn$'
}

# Inside a launcher, with and without dashes.
for dashes in "" --; do
    run $MPIRUN -n 2 $SYNCOPATE_CLI record -o inside $dashes $PROGRAM
    expect "status inside $dashes" "$status" 0
    expect "output inside $dashes" "$(cat out)" "sum 2"
    expect "ranks inside $dashes" "$(ranks_of inside)" 2
done
expect "ranks moved away" "$(ranks_of inside.old)" 2

# Around one: the trace keeps its labels.
run $record -o around -- $MPIRUN -n 3 $PROGRAM
expect "status around" "$status" 0
expect "output around" "$(cat out)" "sum 3"
expect "ranks around" "$(ranks_of around)" 3
grep -q 'record_program.c:[0-9]* main' around/symbols || fail "no label of the call site"
grep -q '^compiler.*GNU C' around/symbols || fail "no compiler"

# The launcher's exit status is passed on.
run $MPIRUN -n 1 $PROGRAM 9
bare=$status
run $record -q -o around -- $MPIRUN -n 1 $PROGRAM 9
expect "status of a failing program" "$status" "$bare"
expect "ranks of a failing program" "$(ranks_of around)" 1
expect "ranks of the trace before" "$(ranks_of around.old)" 3

# One that is killed leaves what it recorded, and the user is told where. (MPICH 4.2's launcher returns 9 or 0, by chance.)
printf '#!/bin/sh\n"%s" -n 2 "%s" killed\necho $? >ended\nexit $(cat ended)\n' "$MPIRUN" "$PROGRAM" >launch_killed
run $record -o dead -- sh ./launch_killed
expect "status of a killed program" "$status" "$(cat ended)"
expect_line err "the run did not finish; what was recorded until then is in $work/dead"
run $SYNCOPATE_CLI recover dead
run $SYNCOPATE_CLI check dead
expect "a recovered trace is whole" "$status" 0

# Several runs are one experiment; a second one moves the first away.
for time in first second; do
    run $record -o many --runs 2 -- $MPIRUN -n 2 $PROGRAM
    expect "status of the $time experiment" "$status" 0
    expect "ranks of run 1" "$(ranks_of many/run-0001)" 2
    expect "ranks of run 2" "$(ranks_of many/run-0002)" 2
    [ -s many/run-0002/symbols ] || fail "a run without labels"
    expect_line err "2 runs recorded in $work/many"
done
expect "ranks of the experiment before" "$(ranks_of many.old/run-0002)" 2

# A rule when to stop: at most so many runs, at most so long; what is known is said.
run $record -o until --until 1% --runs 2 -- $MPIRUN -n 2 $PROGRAM
expect "status of --until" "$status" 0
expect "runs of --until --runs 2" "$(ls -d until/run-* | wc -l)" 2
expect_line err "2 runs recorded in $work/until, and no more are allowed: run time .*, time in collectives .*; wanted was 1.0 %"
run $record -o until --until 2% --for 0.001 -- $MPIRUN -n 2 $PROGRAM
expect "runs of --for 0.001" "$(ls -d until/run-* | wc -l)" 1
grep -q '^planned_count 1$' until/experiment || fail "the experiment expects runs that will not come"
run $record -o until --until 2% -- $MPIRUN -n 2 true
expect "runs without a trace" "$(ls until)" experiment
expect_line err '^syncopate: --until: '

# A directory that another run records into: the program runs, and the other's trace stays as it is.
mkdir busy
run flock -o busy $record -o busy -- $MPIRUN -n 2 $PROGRAM
expect "status beside another run" "$status" 0
expect "output beside another run" "$(cat out)" "sum 2"
expect_line err "$work/busy: another run is recording there; nothing is recorded"
run flock -o busy $MPIRUN -n 2 $SYNCOPATE_CLI record -o busy $PROGRAM
expect "status beside another run, inside a launcher" "$status" 0
expect_line err "another run is recording there; the run is not recorded"
cp -r dead claimed
run flock -o claimed $SYNCOPATE_CLI recover claimed
expect "recovering what is being recorded" "$status" 2
expect_line err "claimed: is still being recorded"
[ -z "$(ls busy)" ] || fail "something was put into the directory of another run"
run $record -o busy -- $MPIRUN -n 2 $PROGRAM
expect "ranks when it is free again" "$(ranks_of busy)" 2

# A launcher that is told to stop takes its program with it, and its status is passed on; be the command told alone
# or, as timeout does it, with its whole process group.
cat >waiter <<'WAITER'
#!/bin/sh
echo $$ >>waiters
exec sleep 100
WAITER
chmod +x waiter
any_lives()
{
    for waiter in $(cat waiters); do
        kill -0 "$waiter" 2>/dev/null && return 0
    done
    return 1
}
for how in --foreground ""; do
    rm -f waiters
    # Not before the ranks are up: timeout starts a clock, the ranks' appearance stops it.
    timeout $how -s TERM 60 $record -q -o killed -- $MPIRUN -n 2 ./waiter >out 2>err &
    pid=$!
    tries=0
    while [ "$(cat waiters 2>/dev/null | wc -l)" -lt 2 ] && [ $tries -lt 300 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    kill -TERM $pid
    wait $pid
    tries=0
    while any_lives && [ $tries -lt 600 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    for waiter in $(cat waiters); do
        kill -0 "$waiter" 2>/dev/null && fail "a rank outlived its launcher (timeout $how)" && kill "$waiter"
    done
    [ -e killed ] && fail "an empty directory was left (timeout $how)"
done

# Another machine: a stand-in for ssh starts the daemon here, with an empty environment.
cat >remote <<'REMOTE'
#!/bin/sh
while :; do case "$1" in -*) shift ;; *) break ;; esac; done
shift
exec env -i PATH="$PATH" HOME="$HOME" ${OMPI_ALLOW_RUN_AS_ROOT:+OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1} sh -c "$*"
REMOTE
cat >show <<'SHOW'
#!/bin/sh
echo "$SYNCOPATE_OUTPUT $SYNCOPATE_STACK $USERS ${LD_PRELOAD##*/}"
SHOW
chmod +x remote show
if [ "$MPI" = openmpi ]; then
    far="$MPIRUN --mca plm_rsh_agent $work/remote --host nodea:2"
    withhold="-x USERS"
    withhold_each="-x USERS"
else
    far="$MPIRUN -launcher ssh -launcher-exec $work/remote -hosts nodea"
    withhold="-genvlist USERS"
    withhold_each="-envlist USERS"
fi
export USERS=theirs
plain="$work/far 3  libsyncopate.so"
[ "$MPI" = openmpi ] || plain="$work/far 3 theirs libsyncopate.so"
run $record -q -o far --stack 3 -- $far -n 2 ./show
expect "environment of another machine" "$(cat out)" "$plain
$plain"
plain="$work/far 3 theirs libsyncopate.so"
run $record -q -o far --stack 3 -- $far $withhold -n 2 ./show
expect "... where the user forwards himself" "$(cat out)" "$plain
$plain"
if starts_several; then
    run $record -q -o far --stack 3 -- $far -n 1 $withhold_each ./show : -n 1 $withhold_each ./show
    expect "... with several programs" "$(cat out)" "$plain
$plain"
fi

# A run is from the first rank's MPI_Init to the last one's end, and there are no shares above 100 %.
number() { sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" json | head -1; }
run $record -q -o early -- $MPIRUN -n 3 $PROGRAM early
run $SYNCOPATE_CLI report --format json -o json early
[ "$(number duration_ns)" -gt 500000000 ] || fail "a run of half a second took $(number duration_ns) ns"
expect "length of the critical path" "$(number total_ns)" "$(number duration_ns)"
run $SYNCOPATE_CLI report --verbose early
tr '\n' ' ' <out | grep -q 'from the first MPI_Init to the last MPI_Finalize,' || fail "nothing says what the run is"
expect "shares above 100 %" "$(sed -n '/^Where/,/^Why/p' out | grep -cE '[1-9][0-9][0-9]+\.[0-9] %')" 0

# Several launches of one recorded command: each is a run, whether one comes after the other or at once.
# (Launchers of Open MPI that run at once remove one another's session directory: each has its own.)
mkdir -p .sessions/other
cat >launches <<LAUNCHES
#!/bin/sh
$MPIRUN -n 2 $PROGRAM
$MPIRUN -n 1 $PROGRAM &
OMPI_MCA_orte_tmpdir_base=$work/.sessions/other $MPIRUN -n 3 $PROGRAM &
wait
LAUNCHES
run $record -o launches_trace -- sh ./launches
expect "status of several launches" "$status" 0
expect "launches" "$(ls launches_trace)" "run-0001
run-0002
run-0003"
expect "ranks of the first launch" "$(ranks_of launches_trace/run-0001)" 2
expect "ranks of the others" "$(($(ranks_of launches_trace/run-0002) + $(ranks_of launches_trace/run-0003)))" 4
[ -s launches_trace/run-0003/symbols ] || fail "a launch without labels"
expect_line err "3 launches were recorded, each as a run of $work/launches_trace"
run $SYNCOPATE_CLI check launches_trace
expect "several launches are whole" "$status" 0
run $record -o launches_trace -- $MPIRUN -n 2 $PROGRAM
expect "launches of the command before" "$(ls launches_trace.old | wc -l)" 3
expect "a single launch is the trace" "$(ranks_of launches_trace)" 2
# A run of an experiment is one launch: the next ones are not recorded, and a line says so.
run $record -o launches_runs --runs 2 -- sh ./launches
expect "ranks of a run of several launches" "$(ranks_of launches_runs/run-0002)" 2
expect "lines on launches that are not recorded" "$(grep -c 'has a launch of this run, and a run of --runs or compare is one launch' err)" 4

# Every run reads the same: of a pipe, and of a file from where it was.
printf 'first\nsecond\n' >input
printf 'first\n' | timeout 120 $record -q -o reads --runs 3 -- $MPIRUN -n 2 $PROGRAM read >out 2>err
expect "input of each run, of a pipe" "$(grep -c '^input first$' out)" 3
{ read -r line; timeout 120 $record -q -o reads --runs 2 -- $MPIRUN -n 2 $PROGRAM read; } <input >out 2>err
expect "input of each run, of a file" "$(grep -c '^input second$' out)" 2
printf 'first\n' | timeout 120 $SYNCOPATE_CLI compare --runs 2 -q -o reads_both -a "$MPIRUN -n 1 $PROGRAM read" -b "$MPIRUN -n 1 $PROGRAM read" >out 2>err
expect "input of each run of compare" "$(cat reads_both/output-*.txt | grep -c '^input first$')" 4
sleep 5 | timeout 120 $record -q -o reads --runs 2 -- $MPIRUN -n 2 $PROGRAM read >out 2>err
expect_line err 'nothing has come from standard input for 2 s, which is still open: the runs get none'
expect "input that does not come" "$(grep -c '^input none$' out)" 2

# The report at the end.
run "$SYNCOPATE_CLI" record --report -o reported -- $MPIRUN -n 2 "$PROGRAM"
expect "status with --report" "$status" 0
grep -q '^Where the time went' out || fail "no report at the end"
finish
