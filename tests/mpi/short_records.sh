#!/bin/sh
# Communicators that are declared by little: their records are on their way to the file before the durable block is full of them, so that
# no call has to write them all at once. Frames of a file that was left unfinished tell.
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
. "$(dirname "$0")/lib.sh"

most_in_a_frame() { # COUNT
    python3 - "$trace/rank-000000.syn.part" "$1" <<'END'
import struct, sys
data, at, counts = open(sys.argv[1], "rb").read(), 0, []
while at + 120 <= len(data):
    packed, count = struct.unpack_from("<QQ", data, at + 56)
    counts += [count] if data[at + 17] == 3 else []
    at += 120 + packed
print(counts)
sys.exit(not (len(counts) > 3 and max(counts) <= int(sys.argv[2])))
END
}

recorded 1 SYNCOPATE_SYNC=none "EXPECTED=$work" "$PROGRAMS/unseen_frees" 8000 leave
check "a program makes and frees communicators, and leaves" test -s "$trace/rank-000000.syn.part"
check "  a frame has some thousand of them" most_in_a_frame 1400
finish
