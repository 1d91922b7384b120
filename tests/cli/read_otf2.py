"""read_otf2.py ARCHIVE: what OTF2's own Python module reads of an archive, a line each: calls by operation and source
line, members of communicators, halves of messages by world ranks, tag and bytes."""
import sys
from collections import Counter

import otf2

calls = Counter()
messages = Counter()
Send = (otf2.events.MpiSend, otf2.events.MpiIsend)
Receive = (otf2.events.MpiRecv, otf2.events.MpiIrecv)
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        if isinstance(event, otf2.events.Enter) and event.region.name != "MPI completion":
            line = [v for k, v in (event.attributes or {}).items() if k.name == "source line"]
            place = f"{line[0].file}:{line[0].line_number}" if line else "-"
            calls[event.region.name, place] += 1
        if isinstance(event, Send + Receive):
            own = location.group.name.split()[-1]
            sends = isinstance(event, Send)
            peer = event.receiver if sends else event.sender
            ends = (own, peer) if sends else (peer, own)
            messages["send" if sends else "receive", ends[0], ends[1], event.msg_tag, event.msg_length] += 1
    for comm in trace.definitions.comms:
        print("comm", comm.name, len(comm.group.members))
for (operation, place), count in calls.items():
    print("calls", operation, place, count)
for (half, source, destination, tag, length), count in sorted(messages.items(), key=str):
    print(half, source, destination, tag, length, count)
