#!/bin/sh
# However a run ends, it ends as it would have without us, and what was recorded is readable.
. "$(dirname "$0")/lib.sh"

# The sanitizer would catch the program's own crash, and exit.
export ASAN_OPTIONS="$ASAN_OPTIONS:handle_segv=0"

# Bare first: exit status and output are what recording must not change.
same() { # RANKS COMMAND...
    mpi "$@" >"$work/bare" 2>/dev/null
    echo "$?" >"$work/bare.status"
    recorded "$@" >"$work/our"
    echo "$?" >"$work/our.status"
    # Sorted: which rank's lines come first is the launcher's affair. The line left out is of MPICH's launcher on a crash.
    for who in bare our; do grep -v 'PID [0-9]* RUNNING' "$work/$who" | LC_ALL=C sort >"$work/$who.out"; done
    diff "$work/bare.status" "$work/our.status" && diff "$work/bare.out" "$work/our.out"
}

ended() { # PATTERN MINIMUM: so many ranks at least ended like that, with all 10 events
    [ "$("$DUMP" ends "$trace" | grep -c " $1 10 0\$")" -ge "$2" ] || {
        "$DUMP" ends "$trace"
        ls -l "$trace" # or did its rank 1 take itself for a run of its own?
        ls -d "$trace"*
        return 1
    }
}

readable() {
    "$DUMP" rows "$trace" >/dev/null
}

# All that a run which MPI_Finalize ended leaves, and no more.
nothing_else() { # [NAME...]
    [ "$(cd "$trace" && echo *)" = "${*:-manifest rank-000000.syn rank-000001.syn}" ] || {
        ls "$trace"
        return 1
    }
}

# Every rank's 10 events are there, read by report as they lie, and by anything once recovered.
kept() {
    command=$(dirname "$SYNCOPATE")/../bin/syncopate
    ended '[a-z]*.*' 2 || return 1
    "$command" report "$trace" >"$work/report" || return 1
    recover_ended && "$command" check "$trace" || return 1
    ended '[a-z]*.*' 2 && nothing_else
}

# ends_alike WHO COMMAND...: of two ranks. The same where the launcher's status and words vary from run to run, bare as recorded:
# which rank MPICH's speaks of, or whether of one that it killed itself. How the ranks ended is compared: those of WHO (1; or *, all
# of which end alike) that the launcher did not end.
ends_alike() {
    who=$1
    shift
    rm -rf "$work/bare.ends" "$work/our.ends"
    mkdir "$work/bare.ends" "$work/our.ends"
    mpi 2 "$PROGRAMS/ends_as" "$work/bare.ends" "$@" >/dev/null 2>&1
    recorded 2 "$PROGRAMS/ends_as" "$work/our.ends" "$@" >/dev/null
    for run in bare our; do cat "$work/$run.ends"/$who | grep -v '^told$' | sort -u >"$work/$run.out"; done
    [ "$(grep -c . "$work/bare.out")" = 1 ] && diff "$work/bare.out" "$work/our.out"
}

# The launcher gets a signal once the ranks have worked, as from a batch system at the time limit.
stopped() { # SIGNAL
    : >"$work/our" # what the run before said is no sign of this one
    "$MPIRUN" -n 2 env "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE" "SYNCOPATE_OUTPUT=$trace" "$program" wait \
        >"$work/our" 2>"$work/said" </dev/null &
    launcher=$!
    for _ in $(seq 600); do
        [ "$(grep -cs waits "$work/our")" = 2 ] && break
        sleep 0.05
    done
    sleep 0.3
    kill -"$1" $launcher
    wait $launcher
    for _ in $(seq 100); do # a rank that the launcher did not take along ends by itself
        pgrep -f -x -- "$program wait" >/dev/null || return 0
        sleep 0.1
    done
    return 1
}

program=$PROGRAMS/endings
no_barriers_on_self() {
    "$DUMP" rows "$trace" >"$work/rows" && ! grep -q 'MPI_Barrier MPI_COMM_SELF' "$work/rows"
}
for how in finalize atexit fork thread own; do
    check "$how ends as bare, in one file" same 2 env SYNCOPATE_FILES=node "$program" "$how"
    check "  both ranks whole" ended finalize 2
    check "  and nothing else is left" nothing_else manifest node-000000.syn
    check "$how ends as bare" same 2 env SYNCOPATE_FILES=rank "$program" "$how"
    check "  both ranks whole" ended finalize 2
    check "  and nothing else is left" nothing_else
    check "  two lines" said_lines 2
done
# The events that the program makes, and none of a child's, although those would fill buffers of the parent's.
SYNCOPATE_BUFFER=64K
export SYNCOPATE_BUFFER
check "children that call MPI end as bare" same 2 "$program" fork
check "  both ranks whole" ended finalize 2
check "  their calls are not the parent's" no_barriers_on_self
unset SYNCOPATE_BUFFER
costs_known() {
    "$(dirname "$SYNCOPATE")/../bin/syncopate" info --format json "$trace" >"$work/info" &&
        grep -q '"call_ns": [1-9]' "$work/info" && grep -q '"interval_ns": [1-9]' "$work/info"
}
check "  what a call costs is known" costs_known
# Open MPI's launcher would give the other ranks of a run that failed a second before it kills them.
export OMPI_MCA_odls_base_sigkill_timeout=0
for how in return exit handler; do
    check "$how ends as bare" ends_alike '*' "$program" "$how"
    # The launcher may kill the other ranks once one has left like that.
    check "  what was recorded is there" ended exit 1
done
check "abort ends as bare" same 2 "$program" abort
check "  the rank that aborted is there" ended abort 1
check "a signal's death ends as bare" ends_alike 1 "$program" 'abort()'
check "  which one is known" ended 'signal 6 .*' 1
check "  everything is there" kept
for end in 'segv:signal 11 .*' 'term:signal 15 .*' 'kill:killed'; do
    check "${end%%:*} ends as bare" ends_alike 1 "$program" "${end%%:*}"
    check "  how is known" ended "${end#*:}" 1
    check "  everything is there" kept
done
check "the launcher gets SIGTERM" stopped TERM
check "  everything is there" kept
check "the launcher gets SIGKILL" stopped KILL
check "  everything is there" kept
check "another program in its place" ends_alike 1 "$program" exec
check "  everything is there" kept
check "_exit ends as bare" ends_alike '*' "$program" _exit
check "  everything is there" kept

# Raw blocks on the node's own disk.
export SYNCOPATE_SPILL="$work/spill"
mkdir "$work/spill"
check "blocks elsewhere" same 2 "$program" finalize
check "  are gone in the end" rmdir "$work/spill"
mkdir "$work/spill"
check "killed, with blocks elsewhere" ends_alike 1 "$program" kill
unset SYNCOPATE_SPILL
# As another host sees it: the rank is left as it is.
left_without() {
    [ -z "$(find "$trace" -name '*.raw')" ] && mv "$work/spill" "$work/away" || return 1
    "$(dirname "$SYNCOPATE")/../bin/syncopate" info "$trace" 2>&1 | grep -q "were in $work/spill"
    said=$?
    recover_ended
    left=$?
    mv "$work/away" "$work/spill"
    [ $said -eq 0 ] && [ $left -eq 2 ] && grep -q "left as it is: .* in $work/spill on" "$work/recovered"
}
recovered_from_there() {
    recover_ended && ended 'killed\|signal.*' 2 && rmdir "$work/spill"
}
check "  without them no rank is recovered" left_without
check "  with them all events are there" recovered_from_there
check "in a directory that is not there" same 2 env SYNCOPATE_SPILL="$work/none" "$program" finalize
check "  one line says that a kill loses events" said_once "$work/none: 2 of 2 ranks keep events in memory, No such file"
check "in memory alone" same 2 env SYNCOPATE_SPILL=memory "$program" finalize
check "  whole" ended finalize 2

rm -rf "$trace"
check "the directory is removed meanwhile" same 2 env "REMOVE=$trace" "$program" remove
check "  that is said in one line" said_once 'cannot write'
finish
