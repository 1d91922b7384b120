#!/bin/sh
# Programs that meet in messages, with one late rank each (causes_messages.c): that rank is named first, at its size, whatever ranks
# its lateness came through; and all adds up. What the report says is held against what the program measured; where the machine was
# so busy that nothing can be judged, that is said (skipped).
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
here=$(dirname "$0")
syncopate=$(dirname "$SYNCOPATE")/../bin/syncopate
MPI_TIMEOUT=240 # a machine with ten times as much to do takes ten times as long
export OMPI_MCA_mpi_yield_when_idle=1 # ranks that wait leave the processors to those that work

found() { # MODE
    "$syncopate" report --format json -o "$work/json" "$trace" && python3 "$here/causes_messages.py" "$1" "$work/json" "$work/truth"
}

adds_up() {
    python3 "$here/../cli/conservation.py" "$work/json"
}

# The rows of messages are the same in each format; a run differs in nothing from itself.
are_listed() {
    "$syncopate" report --by message --format csv "$trace" >"$work/csv" && "$syncopate" diff --format json "$trace" -- "$trace" >"$work/diff" &&
        python3 - "$work" <<'END'
import csv, json, sys
work = sys.argv[1]
messages = json.load(open(work + "/json"))["runs"][0]["messages"]
lines = list(csv.DictReader(open(work + "/csv")))
listed = [{key: "" if row[key] is None else str(row[key]) for key in ("op", "site", "side", "count", "waiting_ns", "transfer_ns", "late")}
          for row in messages["table"]]
assert listed and listed == [{key: line[key] for key in listed[0]} for line in lines], lines
for name, total in json.load(open(work + "/diff"))["messages_ns"].items():
    assert total["a"] == total["b"] == messages[name + "_ns"] / 4, (name, total, messages)
END
}

for mode in ${CAUSES_MODES:-halo rare pipeline receiver eager sum ring wavefront master worker persistent sendrecv halves nobody}; do
    rm -rf "$trace"
    check "$mode: runs" recorded 4 SYNCOPATE_MESSAGES=events "$PROGRAMS/causes_messages" "$mode" "$work/truth"
    check "  who is late is found" found "$mode"
    head -n 1 "$work/check" | cut -c 1-120
    check "  and all adds up" adds_up
done
check "messages are listed, and compared" are_listed
exit $failed
