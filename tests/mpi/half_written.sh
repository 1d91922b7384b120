#!/bin/sh
# A run ends anywhere, also while the frames of a block are in the file by half: what is left of them follows, and no event is there twice.
. "$(dirname "$0")/lib.sh"

all_once() { # COUNT
    recorded 1 SYNCOPATE_SYNC=none "EXPECTED=$work" "$PROGRAMS/unseen_frees" "$1" || return 1
    "$DUMP" rows "$trace" | diff "$work/0" - >"$work/differences"
}

# Behind its second block of events the frames of the first are written, one piece every 32nd to 128th event.
for count in $(seq "${1:-5100}" "${3:-32}" "${2:-5500}"); do
    check "$count communicators" all_once "$count"
done
finish
