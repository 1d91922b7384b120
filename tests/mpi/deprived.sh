#!/bin/sh
# A process that lacks what most have: memory, /proc. It ends as bare, and what of the trace is lost is said.
. "$(dirname "$0")/lib.sh"
# Open MPI's launcher would give the other ranks of a run that failed a second before it kills them.
export OMPI_MCA_odls_base_sigkill_timeout=0
command=$(dirname "$SYNCOPATE")/../bin/syncopate

short() { # [NAME=VALUE...]
    recorded 2 "$@" "$PROGRAMS/short_memory" >"$work/out" && [ "$(grep -c '^made 100002' "$work/out")" = 2 ]
}
# A block that could not be written is as it was: each call is in the trace, or counted.
accounted() {
    "$DUMP" ends "$trace" | awk '{ print } $3 + $4 != 100002 || $3 < 1000 { wrong = 1 } END { exit wrong || NR != 2 }'
}
unknown() {
    "$command" info "$trace" >"$work/info"
    grep -q 'lost is not known' "$work/info" || { cat "$work/info"; return 1; }
}
if [ -n "$ASAN" ]; then
    : # a sanitizer takes more than all of it
else
    for buffer in 64K 64M; do
        check "memory is short (buffers of $buffer)" short SYNCOPATE_BUFFER=$buffer
        check "  every call is recorded, or counted as lost" accounted
        check "  one line says so" said_once 'out of memory; the trace is incomplete, .* calls are lost'
        check "  and those of a run's start" said_lines 2
    done
    check "memory is short, and blocks are in it" short SYNCOPATE_SPILL=memory
    check "  one line says so" said_once 'out of memory; the trace is incomplete, .* calls are lost'
    check "  info says that it cannot know" unknown
fi

# The ranks alone are without it, or with what of it says nothing about processes: MPICH needs the latter to start.
cat >"$work/without" <<'END'
mkdir -p "$KEPT" && mount --bind /proc/sys "$KEPT" && mount -t tmpfs none /proc || exit 99
[ -z "$SYS" ] || { mkdir /proc/sys && mount --bind "$KEPT" /proc/sys; } || exit 99
exec "$@"
END
export KEPT="$work/sys"
unshare=
for how in 'unshare -m' 'unshare -rm'; do
    [ -n "$unshare" ] || ! $how sh "$work/without" true 2>/dev/null || unshare=$how
done
without() { # SYS
    export SYS=$1
    # shellcheck disable=SC2086
    mpi 2 $unshare sh "$work/without" "$PROGRAMS/endings" >"$work/bare" 2>&1
    bare=$?
    # shellcheck disable=SC2086
    mpi 2 $unshare sh "$work/without" env "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE" "SYNCOPATE_OUTPUT=$trace" "$PROGRAMS/endings" \
        >"$work/out" 2>"$work/said"
    our=$?
    [ $our = $bare ] || { echo "status $bare bare, $our recorded"; return 1; }
}
if [ -n "$ASAN" ]; then
    : # a sanitizer reads its options there, and would look for leaks
elif [ -z "$unshare" ]; then
    echo "skipped: no /proc: no namespace of mounts can be had here"
else
    for sys in '' yes; do
        rm -rf "$trace"
        check "no /proc${sys:+ but /proc/sys}: as bare" without "$sys"
        if grep -q '^finalized 1' "$work/bare"; then
            check "  whole" "$command" check "$trace"
            check "  two lines" said_lines 2
        else
            echo "skipped: no /proc${sys:+ but /proc/sys}: $MPI itself does not start there"
        fi
    done
fi
finish
