#!/bin/sh
# Recording that the program switches (MPI_Pcontrol), and ranks that are left out (SYNCOPATE_RANKS).
. "$(dirname "$0")/lib.sh"
syncopate=$(dirname "$SYNCOPATE")/../bin/syncopate

# "rank operation sequence phase" of each row of the trace.
rows() {
    "$syncopate" export --format csv "$trace" | sed 's/"[^"]*"//g' | awk -F, 'NR > 1 { print $2, $4, $8, $17 }'
}

wanted_rows() { # LAST-RANK
    for rank in $(seq 0 "$1"); do
        echo "$rank MPI_Barrier 0 "
        [ "$rank" = 0 ] && echo "0 MPI_Allreduce 3 "
        printf "$rank %s\n" 'MPI_Barrier 4 ' 'MPI_Barrier 5 first' 'MPI_Barrier 6 4711' 'MPI_Ibarrier 7 4711' \
            'MPI_Barrier 9 first' 'MPI_Barrier 10 ' 'MPI_Barrier_init 11 4711' 'MPI_Barrier_init 14 ' 'MPI_Barrier 15 '
    done
}

same_rows() {
    wanted_rows "$1" >"$work/wanted"
    rows | diff "$work/wanted" -
}

says() { # TEXT: the report, its lines joined
    "$syncopate" report "$trace" | tr -s ' \n' '  ' >"$work/report"
    grep -q "$1" "$work/report" || {
        cat "$work/report"
        return 1
    }
}

check "MPI_Pcontrol switches recording" recorded 3 SYNCOPATE_PHASES=2=first "$PROGRAMS/control"
check "  what is off is not there, what is on is, in its phase" same_rows 2
check "  the report says that calls are not there, and not everywhere the same" \
    says '5 to 6 calls of a rank were not recorded: MPI_Pcontrol'
by_phase() {
    "$syncopate" report --by phase --format csv "$trace" | cut -d, -f10,11,12 | LC_ALL=C sort >"$work/got"
    printf '%s\n' ',5,1' '4711,3,0' 'first,2,0' 'phase,instances,incomplete' | diff - "$work/got"
}
check "  --by phase: complete and incomplete instances of each" by_phase
together() { # ranks that wait for each other before each call go on doing so while it is off
    recorded 3 SYNCOPATE_PHASES=2=first SYNCOPATE_ALIGN=window "$PROGRAMS/control"
}
check "  with --align as well" together
check "  the same rows" same_rows 2

handed_on() {
    recorded 2 "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE $PROGRAMS/control_behind.so" "$PROGRAMS/control" >"$work/out"
    printf '%s\n' '2 a name 2.5 7' '2 a name 2.5 7' '4711 another 0.5 -1' '4711 another 0.5 -1' >"$work/wanted"
    LC_ALL=C sort "$work/out" | diff "$work/wanted" -
}
check "a tool behind us gets the call with all its arguments" handed_on

for program in control_mpifh control_f08; do
    [ -x "$PROGRAMS/$program" ] || continue
    check "$program" recorded 2 "$PROGRAMS/$program"
    from_fortran() {
        printf '%s\n' '0 MPI_Barrier 0 ' '0 MPI_Barrier 2 2' '1 MPI_Barrier 0 ' '1 MPI_Barrier 2 2' >"$work/wanted"
        rows | diff "$work/wanted" -
    }
    check "  the second barrier is off, the third in phase 2" from_fortran
done

check "ranks 1 and 3 of 4" recorded 4 SYNCOPATE_RANKS=1,3-7 "$PROGRAMS/communicators"
only_those() {
    [ "$(rows | cut -d' ' -f1 | sort -u | tr '\n' ' ')" = '1 3 ' ]
}
check "  record, and no other" only_those
check "  the trace is whole" "$syncopate" check "$trace"
none_incomplete() { # no instance lacks a rank but those that were left out; sizes are the communicators' own
    "$syncopate" report --by comm --format csv "$trace" >"$work/csv" &&
        sed 's/"[^"]*"/x/g' "$work/csv" | awk -F, 'NR > 1 { calls += $11; lacking += $12; world += $3 == "MPI_COMM_WORLD" && $4 == 4 }
                 END { print calls, lacking, world; exit !(calls > 10 && lacking == 0 && world == 1) }'
}
check "  instances are complete without the others" none_incomplete
check "  the report says so" says '2 of 4 ranks were not recorded (--ranks)'
check "  and in its head" says '4 ranks on 1 node (2 of them recorded)'
check "ranks that are not there" recorded 2 SYNCOPATE_RANKS=2-9 "$PROGRAMS/loop" 1 10
check "  one line" said_lines 1
check "  says so" said_once 'SYNCOPATE_RANKS=2-9 names none of the 2 ranks; the run is not recorded'
finish
