"""conservation.py REPORT.json... - what has to add up in every report (by time and rank: in its slices, too), to the nanosecond: causes and unknown are all
waiting, the critical path's pieces are the run's length. Of a trace without faults the waiting is also that of the ranks."""

import json
import sys

wrong = 0


def check(name, what, expected, got):
    global wrong
    if expected != got:
        wrong += 1
        print(f"{name}: {what}: {got}, not {expected}")


for name in sys.argv[1:]:
    for run in json.load(open(name))["runs"]:
        where = f"{name} run {run['run']}"
        waiting = sum(cause["waiting_ns"] for cause in run["causes"])
        # Of two calls of a rank with one number the matching takes the one that it reads first, and the replay the one that
        # lets all go on: which of them belongs to the instance nobody knows, and so neither whose waiting it is. All else adds up.
        if run["duplicate_events"] == 0:
            check(where, "causes and unknown", sum(rank["waiting_ns"] for rank in run["rank"]), waiting)
        known = sum(cause["waiting_ns"] for cause in run["causes"] if cause["kind"] != "unknown")
        if "time" in run:
            check(where, "waiting of all slices of time", waiting, sum(row["waiting_ns"] for row in run["time"]))
            check(where, "waiting caused in all slices of time", known, sum(row["caused_ns"] for row in run["time"]))
        path = run["critical_path"]
        check(where, "the path's pieces", path["total_ns"], sum(piece["ns"] for piece in path["pieces"]))
        if any(piece["ns"] < 0 for piece in path["pieces"]) or any(cause["waiting_ns"] < 0 for cause in run["causes"]):
            check(where, "negative figures", "none", "some")
        for rank, tiled in enumerate(run["tiled_ns"]):
            check(where, f"time of location {rank}", path["total_ns"], tiled)
print(f"{len(sys.argv) - 1} reports add up" if not wrong else f"{wrong} figures do not add up")
sys.exit(1 if wrong else 0)
