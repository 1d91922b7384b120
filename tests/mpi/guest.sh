#!/bin/sh
# What a program does with its own process, it may do under us as well: its exit status, its output and its files are those
# of the same program bare, and the trace is whole, or says that it is not.
. "$(dirname "$0")/lib.sh"
# Open MPI's launcher would give the other ranks of a run that failed a second before it kills them.
export OMPI_MCA_odls_base_sigkill_timeout=0
program=$PROGRAMS/guest
command=$(dirname "$SYNCOPATE")/../bin/syncopate
ranks=3

# bare HOW: what all else is compared with.
bare() {
    rm -rf "$work/bare"
    mkdir -m 777 "$work/bare"
    mpi $ranks env OWN="$work/bare" "$program" "$1" >"$work/bare.out" 2>"$work/bare.said"
    bare_status=$?
}

# MPICH's launcher returns the signal that ended a rank; from 4.2 on it may return 0 instead.
is_by_chance() { # STATUS STATUS
    { [ "$1" = 0 ] || [ "$2" = 0 ]; } && "$MPIRUN" --version 2>/dev/null | grep -q 'Version: *4\.[2-9]'
}

# our HOW [NAME=VALUE...]: recorded, in small buffers, so that much is written meanwhile; as bare.
our() {
    how=$1
    shift
    rm -rf "$work/our" "$trace" "$trace.moved"
    mkdir -m 777 "$work/our"
    recorded $ranks OWN="$work/our" TRACE="$trace" SYNCOPATE_BUFFER=64K "$@" "$program" "$how" >"$work/our.out"
    our_status=$?
    [ "$bare_status" = "$our_status" ] || is_by_chance $bare_status $our_status || {
        echo "exit status $bare_status bare, $our_status recorded"
        cat "$work/said"
        return 1
    }
    # On stdout: UCX says what it cannot open, MPICH's launcher whom it saw die.
    for who in bare our; do grep -v ' UCX  ERROR \|^be opened simul\|^=\|^$\|^YOUR APPL\|^This typically\|^Please see' "$work/$who.out" >"$work/$who.words"; done
    diff "$work/bare.words" "$work/our.words" && diff -r "$work/bare" "$work/our"
}

same() { # HOW
    bare "$1"
    our "$1"
}

whole() { # [DIRECTORY]
    "$command" check "${1:-$trace}" && "$command" info "${1:-$trace}" >"$work/info"
}

# Actions that do not get in each other's way in one run.
for how in take,pipes close; do
    check "$how: the program's files are its own" same $how
    check "  whole" whole
    check "  two lines" said_lines 2
done
# (Root may read everything.)
readable() {
    ! stat -c '%a %n' "$trace"/* | grep -v '^[67]'
}
how=count,query,chain0,wander
check "$how: as bare" same $how
check "  whole" whole
check "  its owner may read it" readable
check "  two lines" said_lines 2
check "$how without handlers: as bare" our $how SYNCOPATE_SIGNALS=off
check "  whole" whole
check "chain: ends as bare" same chain
check "rename: as bare" same rename
check "  whole, where it is now" whole "$trace.moved"
check "  which is said" said_once "$trace.moved"
for how in full limit; do
    check "$how: as bare" same $how
    check "  whole" whole
    check "  two lines" said_lines 2
done
check "streams: the program's files are its own" same streams
check "  whole" whole
check "  one line, at the start" said_lines 1
check "lost: as bare" same lost
check "  one line says so" said_once 'took its descriptor'
check "  and no end" said_lines 2
finish
