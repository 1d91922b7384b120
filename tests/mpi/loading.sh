#!/bin/sh
# The process finds the same functions bare and recorded. Every name of the library's is asked for, by libraries that are loaded in
# every way, at the start and later, beside other libraries' functions of these names and other MPIs. Calls of the MPI are recorded.
. "$(dirname "$0")/lib.sh"
linked=$PROGRAMS/loading_linked plain=$PROGRAMS/loading
lib() { echo "$PROGRAMS/loading_$1.so"; }
nm -D --defined-only "$SYNCOPATE" | awk 'tolower($3) ~ /^mpix?_/ { print $3 }' | sort >"$work/names"

# same [NAME=VALUE...] COMMAND...: on two ranks, the same status and output. alone: without a launcher, nothing is recorded.
same() {
    mpi 2 env "$@" >"$work/bare" 2>"$work/bare.said"
    bare=$?
    rm -rf "$trace"
    recorded 2 "$@" >"$work/our"
    our=$?
    [ $bare = $our ] && diff "$work/bare" "$work/our"
}
alone() {
    env "$@" >"$work/bare" 2>"$work/bare.said"
    bare=$?
    env "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE" "$@" >"$work/our" 2>"$work/said"
    our=$?
    [ $bare = $our ] && diff "$work/bare" "$work/our" && diff "$work/bare.said" "$work/said"
}
past() { said_once "past the recorder.*$1" && said_lines 1; }

check "names: there are many" [ "$(wc -l <"$work/names")" -gt 2000 ]
for how in SYNCOPATE_QUIET=0 LD_BIND_NOW=1 SYNCOPATE_DISABLE=1; do
    check "every name, MPI at the start, $how" alone $how "$linked" names "$work/names" local "$(lib asks)"
    check "every name, MPI late and for all, $how" alone $how "$plain" names "$work/names" local "$(lib asks)" global "$(lib idle)" \
        names "$work/names" lazy "$(lib asks)"
    # Bound before the library could hide a name.
    check "references of a library at the start, $how" alone $how "$PROGRAMS/loading_early" local "$(lib asks)"
    check "own names, $how" alone $how "$linked" local "$(lib own1)" close local "$(lib own2)" lazy "$(lib own1)"
    check "  65" grep -q ': 65 0$' "$work/our"
done
nothing_of_ours() {
    alone SYNCOPATE_DISABLE=1 SHOW_OURS=1 "$linked" names "$work/names" && grep -q yes "$work/our"
}
check "disabled: nothing of ours is left" nothing_of_ours

check "MPI at the start, own names" same "$linked" local "$(lib own1)" init local "$(lib own2)" barrier finalize
check "  recorded" all_calls "MPI_Barrier 2"
check "MPI late, own names" same "$plain" local "$(lib own1)" local "$(lib real)" local "$(lib own2)"
check "  recorded" all_calls "MPI_Allreduce 10"

# Beside MPIs that are not the one: none of their functions is called in its place, nor ours in theirs.
for other in serial foreign; do
    check "a $other MPI after the real one" same "$plain" open "$(lib real)" local "$(lib uses_$other)" local "$(lib real)"
    check "  recorded" all_calls "MPI_Allreduce 10"
    check "a $other MPI after the real one, for all" same "$plain" open "$(lib real)" global "$(lib uses_$other)" local "$(lib real)"
    check "  recorded" all_calls "MPI_Allreduce 10"
done
check "a serial MPI before the real one" same "$plain" local "$(lib uses_serial)" local "$(lib real)"
check "  recorded" all_calls "MPI_Allreduce 10"
check "a foreign MPI before the real one" same "$plain" local "$(lib uses_foreign)" local "$(lib real)"
check "  is said" said_once "neither the standard ABI nor"

# The address of a function, of an MPI that is gone.
gone() {
    recorded 1 "$plain" global "$(lib foreign)" take MPI_Barrier close local "$(lib own1)" call >"$work/our" && grep -q 'called: 16' "$work/our"
}
check "a call without an MPI" gone
check "  is said" said_once "no MPI library that has it is loaded"

# Past the recorder; the reason is said.
if [ -z "$ASAN" ]; then # the sanitizer refuses RTLD_DEEPBIND
    check "a library that is bound deep" same "$plain" deep "$(lib real)"
    check "  is said" past "RTLD_DEEPBIND"
fi
check "another MPI was loaded before" same "$plain" open "$(lib foreign)" local "$(lib real)"
check "  is said" past "loading_foreign.so was loaded before"
check "a tool linked in" same "$PROGRAMS/loading_tool" init barrier finalize
check "  is said" past "MPI_Init of the program"
finish
