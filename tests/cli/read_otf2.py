"""read_otf2.py ARCHIVE: what OTF2's own Python module reads of an archive, a line each: calls by operation and source
line, members of communicators."""
import sys
from collections import Counter

import otf2

calls = Counter()
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        if isinstance(event, otf2.events.Enter) and event.region.name != "MPI completion":
            line = [v for k, v in (event.attributes or {}).items() if k.name == "source line"]
            place = f"{line[0].file}:{line[0].line_number}" if line else "-"
            calls[event.region.name, place] += 1
    for comm in trace.definitions.comms:
        print("comm", comm.name, len(comm.group.members))
for (operation, place), count in calls.items():
    print("calls", operation, place, count)
