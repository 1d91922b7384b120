"""example.py TRACE - how long each rank waited for late ranks, out of the single calls. With the trace that comes with syncopate:

    python3 readers/python/example.py docs/samples/uneven
"""

import sys

import syncopate_trace

calls = syncopate_trace.calls(sys.argv[1])
instance = calls.groupby(["run", "comm", "seq"])
last_ns = instance["start_ns"].transform("max")  # when the last rank came
until_ns = calls["end_ns"].where(calls["end_ns"] < last_ns, last_ns)
calls["waiting_ns"] = (until_ns - calls["start_ns"]).clip(lower=0)
for rank, waiting_ns in calls.groupby("rank")["waiting_ns"].sum().items():
    print(rank, waiting_ns)
