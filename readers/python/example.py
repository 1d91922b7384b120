"""example.py TRACE - how long each rank waited for late ranks, out of the single calls. With the trace that comes with syncopate:

    python3 readers/python/example.py docs/samples/uneven
"""

import sys

import syncopate_trace

calls = syncopate_trace.calls(sys.argv[1])
for rank, waiting_ns in calls.groupby("rank")["waiting_ns"].sum().items():
    print(rank, waiting_ns)
