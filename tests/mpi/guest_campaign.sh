#!/bin/sh
# The table of docs/programs.md, "What a program does with its own process": each way of guest.c bare and recorded, under
# each MPI that was built. Not a test: it prints, and takes a few minutes.
#
# usage: guest_campaign.sh BUILD_DIRECTORY [RANKS]
set -u
build=$1 ranks=${2:-3}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# run WHO ENVIRONMENT...: the program's exit status; its files in $work/WHO, its output in $work/WHO.out
run() {
    who=$1
    shift
    rm -rf "${work:?}/$who"
    mkdir -m 777 "$work/$who"
    timeout 120 "mpirun.$mpi" -n "$ranks" env OWN="$work/$who" "$@" "$build/tests/mpi/$mpi/guest" "$how" \
        >"$work/$who.out" 2>"$work/$who.said" </dev/null
}

same() { # WHAT LEFT RIGHT
    if diff -r "$2" "$3" >/dev/null; then echo same; else echo "$1 DIFFER"; fi
}

words() {
    grep -v ' UCX  ERROR \|^=\|^$\|^YOUR APPL\|^This typically\|^Please see' "$1" >"$1.words"
}

state() {
    for directory in "$work/trace" "$work/trace.moved"; do
        [ -d "$directory" ] || continue
        if "$build/bin/syncopate" check "$directory" >"$work/check" 2>&1; then
            echo whole
        else
            sed -n '1s/.*: //p' "$work/check"
        fi
        return
    done
    echo none
}

echo "| MPI | way | exit status bare, recorded | output | files | trace | lines on stderr |"
echo "|---|---|---|---|---|---|---|"
for mpi in openmpi mpich; do
    [ -x "$build/tests/mpi/$mpi/guest" ] || continue
    for how in plain take pipes close streams wander rename lost full limit root chain chain0 query count; do
        rm -rf "$work/trace" "$work/trace.moved"
        run bare
        bare=$?
        run our LD_PRELOAD="$build/lib/libsyncopate.so" TRACE="$work/trace" SYNCOPATE_OUTPUT="$work/trace" SYNCOPATE_BUFFER=64K
        our=$?
        words "$work/bare.out"
        words "$work/our.out"
        echo "| $mpi | $how | $bare, $our | $(same output "$work/bare.out.words" "$work/our.out.words") |" \
            "$(same files "$work/bare" "$work/our") | $(state) | $(grep -c '^syncopate' "$work/our.said") |"
    done
done
