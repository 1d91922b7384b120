#!/bin/sh
# Programs of MPI Sessions: recorded from their first communicator of all processes to the end of the last session.
# usage: sessions.sh RANKS...
. "$(dirname "$0")/lib.sh"

same_run() { # RANKS MODE
    mpi "$1" "$PROGRAMS/sessions" "$2" >"$work/bare"
    bare=$?
    rm -rf "$trace" "$work/expected"
    mkdir "$work/expected"
    recorded "$1" "EXPECTED=$work/expected" "$PROGRAMS/sessions" "$2" >"$work/recorded"
    status=$?
    [ $status = $bare ] && cmp "$work/bare" "$work/recorded"
}

same_rows() { # RANKS
    for rank in $(seq 0 $(($1 - 1))); do cat "$work/expected/$rank"; done >"$work/wanted"
    [ -s "$work/wanted" ] && "$DUMP" rows "$trace" >"$work/got" && diff "$work/wanted" "$work/got"
}

all_whole() { # RANKS
    [ "$("$DUMP" ends "$trace" | grep -c ' finalize [0-9]* 0$')" = "$1" ]
}

# One process of the run is not recorded, the first or the last.
ends_unrecorded() { # WHICH PROGRAM [ARGUMENT]
    which=$1
    shift
    preload="LD_PRELOAD=${ASAN:+$ASAN:}$SYNCOPATE" output="SYNCOPATE_OUTPUT=$trace"
    if [ "$which" = first ]; then set -- -n 1 "$@" : -n 2 env "$preload" "$output" "$@"
    else set -- -n 2 env "$preload" "$output" "$@" : -n 1 "$@"; fi
    timeout 60 "$MPIRUN" "$@" </dev/null >"$work/out" 2>"$work/said" || { echo "exit status $?"; cat "$work/out"; return 1; }
    said_once '1 of the 3 processes that the launcher started here take no part' && said_lines 1 && [ ! -e "$trace" ]
}

for ranks in "$@"; do
    for mode in alone reversed init; do
        check "sessions, $mode, on $ranks: runs as without us" same_run "$ranks" "$mode"
        check "  each call has its record" same_rows "$ranks"
        check "  communicators agree over ranks" "$DUMP" comms "$trace"
        check "  every rank ended in finalize" all_whole "$ranks"
        check "  one line at the start, one at the end" said_lines 2
    done
done
check "communicators of single processes only: runs as without us" same_run 2 parts
check "  one line says that it is not recorded" said_once "no communicator of all its processes"
check "  and no other" said_lines 1
check "  there is no trace" [ ! -e "$trace" ]
check "the first process is not recorded: nobody waits for it" ends_unrecorded first "$PROGRAMS/sessions" alone
[ -z "$ASAN" ] || finish # what follows is the same code of ours once more, after five seconds each
check "the last process is not recorded: nobody waits for it" ends_unrecorded last "$PROGRAMS/sessions" alone
for program in sessions_mpifh sessions_f08; do
    [ ! -x "$PROGRAMS/$program" ] || check "  nor in $program" ends_unrecorded first "$PROGRAMS/$program"
done
finish
