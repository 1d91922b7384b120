#!/bin/sh
# Programs and libraries such as few are, thought out against the recorder. Each ends bare, recorded and disabled with the same status
# and output, and the trace has its calls.
. "$(dirname "$0")/lib.sh"
linked=$PROGRAMS/loading_linked plain=$PROGRAMS/loading
lib() { echo "$PROGRAMS/loading_$1.so"; }
world=1
as_bare() {
    recorded $world "$@" >"$work/our"
    our=$?
    [ $bare = $our ] && diff "$work/bare" "$work/our"
}
way() { # TEXT "OPERATION NUMBER..." COMMAND...
    text=$1 calls=$2
    shift 2
    rm -rf "$trace"
    mpi $world env "$@" >"$work/bare" 2>"$work/said"
    bare=$?
    check "$text" as_bare "$@"
    check "  recorded" all_calls "${calls:-$(sed -n 's/ calls//p' "$work/bare" | sed 's/^/MPI_Barrier /')}"
    check "  disabled" as_bare SYNCOPATE_DISABLE=1 "$@"
}

way "a part of an MPI in front of the real one" "MPI_Allreduce 5" "$PROGRAMS/loading_front" init barrier local "$(lib real)" finalize
way "IFUNCs that ask for a function" "MPI_Barrier 1" "$PROGRAMS/loading_choosing" init local "$(lib chooses)" local "$(lib binds)" barrier finalize
way "a program with another zstd and libunwind" "MPI_Barrier 1" "$PROGRAMS/loading_holds" init barrier finalize
way "a program with functions of PMPI" "MPI_Barrier 1" "$PROGRAMS/loading_profiled" init barrier finalize
way "a library with functions of PMPI" "MPI_Barrier 1" "$PROGRAMS/loading_tooled" init barrier local "$(lib begins)" finalize
way "a library that has functions of MPI" "MPI_Allreduce 5" "$plain" global "$(lib stands)"
ln -s "$(ldd "$(lib real)" | awk '/libmpi(ch)?\.so/ { print $3 }')" "$work/libmpi_named.so"
way "a tool over an MPI by another name" "MPI_Allreduce 5" "LD_LIBRARY_PATH=$work" "$plain" global "$(lib layer)" local "$(lib real)" local "$(lib layer)"
cp "$(lib real)" "$work/again.so"
way "the same, loaded later" "MPI_Allreduce 5" "LD_LIBRARY_PATH=$work" "$plain" open "$(lib real)" global "$(lib layer)" local "$work/again.so" local "$(lib layer)"
way "a library that calls what no MPI has" "" "$plain" local "$(lib lacks)"
check "  and so cannot be loaded" grep -q 'undefined symbol: MPIX_Comm_iagree' "$work/said"
again=
for _ in 1 2 3 4 5 6 7 8; do
    again="$again local $(lib real) close local $(lib own1) close global $(lib profiles) close"
done
# shellcheck disable=SC2086
way "libraries that come and go" "MPI_Allreduce 40 MPI_Barrier 1" "$linked" init $again barrier finalize
way "a library that adapts a function to Fortran" "MPI_Barrier 6" "$linked" init barrier local "$(lib adapted)" finalize
if [ -e "$(lib fortran)" ]; then
    way "a tool written in Fortran" "MPI_Barrier 5" "$linked" init global "$(lib written)" local "$(lib fortran)" local "$(lib written)" finalize
    many=
    for i in $(seq 20); do
        cp "$(lib profiles)" "$work/profiles$i.so"
        many="$many local $work/profiles$i.so"
    done
    # shellcheck disable=SC2086
    way "many libraries with profiling functions, then Fortran's" "MPI_Barrier 5" "$linked" init $many local "$(lib fortran)" finalize
fi
way "small stacks, rounds of destructors, own stacks, coroutines" "" "$PROGRAMS/unusual" small rounds stacks coroutines
way "a program that removes our variables" "" "$PROGRAMS/unusual" forgetful
way "jumps out of calls" "MPI_Barrier 366 MPI_Comm_dup 1" "$PROGRAMS/jumps" deeper places messages coroutines thread
way "jumps, and calls of MPI within calls" "MPI_Barrier 120 MPI_Comm_dup 5 MPI_Comm_free 4" "$PROGRAMS/jumps" callbacks yielding signals
way "a jump out of MPI_Comm_free" "MPI_Barrier 2 MPI_Comm_dup 3 MPI_Comm_free 2" "$PROGRAMS/jumps" freeing
world=2
way "64 KiB of stack for two ranks" "MPI_Barrier 2" sh -c "ulimit -s 64; exec $linked init barrier finalize"
finish
