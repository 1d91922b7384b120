#!/bin/sh
# `record --on-hang`: a rank that is late, ranks that wait for each other, and a run without a watcher.
. "$(dirname "$0")/lib.sh"
syncopate=$(dirname "$SYNCOPATE")/../bin/syncopate
record="env LD_PRELOAD=${ASAN:-} $syncopate record -q -o $trace"
program=$PROGRAMS/on_hang

# The machine's own tool for looking at a process is slow, or not there.
mkdir "$work/bin"
printf '#!/bin/sh\necho "here is $4"\n' >"$work/bin/eu-stack"
chmod +x "$work/bin/eu-stack"
export PATH="$work/bin:$PATH"

# The watchers of this test, a line each.
watchers() {
    for watcher in $(pgrep -x syncopate-watch); do
        cat "/proc/$watcher/environ" 2>/dev/null | grep -aqF "$work" && echo "$watcher"
    done
}

# Inside a launcher: slow progress is no hang, then rank 1 is late.
timeout 60 "$MPIRUN" -n 3 $record --on-hang report,stacks --hang-after 1.5s "$program" late 3.5 "$work/go" \
    >"$work/out" 2>"$work/said" </dev/null &
launcher=$!
while kill -0 $launcher 2>/dev/null; do
    now=$(watchers | wc -l)
    grep -q 'call stacks now' "$work/said" && one=$now && break
    sleep 0.2
done
while kill -0 $launcher 2>/dev/null && ! grep -q 'goes on' "$work/said"; do
    sleep 0.2
done
touch "$work/go"
wait $launcher
late_status=$?
block() { # of the first word of the block to its last line
    sed -n '/^syncopate: [SW]/,/All of it/p' "$work/said"
}
late_is_told() {
    [ "$late_status" = 0 ] && block | head -n 1 | grep -q '^syncopate: Waiting for rank 1, not come for ' && block | grep -q 'MPI_Allreduce #6 on MPI_COMM_WORLD'
}
# (Steps that take as long as a hang does are told as well, before or afterwards.)
was_slow=$(awk '$1 == "slowest" && $3 > 1.3 { print $3 }' "$work/out")
if [ -n "$was_slow" ]; then
    echo "skipped: whether one rank is told as late, once: a step of 0.4 s took $was_slow s here"
else
    check "a rank that is late is told, and the run ends as ever" late_is_told
    check "  once, in 12 lines at most" test "$(grep -c 'All of it' "$work/said")" = 1 -a "$(block | wc -l)" -le 12
fi
check "  with the stack of its last call" grep -q '^    on_hang.c:[0-9]* progress' "$work/said"
check "  and what a tool says of it" grep -q '^    here is [0-9]' "$work/said"
check "  and that it goes on" grep -q '^syncopate: rank [02] goes on' "$work/said"
check "  by one process" test "${one:-0}" = 1
gone() {
    for _ in $(seq 150); do
        [ -z "$(watchers)" ] && return
        sleep 0.2
    done
    return 1
}
check "  which is gone" gone
check "  and the trace is whole" "$syncopate" check "$trace"

# Around a launcher.
timeout 60 $record --on-hang report,kill --hang-after 1s -- "$MPIRUN" -n 2 "$program" receive \
    >"$work/out" 2>"$work/said" </dev/null
check "a deadlock is ended with status 124" test $? = 124
deadlock_is_told() {
    block | head -n 1 | grep -q '^syncopate: Stuck for ' && block | grep -q 'which waits for rank 0: a deadlock'
}
check "  as what it is" deadlock_is_told
check "  and its trace is whole" "$syncopate" check "$trace"
still_hangs() {
    "$syncopate" hang --after 0 "$trace" | grep -q 'a deadlock'
}
check "  and says so, too" still_hangs

# end_once_told WORDS PROCESS: ends the recording, which runs in the background, once it has told these.
end_once_told() {
    for _ in $(seq 300); do
        grep -q "$1" "$work/said" && break
        sleep 0.1
    done
    kill -TERM "$2"
    wait "$2"
}

# The ranks come to their deadlock one after the other: less than the limit apart, and then so far that rank 1 is told as late before.
timeout 60 $record --on-hang report,kill --hang-after 2.5s -- "$MPIRUN" -n 2 "$program" receive 1.5 \
    >"$work/out" 2>"$work/said" </dev/null
check "a deadlock whose ranks came apart is ended" test $? = 124
check "  once it is one" deadlock_is_told
: >"$work/said"
timeout 60 $record --on-hang report --hang-after 1.5s -- "$MPIRUN" -n 2 "$program" receive 5 \
    >"$work/out" 2>"$work/said" </dev/null &
end_once_told 'a deadlock' $!
late_and_stuck() {
    grep -q '^syncopate: Waiting for rank 1, not come for ' "$work/said" && [ "$(grep -c '^syncopate: Stuck for [0-9.]* s: ranks wait for each other' "$work/said")" = 1 ]
}
check "a rank that is late, and then part of a deadlock, is told as both" late_and_stuck

# Around a script: its shell defers the signal for as long as the launcher runs.
printf 'trap : TERM\n"%s" -n 2 "%s" receive\n:\n' "$MPIRUN" "$program" >"$work/two.sh"
timeout 60 $record --on-hang kill --hang-after 1s -- sh "$work/two.sh" >"$work/out" 2>"$work/said" </dev/null
check "a script is ended with status 124" test $? = 124
check "  which is said, though the report was not asked for" deadlock_is_told
# (A launcher kills the other rank as soon as one has ended, on a crowded machine before that one has seen its SIGTERM.)
ended_by_term() {
    "$syncopate" info --format json "$trace" | grep '"ended": "signal 15 (SIGTERM)"'
}
check "  and its ranks got SIGTERM" ended_by_term

# stands SECONDS WORDS: returns as soon as `hang` tells these of the run, which goes on, as waits of so many seconds; or as it ends.
stands() {
    while kill -0 $recording 2>/dev/null; do
        "$syncopate" hang --after "$1" "$trace" 2>/dev/null | tr -s ' \n' ' ' | grep -q "$2" && return
        sleep 0.1
    done
}

# Ranks do not make the same call.
timeout 60 $record --on-hang stacks --hang-after 1s -- "$MPIRUN" -n 2 "$program" disagree \
    >"$work/out" 2>"$work/said" </dev/null &
end_once_told 'call stacks now' $!
check "of ranks that disagree the stacks are told" grep -q '^syncopate: call stacks now of rank 1' "$work/said"
check "  and at the end, who that is" said_once 'rank 1 calls MPI_Allreduce .* where the other calls MPI_Barrier'

# One of three ranks is wrong, and a right one has returned from the call.
rm -rf "$trace"
timeout 60 $record -- "$MPIRUN" -n 3 "$program" root >"$work/out" 2>"$work/said" </dev/null &
recording=$!
stands 0 'the 2 others have root 0'
kill -TERM $recording
wait $recording
check "a rank that has returned counts as one of the others" \
    said_once 'rank 1 calls MPI_Bcast with root 1, .* where the 2 others have root 0'

# Nobody watches: two lines when the run is ended.
rm -rf "$trace"
timeout 60 $record -- "$MPIRUN" -n 2 "$program" receive >"$work/out" 2>"$work/said" </dev/null &
recording=$!
stands 0 'waits for rank'
"$syncopate" hang --watch --after 1 "$trace" >"$work/watched" &
watching=$!
stands 5 'a deadlock' # no message is under way for longer
check "without the option there is no watcher" test -z "$(watchers)"
kill -TERM $recording
wait $recording
wait $watching
watched_status=$?
watched_to_its_end() {
    [ "$watched_status" = 1 ] && tail -n 12 "$work/watched" | grep -q 'Stuck for at least .*: ranks wait for each other'
}
check "who watched it ends with what is left, and status 1" watched_to_its_end
check "a run that is ended says who was waited for" said_once 'ranks wait for each other'
check "  one by one" said_once 'Rank 0 waits for rank 1, which waits for rank 0: a deadlock\.$'

# Ranks are suspended for longer than a hang takes, inside a launcher, where a killed run lies.
ranks() {
    for rank in $(pgrep -x on_hang); do
        cat "/proc/$rank/environ" 2>/dev/null | grep -aqF "$work" && echo "$rank"
    done
}
timeout 60 "$MPIRUN" -n 3 $record --on-hang report,kill --hang-after 1.5s "$program" late 0 \
    >"$work/out" 2>"$work/said" </dev/null &
launcher=$!
for _ in $(seq 100); do
    [ "$(ranks | wc -l)" = 3 ] && break
    sleep 0.1
done
sleep 0.5
check "what an earlier run left raises no alarm" test ! -s "$work/said"
kill -STOP $(ranks)
sleep 3.5
kill -CONT $(ranks)
wait $launcher
check "a run that was suspended is not killed" test $? = 0

timeout 60 "$MPIRUN" -n 2 $record --on-hang report,kill --hang-after 1s "$program" receive \
    >"$work/out" 2>"$work/said" </dev/null
check "a deadlock is ended inside a launcher, too" test $? != 0 -a -z "$(ranks)"
check "  as what it is" deadlock_is_told
check "  by a watcher that is gone" gone
finish
