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


# Keys that scripts rely on. They are always there; an unknown value is null.
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


def check_slices(where, run, waiting, known, is_nonblocking):
    """A moment counts once in slices, and where it was: none has more waiting than time. What is waited for several
    nonblocking calls at once is waited for each of them elsewhere."""
    slices = {}
    for row in run["time"]:
        if not 0 <= row["waiting_ns"] <= row["time_ns"] - row["useful_ns"] or row["useful_ns"] < 0:
            check(where, f"slice from {row['begin_ns']}: waiting and useful of {row['time_ns']} ns", "no more", (row["waiting_ns"], row["useful_ns"]))
        of_slice = slices.setdefault(row["begin_ns"], [0, 0])
        of_slice[0] += row["waiting_ns"]
        of_slice[1] += row["caused_ns"]
        if row["caused_ns"] < 0:
            check(where, f"slice from {row['begin_ns']}: caused", "not below 0", row["caused_ns"])
    in_slices = sum(waited for waited, _ in slices.values())
    check(where, "waiting caused in all slices of time", known, sum(caused for _, caused in slices.values()))
    if is_nonblocking:
        check(where, "waiting of all slices is no more than that of calls", True, 0 < in_slices <= waiting)
        return
    check(where, "waiting of all slices of time", waiting, in_slices)
    for begin, (waited, caused) in slices.items():
        if caused > waited:
            check(where, f"slice from {begin}: caused", f"at most {waited}", caused)


def check_efficiencies(where, run):
    """All keys together have each rank's time, and the parts of an efficiency are its parts."""
    together = sum(row["time_ns"] * row["ranks"] for row in run["efficiencies"])
    whole = sum(run["tiled_ns"])
    if whole > 0:
        check(where, "time of all keys", True, abs(together - whole) <= 1e-9 * whole)
    for row in run["efficiencies"] + [run["efficiency"]]:
        if row["parallel"] is None:
            continue
        check(where, "parallel efficiency", True, abs(row["parallel"] - row["load_balance"] * row["communication"]) < 1e-9)
        check(where, "communication", True, abs(row["communication"] - row["waiting"] * row["transfer"]) < 1e-9)
        check(where, "efficiencies within", True, all(0 <= row[key] <= 1 + 1e-9 for key in ("parallel", "load_balance", "communication", "waiting", "transfer")))


for name in sys.argv[1:]:
    report = json.load(open(name))
    is_nonblocking = any(group["op"] and group["op"].startswith("MPI_I") for group in report["groups"])
    for run in report["runs"]:
        where = f"{name} run {run['run']}"
        waiting = sum(cause["waiting_ns"] for cause in run["causes"])
        # If a rank has two calls with one number, the matching takes the one that it reads first, and the replay the one that lets all
        # ranks go on. Nobody knows which call belongs to the instance, and so whose waiting it is. All other waiting adds up.
        if run["duplicate_events"] == 0:
            in_messages = sum((run.get("messages") or {}).get(key) or 0 for key in ("late_sender_ns", "late_receiver_ns"))
            check(where, "causes and unknown", sum(rank["waiting_ns"] for rank in run["rank"]) + in_messages, waiting)
        known = sum(cause["waiting_ns"] for cause in run["causes"] if cause["kind"] != "unknown")
        if "time" in run:
            check_slices(where, run, waiting, known, is_nonblocking)
        check_names(where, run)
        check_efficiencies(where, run)
        path = run["critical_path"]
        check(where, "the path's pieces", path["total_ns"], sum(piece["ns"] for piece in path["pieces"]))
        if any(piece["ns"] < 0 for piece in path["pieces"]) or any(cause["waiting_ns"] < 0 for cause in run["causes"]):
            check(where, "negative figures", "none", "some")
        for rank, tiled in enumerate(run["tiled_ns"]):
            check(where, f"time of location {rank}", path["total_ns"], tiled)
print(f"{len(sys.argv) - 1} reports add up" if not wrong else f"{wrong} figures do not add up")
sys.exit(1 if wrong else 0)
