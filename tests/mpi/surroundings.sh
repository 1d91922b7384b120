#!/bin/sh
# The library in processes that are not MPI programs, and in MPI programs that are unlike others.
. "$(dirname "$0")/lib.sh"
preload="${ASAN:+$ASAN }$SYNCOPATE"

inert() {
    env LD_BIND_NOW=1 "LD_PRELOAD=$preload" "SYNCOPATE_OUTPUT=$trace" "$@" && [ ! -e "$trace" ]
}
libc_only() {
    [ -n "$ASAN" ] || [ "$(objdump -p "$SYNCOPATE" | awk '/NEEDED/ { print $2 }')" = libc.so.6 ]
}
entries_only() {
    [ -n "$ASAN" ] || ! nm -D --defined-only "$SYNCOPATE" | grep -viE ' T (mpix?_|((__)?(sigaction|s?signal|bsd_signal|sysv_signal|sigset)|__gmon_start__|_itm_registertmclonetable)$)'
}
check "needs libc alone" libc_only
check "exports MPI's names, those of dispositions and of presence.c alone" entries_only
check "/bin/true" inert /bin/true
check "a shell and what it starts" inert sh -c 'ls / >/dev/null; exec true'

# The launcher itself under the library.
around() {
    LD_PRELOAD=$preload SYNCOPATE_OUTPUT=$trace timeout 60 "$MPIRUN" -n 2 "$PROGRAMS/endings" thread 2>"$work/said" </dev/null
}
check "around the launcher" around
check "  recorded" "$DUMP" times "$trace"

# A locale of which nothing is known but that it has a comma where C has a point.
printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep ""\ngrouping -1\nEND LC_NUMERIC\n' >"$work/comma.source"
localedef -c -i "$work/comma.source" -f ANSI_X3.4-1968 "$work/comma" >/dev/null 2>&1
comma() {
    recorded 2 "LOCPATH=$work" LC_ALL=comma SYNCOPATE_SYNC_BUDGET=0.25 "$PROGRAMS/endings" thread && said_lines 2
}
points() {
    "$DUMP" meta sync.budget_s "$trace" | grep -q '^0 0\.25$' &&
        "$DUMP" meta cost.call_ns "$trace" | grep -q '^0 [0-9]*\.[0-9]$' && ! grep -q ',[0-9] B an event' "$work/said"
}
if [ "$(LOCPATH=$work LC_ALL=comma locale decimal_point 2>/dev/null)" = , ]; then
    check "a program in a locale with a decimal comma" comma
    check "  numbers are read and written with a point" points
    rm -rf "$trace"
else
    echo "skipped: a decimal comma: localedef makes no locale here"
fi

private() {
    recorded 2 "$PROGRAMS/private_mpi" "$PROGRAMS/private_plugin.so"
}
rows() { # PATTERN NUMBER
    [ "$("$DUMP" rows "$trace" | grep -c "$1")" = "$2" ]
}
check "an MPI loaded privately" private
check "  recorded" rows MPI_Allreduce 20
by_pointer() {
    library=$(ldd "$PROGRAMS/endings" | awk '/libmpi(ch)?\.so/ { print $3 }')
    recorded 2 "$PROGRAMS/private_mpi_by_pointer" "$library" && said_lines 2
}
check "an MPI loaded privately, reached by pointers" by_pointer

relative() {
    (cd "$(dirname "$SYNCOPATE")" && mpi 2 env "LD_PRELOAD=${ASAN:+$ASAN }./libsyncopate.so" SYNCOPATE_OUTPUT=relative \
        "GO=$work" "$PROGRAMS/endings" thread) && [ -f "$work/relative/manifest" ]
}
check "a relative preload and a relative output, from another directory" relative
rm -rf "$trace"

wrong() {
    mpi 2 "$PROGRAMS/wrong_arguments" | sort >"$work/bare"
    recorded 2 "$PROGRAMS/wrong_arguments" | sort >"$work/our"
    [ -s "$work/bare" ] && diff "$work/bare" "$work/our"
}
check "wrong arguments give the same errors" wrong
# MPICH takes any colour that is negative for MPI_UNDEFINED, so that the call is a good one.
split=$(grep -c '^negative colour 0$' "$work/bare")
of="dup 1 of MPI_COMM_WORLD{0,1}"
check "  and only the good calls are recorded" rows "MPI_Barrier $of $((split / 2)) 0 -1 0" 2
check "  counted without the refused" rows "MPI_Allreduce $of $((split / 2 + 1)) 4 -1 0" 2
check "  the dup before" rows 'MPI_Comm_dup MPI_COMM_WORLD{0,1} 0 0 -1 0' 2
check "  and the free after them" rows "MPI_Comm_free $of $((split / 2 + 2)) 0 -1 0" 2
check "  and no other" rows . $((8 + split))
finish
