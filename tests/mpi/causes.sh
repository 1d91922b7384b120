#!/bin/sh
# Programs with a known cause of lateness each: it is found, at its size.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || exit 77
here=$(dirname "$0")
syncopate=$(dirname "$SYNCOPATE")/../bin/syncopate

found() { # MODE
    "$syncopate" report --format json -o "$work/json" "$trace" &&
        COLUMNS=1000 "$syncopate" report "$trace" >"$work/text" &&
        python3 "$here/causes.py" "$1" "$work/json" "$work/text"
}

# Another program that takes a processor away makes ranks late just as ours do, and is then named with right: a run that
# was disturbed is made once more. What is not found in any of three is not found.
found_in_three() {
    found "$1" && return
    for _ in 2 3; do
        recorded 4 "$PROGRAMS/causes" "$1" && found "$1" && return
    done
    return 1
}

adds_up() {
    python3 "$here/../cli/conservation.py" "$work/json"
}

for mode in steady rare moving growing first two chain nonblocking message; do
    check "$mode runs" recorded 4 "$PROGRAMS/causes" "$mode"
    if [ "$mode" = message ] && ! "$syncopate" info --format json "$trace" | grep -q '"messages": *"on"'; then
        echo "no messages in the trace: not asked for them"
        continue
    fi
    check "  its cause is found" found_in_three "$mode"
    check "  and all adds up" adds_up
done
exit $failed
