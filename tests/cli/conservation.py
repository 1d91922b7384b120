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


# What scripts rely on is there, known or not (null).
CAUSE = ("kind pattern ranks from to phase waiting_ns share bound_ns instances instances_share excess_ns excess_ratio critical_path_ns "
         "balance_gain_ns evidence").split()
ESTIMATE = ["median", "ci_low", "ci_high"]
EVIDENCE = "involuntary_switches run_delay_ns major_faults migrations instructions_ratio cycles_ratio".split()


def check_keys(where, what, keys, object):
    lacking = [key for key in keys if key not in object]
    check(where, f"keys that {what} lacks", [], lacking)


def check_names(where, run):
    check_keys(where, "efficiency", ["parallel", "load_balance", "communication", "waiting", "transfer"], run["efficiency"])
    for cause in run["causes"]:
        check_keys(where, "a cause", CAUSE if cause["kind"] != "unknown" else ["pattern", "waiting_ns", "share"], cause)
        for key in ("excess_ns", "excess_ratio"):
            check_keys(where, key, ESTIMATE, cause.get(key, dict.fromkeys(ESTIMATE)))
        check_keys(where, "evidence", EVIDENCE, cause.get("evidence", dict.fromkeys(EVIDENCE)))
    for piece in run["critical_path"]["pieces"]:
        check_keys(where, "a piece of the path", ["rank", "from", "to", "op", "ns"], piece)
    for key in ("balanced", "nobody_late", "no_pauses", "fast_operations"):
        check_keys(where, "what if", [key], run["what_if_ns"])


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
        check_names(where, run)
        path = run["critical_path"]
        check(where, "the path's pieces", path["total_ns"], sum(piece["ns"] for piece in path["pieces"]))
        if any(piece["ns"] < 0 for piece in path["pieces"]) or any(cause["waiting_ns"] < 0 for cause in run["causes"]):
            check(where, "negative figures", "none", "some")
        for rank, tiled in enumerate(run["tiled_ns"]):
            check(where, f"time of location {rank}", path["total_ns"], tiled)
print(f"{len(sys.argv) - 1} reports add up" if not wrong else f"{wrong} figures do not add up")
sys.exit(1 if wrong else 0)
