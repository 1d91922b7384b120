#!/bin/sh
# `syncopate record` without an MPI: what it leaves untouched, what it says, what it refuses.
. "$(dirname "$0")/record_lib.sh"
record="$SYNCOPATE_CLI record"

# The program's input, output and exit status are its own.
echo question >in
run $record -o t sh -c 'cat; echo answer >&2; exit 3' <in
expect "exit status inside" "$status" 3
expect "standard output" "$(cat out)" question
expect "standard error" "$(cat err)" answer
run $record -q -o t -- sh -c 'cat; echo answer >&2; exit 3' <in
expect "exit status around" "$status" 3
expect "standard output around" "$(cat out)" question
expect_line err '^answer$'

# The program's blocked and ignored signals stay the same, too.
ignored=$(grep -E "Sig(Blk|Ign)" /proc/self/status)
for dashes in "" --; do
    run $record -q -o t $dashes grep -E "Sig(Blk|Ign)" /proc/self/status
    expect "signals of the program ($dashes)" "$(cat out)" "$ignored"
done

# The program's environment.
run $record -o t --stack 0 --ops Bcast sh -c 'echo "$SYNCOPATE_OUTPUT $SYNCOPATE_STACK $SYNCOPATE_OPS $SYNCOPATE_LEVEL"'
expect "settings" "$(cat out)" "$work/t 0 Bcast "
LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}libm.so.6" run $record sh -c 'echo "$LD_PRELOAD"'
case $(cat out) in
*libsyncopate.so:libm.so.6) ;;
*) fail "a preload of the user's is not kept" ;;
esac
[ -s err ] && fail "something was said"

# Something else is where the older trace would go: the program runs, and it is said what is in the way.
for dashes in "" --; do
    rm -rf o o.old
    mkdir o o.old
    printf 'syncopate-trace 1\n' >o/manifest
    echo mine >o.old/thesis
    run $record -o o $dashes sh -c 'echo ran; exit 5'
    expect "status with a foreign DIR.old $dashes" "$status" 5
    expect "it ran $dashes" "$(cat out)" ran
    expect "what is there stays $dashes" "$(cat o.old/thesis)" mine
done
expect_line err "o.old: in the way is something that is not a trace"
rm -rf o o.old

# Nothing else is written into a trace, wherever in it and by whatever name.
mkdir o && printf 'syncopate-trace 1\n' >o/manifest
ln -s o link
for inside in o/new o/new/deeper/ ./o//new link/new o/run-0001; do
    run $record -o $inside -- touch ran
    expect "status around of -o $inside" "$status" 2
    expect "lines about -o $inside" "$(wc -l <err)" 1
    expect_line err 'is in a trace, which nothing else is written into; name another directory with -o$'
    run $record --runs 2 -o $inside -- touch ran
    expect "status of runs with -o $inside" "$status" 2
    [ -e ran ] && fail "-o $inside ran something"
done
expect "what is in the trace" "$(ls o)" manifest
# A run of an experiment is where it belongs; what is beside the runs is not.
mkdir e && echo 'syncopate-experiment 1' >e/experiment
run $record -o e/run-0007 -- true
expect "status of a run of an experiment" "$status" 0
expect "lines about it" "$(grep -c 'is in a trace' err)" 0
run $record -o e/other -- true
expect "status of -o beside the runs" "$status" 2
rm -rf o link e

# The working directory was removed: the program runs.
mkdir gone
(cd gone && rmdir ../gone && $record -o t sh -c 'echo ran; exit 5' >"$work/out" 2>"$work/err")
expect "status in a directory that is gone" "$?" 5
expect "it ran there" "$(cat out)" ran
expect_line err 'the working directory was removed; nothing is recorded'

# A program with AddressSanitizer, whose runtime wants to be the first library.
echo 'int main(void) { return 6; }' >sanitized.c
if [ -z "${ASAN:-}" ] && cc -fsanitize=address -o sanitized sanitized.c 2>/dev/null && ldd sanitized | grep -q libasan; then
    for dashes in "" --; do
        run $record -o t $dashes ./sanitized
        expect "status of a sanitized program $dashes" "$status" 6
    done
fi

# Commands that cannot be run, as a shell has it.
for dashes in "" --; do
    run $record -o t $dashes ./nowhere
    expect "status of a missing file $dashes" "$status" 127
    expect_line err '^syncopate: ./nowhere: No such file or directory$'
    run $record -o t $dashes nowhere-at-all
    expect "status of a missing command $dashes" "$status" 127
    expect_line err '^syncopate: nowhere-at-all: command not found$'
    run $record -o t $dashes /tmp
    expect "status of a directory $dashes" "$status" 126
    expect_line err '^syncopate: /tmp: Permission denied$'
done
[ -e t ] && fail "a command that never ran left a directory"

# Programs that nothing can be preloaded into.
run $record -o t "$STATIC_PROGRAM"
expect "status of a static program" "$status" 0
expect_line err 'statically linked: recording it is not possible'
run env PMI_RANK=1 $record -o t "$STATIC_PROGRAM"
expect "lines of the second rank" "$(wc -l <err)" 0
run $record -o t -- "$STATIC_PROGRAM"
expect "status of a static program around" "$status" 0
expect_line err 'statically linked: recording it is not possible'
run $record -o t -- env "$STATIC_PROGRAM"
expect_line err 'statically linked: recording it is not possible'

run $record -o t "$OWN_MPI_PROGRAM"
expect "status of a program with its own MPI" "$status" 0
expect_line err 'has its MPI linked in statically: recording it is not possible'
run $record -o t -- env "$OWN_MPI_PROGRAM"
expect_line err 'has its MPI linked in statically: recording it is not possible'
# Inside a launcher, and with its names taken away.
run env PMI_RANK=0 PMI_SIZE=2 $record -o t "$OWN_MPI_PROGRAM"
expect_line err 'has its MPI linked in statically: recording it is not possible'
strip -o stripped "$OWN_MPI_PROGRAM"
run $record -o t ./stripped
expect "status of a stripped program with its own MPI" "$status" 0
expect_line err 'has its MPI linked in statically: recording it is not possible'
run $record -o t sh -c :
expect "lines about a program without" "$(wc -l <err)" 0

# One part of a run that cannot be recorded would have the others wait for it: none is.
run $record -o t -- sh -c 'echo "[$SYNCOPATE_OUTPUT]"' : "$OWN_MPI_PROGRAM"
expect "a run with a part that cannot be recorded" "$(cat out)" "[]"
expect_line err 'the other programs would wait for it: nothing is recorded'
[ -e t ] && fail "it left a directory"

# A program of another C library starts, and runs alone.
if [ -n "${ASAN:-}" ]; then
    : # a sanitizer of glibc is in front of it
elif echo 'int main(void) { return 5; }' | musl-gcc -x c -o of_musl - 2>/dev/null; then
    for dashes in "" --; do
        run $record -o t $dashes ./of_musl
        expect "status of a program of musl $dashes" "$status" 5
        expect_line err 'linked with musl, and the library needs glibc: recording it is not possible'
    done
    run $record -q -o t sh -c './of_musl; echo $?' # a child
    expect "status of a program of musl in a script" "$(cat out)" 5
    expect "  what it said" "$(cat err)" ""
else
    echo "skipped: a program of musl: no musl-gcc"
fi

# Names of directories with what the batch system says.
name() { # PATTERN [VARIABLE=VALUE...]: what the program finds
    pattern=$1
    shift
    run env -u SLURM_JOB_ID -u PBS_JOBID -u LSB_JOBID "$@" $record -o "$pattern" sh -c 'echo "$SYNCOPATE_OUTPUT"'
    sed "s|^$work/||" out
}
expect "job, step, task of Slurm" "$(name r-%j-%s-%a SLURM_JOB_ID=77 SLURM_STEP_ID=3 SLURM_ARRAY_TASK_ID=0)" r-77-3-0
expect "job and task of PBS" "$(name r-%j-%a 'PBS_JOBID=12[5].head' PBS_ARRAY_INDEX=5)" r-12-5
expect "job and no task of LSF" "$(name r-%j-%a LSB_JOBID=9 LSB_JOBINDEX=0)" r-9-none
expect "no job" "$(name r-%j/%s)" r-none/none
expect "a value with a slash" "$(name r-%j LSB_JOBID=a/b)" r-a_b
expect "the host" "$(name %h)" "$(hostname | cut -d. -f1)"
expect "a percent sign, for the library to read again" "$(name 5%%)" 5%%
case $(name %t-%p) in
20[0-9][0-9][01][0-9][0-3][0-9]-[0-2][0-9][0-5][0-9][0-6][0-9]-[1-9]*) ;;
*) fail "time and process" ;;
esac
for pattern in r-%q r-%; do
    run $record -o "$pattern" touch ran
    expect "status of $pattern" "$status" 2
    expect "lines about $pattern" "$(wc -l <err)" 1
    [ -e ran ] && fail "$pattern ran something"
done

# A launcher that failed is not blamed on the program.
run $record -o t -- sh -c 'exit 3'
expect "status of a failing launcher" "$status" 3
expect_line err "^syncopate: no trace in $work/t: sh ended with status 3 before a program had initialized MPI$"

# Nor is a directory that was removed meanwhile.
run $record -o t -- sh -c 'rm -r t; exit 1'
expect "status of a run without its directory" "$status" 1
expect "what is said of it" "$(cat err)" "syncopate: $work/t is gone: somebody removed it while the run was recorded"

# A name with control characters leaves the line one line, and does nothing to the terminal.
run $record -o "$(printf 'a\033[2Jb\nc')" -- sh -c 'exit 3'
expect_line err "^syncopate: no trace in $work/a?\[2Jb?c: sh ended with status 3 before a program had initialized MPI$"

# A program without MPI leaves nothing behind, and is told so.
run $record -o t -- true
expect "status without MPI" "$status" 0
expect_line err "^syncopate: no trace in $work/t: "
[ -e t ] && fail "an empty directory was left"

# Launchers under which nothing can be recorded from outside, by what they were told.
mkdir bin
printf '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nexec env -i "$@"\n' >bin/srun
printf '#!/bin/sh\necho queued\nexit "${SBATCH_STATUS:-0}"\n' >bin/sbatch
chmod +x bin/srun bin/sbatch
slurm() { run env PATH="$work/bin:$PATH" "$@"; }
for told in --export=NONE "--export A=B"; do
    slurm $record -o t -- srun -n2 $told /bin/true
    expect "status of srun $told" "$status" 0
    expect "lines about srun $told" "$(wc -l <err)" 1
    expect_line err "^syncopate: no trace in $work/t: with --export=${told#*[= ]} srun hands the ranks an environment without the recorder; "
done
slurm SLURM_EXPORT_ENV=NIL $record -o t -- srun /bin/true
expect_line err "^syncopate: no trace in $work/t: with --export=NIL srun hands "
slurm SLURM_EXPORT_ENV=NONE $record -o t -- bin/srun --export=ALL,A=B /bin/true
expect_line err "^syncopate: no trace in $work/t: a line above says why, or the program did not initialize an MPI library"
slurm $record -o t -- sbatch job.sh
expect "what sbatch says" "$(cat out)" queued
expect_line err "^syncopate: no trace in $work/t: sbatch only queues the job, which runs later; "
slurm SBATCH_STATUS=1 $record -o t -- sbatch job.sh
expect_line err "^syncopate: no trace in $work/t: sbatch ended with status 1 "
[ -e t ] && fail "an empty directory was left by a job that did not record"

# Wrong usage: 2, one line, nothing run.
for options in "" "--sync ntp touch ran" "--frob touch ran" "--runs 2 touch ran" "-o" "--"; do
    run $record $options
    expect "status of '$options'" "$status" 2
    expect "lines about '$options'" "$(wc -l <err)" 1
    [ -e ran ] && fail "'$options' ran something"
done
run $record --help
expect "status of --help" "$status" 0
expect_line out '^ *--sync-budget'
[ -s err ] && fail "--help said something on stderr"

# A directory of somebody else's is left alone; one that cannot be made stops nothing.
mkdir theirs && echo precious >theirs/data
run $record -o theirs -- touch ran
expect "status of a directory in the way" "$status" 2
expect "their file" "$(cat theirs/data)" precious
expect "lines about their directory" "$(wc -l <err)" 1
[ -e ran ] && fail "it ran although the directory is somebody else's"
run $record -o /proc/nowhere/t -- sh -c 'exit 4'
expect "status where the directory cannot be made" "$status" 4
expect_line err '^syncopate: /proc/nowhere/t: .*nothing is recorded'

# A library that is not there stops nothing either.
run env SYNCOPATE_LIBRARY=/nowhere $record -o t sh -c 'exit 4'
expect "status without the library" "$status" 4
expect_line err 'libsyncopate.so was not found'

# Signals go on to the command; a signal's death is 128 + N.
run $record -o t -- sh -c 'kill -KILL $$'
expect "status of a killed command" "$status" 137
$record -q -o t -- sh -c 'trap "exit 21" TERM; echo ready; while :; do sleep 0.05; done' >out 2>err &
pid=$!
while ! grep -q ready out; do sleep 0.05; done
kill -TERM $pid
wait $pid
expect "status after SIGTERM" "$?" 21

# A failing run ends an experiment, and the directory says what was done.
run $record -o e --runs 3 -- sh -c 'exit 6'
expect "status of a failing experiment" "$status" 6
expect_line err 'stopped after run 1 of 3, which ended with status 6'
grep -q '^run run-0001 6 ' e/experiment || fail "the experiment does not tell of its run"
grep -q '^run run-0002 ' e/experiment && fail "the experiment went on"

# Progress, on a terminal only.
run $record -o e --runs 2 -- true
grep -q 'run 2 of 2' err && fail "progress without a terminal"
if script -qec true /dev/null >/dev/null 2>&1; then
    run script -qec "$record -o e --runs 2 -- true" /dev/null
    grep -q 'run 2 of 2, about .* left' out || fail "no progress on a terminal"
else
    echo "skipped: progress on a terminal: no pseudo-terminal can be had here"
fi
finish
