#!/bin/sh
# Each message of message_events.c (or .F90) is an event of the trace, with all that it says, and there is no other.
# usage: message_events.sh PROGRAM [loops]; with loops those of C are recorded over several blocks, and killed.
. "$(dirname "$0")/lib.sh"
program=$PROGRAMS/$1
syncopate=$(dirname "$SYNCOPATE")/../bin/syncopate

# RANK THREAD OP COMMUNICATOR ORDER TAG BYTES PEER KIND FLAGS
world=MPI_COMM_WORLD copy='dup 1 of MPI_COMM_WORLD'
expected() {
    cat <<EXPECTED
0 0 MPI_Send $world 0 5 8 1 0 0
0 0 MPI_Recv $world 1 6 36 1 0x7 0
0 0 MPI_Ssend $world 2 10 8 1 0x10 0
1 0 MPI_Recv $world 0 5 100 0 0x201 0
1 0 MPI_Send $world 1 6 36 0 0 0
1 0 MPI_Mrecv $world 2 10 8 0 0x103 0
EXPECTED
    for rank in 0 1; do
        peer=$((1 - rank))
        cat <<EXPECTED
$rank 0 MPI_Sendrecv $world 3 7 12 $peer 0 0
$rank 0 MPI_Sendrecv $world 4 7 12 $peer 0x1 0
$rank 0 MPI_Sendrecv_replace $world 5 8 20 $peer 0 0
$rank 0 MPI_Sendrecv_replace $world 6 8 20 $peer 0x201 0
$rank 0 MPI_Irecv $copy 7 9 70000 $peer 0x3 0
$rank 0 MPI_Isend $copy 8 9 70000 $peer 0 0
$rank 0 MPI_Irecv $copy 9 11 1 $peer 0x5 0
$rank 0 MPI_Issend $copy 10 11 1 $peer 0x10 0
$rank 0 MPI_Irecv $copy 11 12 100 $peer 0x201 0
$rank 0 MPI_Isend $copy 12 12 2 $peer 0 0
$rank 0 MPI_Irecv $copy 13 99 100 $peer 0x209 0
$rank 0 MPI_Send_init $world 14 13 16 $peer 0x40 0
$rank 0 MPI_Recv_init $world 15 13 16 $peer 0x43 0
$rank 0 MPI_Send_init $world 16 13 16 $peer 0x40 0
$rank 0 MPI_Recv_init $world 17 13 16 $peer 0x43 0
$rank 0 MPI_Bsend_init $world 18 16 100000 $peer 0x60 0
$rank 0 MPI_Bsend_init $world 19 16 100000 $peer 0x60 0
$rank 0 MPI_Bsend_init $world 20 16 100000 $peer 0x60 0
$rank 0 MPI_Recv $world 21 16 100000 $peer 0x201 0
$rank 0 MPI_Recv $world 22 16 100000 $peer 0x201 0
$rank 0 MPI_Recv $world 23 16 100000 $peer 0x201 0
$rank 0 MPI_Recv_init $world 24 17 5 $peer 0x249 0
$rank 0 MPI_Recv_init $world 25 17 5 $peer 0x241 0
$rank 0 MPI_Send $world 26 17 4 $peer 0 0
$rank 0 MPI_Recv_init $world 27 17 5 $peer 0x241 65
$rank 0 MPI_Send_init $world 28 17 4 $peer 0x40 65
$rank 0 MPI_Recv_init $world 29 17 5 $peer 0x241 0
$rank 0 MPI_Send $world 30 17 4 $peer 0 0
$rank 0 MPI_Recv_init $world 31 18 6 $peer 0x641 65
$rank 0 MPI_Sendrecv $world 32 18 6 $peer 0 0
$rank 0 MPI_Sendrecv $world 33 18 6 $peer 0x201 0
$rank 0 MPI_Sendrecv $world 34 18 6 $peer 0 0
$rank 0 MPI_Sendrecv $world 35 18 6 $peer 0x201 0
$rank 0 MPI_Send_init $world 36 19 4 $peer 0x40 0
$rank 0 MPI_Sendrecv $world 37 20 4 $peer 0 0
$rank 0 MPI_Sendrecv $world 38 20 4 $peer 0x201 0
$rank 0 MPI_Recv $world 39 19 4 $peer 0x201 0
EXPECTED
    done
}

# The number of a duplicate says nothing here.
all_told() {
    expected | sort >"$work/expected"
    "$DUMP" messages "$trace" | sed 's/dup [0-9]* of/dup 1 of/' | sort | diff "$work/expected" -
}

# Each rank cancels two receives. It cancels and frees one of tag 18: nobody knows whether that counts, so it, two receives and two sends
# behind it are unmatched.
all_counted() {
    {
        "$syncopate" check "$trace" | sed -n 's/^messages: //p'
        "$syncopate" info --format json "$trace" >"$work/info.json"
        "$syncopate" report --format json "$trace" >"$work/report.json"
        python3 - "$work/info.json" "$work/report.json" <<'FIGURES'
import json, sys
info, report = (json.load(open(path))["runs"][0] for path in sys.argv[1:])
messages = report["messages"]
print("info", *(info["lost"][name + "_messages"] for name in ("unmatched", "ambiguous", "missing")))
print("report", *(messages[name] for name in ("unmatched", "ambiguous", "missing", "cancelled")))
FIGURES
    } | diff "$work/counts" -
}
# An arrow for each message that met, but those of a freed receive.
arrows_drawn() {
    "$syncopate" export --format perfetto -o "$work/perfetto.json" "$trace" &&
        python3 "$(dirname "$0")/../cli/read_trace_events.py" "$work/perfetto.json" >"$work/arrows" && grep -qx 'messages 31' "$work/arrows" ||
        { cat "$work/arrows"; return 1; }
}
cat >"$work/counts" <<COUNTS
33 matched; 10 sends and receives unmatched, 0 ambiguous, 0 missing
info 10 0 0
report 10 0 0 4
COUNTS

no_messages() {
    [ -z "$("$DUMP" messages "$trace")" ]
}

# RANKS EXCHANGES FLAGS: of each rank all, each number once, in order or moved by a block's end.
all_of_loops() {
    "$DUMP" messages "$trace" | awk -v n="$1" -v last="$2" '
        { count[$1]++; seen[$1, $5]++; kind[$3 " " $6 " " $7 " " $10]++; bad += NF > 10 }
        $5 == 0 && $10 != last { bad++ }
        END {
            for (r = 0; r < 2; r++) {
                bad += count[r] != 2 * n + 2
                for (i = 0; i < 2 * n + 2; i++) bad += seen[r, i] != 1
            }
            bad += kind["MPI_Irecv 14 4 0"] != 2 * n || kind["MPI_Isend 14 4 0"] != 2 * n
            bad += kind["MPI_Send 15 3 0"] != 2
            if (bad) for (k in kind) print k, kind[k]
            exit bad > 0
        }'
}

if [ "${2:-}" = loops ]; then
    # A block of 64 KiB ends every 1,024 entries: the receive that is open from first to last moves through all of them.
    check "the program runs" recorded 2 SYNCOPATE_MESSAGES=events SYNCOPATE_BUFFER=64K "$program" 3000
    check "each message is there once" all_of_loops 3000 0
    rm -rf "$trace"
    recorded 2 SYNCOPATE_MESSAGES=events "$program" -3000 || :
    recover_ended >/dev/null
    check "a kill loses none" all_of_loops 3000 0
    exit "$failed"
fi
check "the program runs" recorded 2 SYNCOPATE_MESSAGES=events "$program"
check "each message is told" all_told
check "check, info and report count the same" all_counted
check "arrows are as Perfetto reads them" arrows_drawn
check "the trace is good" "$syncopate" check "$trace"
rm -rf "$trace"
check "the program runs" recorded 2 SYNCOPATE_MESSAGES=sums "$program"
check "sums are no events" no_messages
exit "$failed"
