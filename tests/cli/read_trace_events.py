"""A file of trace events against the definition of the format: "Trace Event Format" (Duffy and others, the Chromium
project), JSON Object Format, and what its viewers make of it.

    read_trace_events.py FILE [PROCESSES]

Exit status 1 with a line for each rule that is broken. Prints what the file has, a line a kind.
"""

import collections
import json
import re
import sys

broken = 0


def rule(holds, what, event=None):
    global broken
    if not holds:
        broken += 1
        if broken <= 20:
            print("broken: %s%s" % (what, "" if event is None else ": %r" % (event,)))
    return holds


# Fields that each phase must have besides ph and pid; each line names the document's section.
NEEDED = {
    "X": ("name", "cat", "ts", "dur", "tid"),          # Complete Events
    "M": ("name", "args"),                             # Metadata Events
    "C": ("name", "ts", "args"),                       # Counter Events
    "b": ("name", "cat", "ts", "id"),                  # Async Events, nestable
    "e": ("name", "cat", "ts", "id"),
    "s": ("name", "cat", "ts", "id", "tid"),           # Flow Events
    "f": ("name", "cat", "ts", "id", "tid"),
}
METADATA = {"process_name": ("name", str), "thread_name": ("name", str), "process_sort_index": ("sort_index", int)}


def ns(us):
    return round(us * 1000)


def check_fields(event):
    phase = event.get("ph")
    if not rule(phase in NEEDED, "a phase of the format", event):
        return False
    whole = all([rule(key in event, "%s has no %s" % (phase, key), event) for key in NEEDED[phase]])
    whole &= rule(isinstance(event.get("pid"), int) and event["pid"] > 0, "pid is a positive number", event)
    whole &= rule(isinstance(event.get("tid", 1), int) and event.get("tid", 1) > 0, "tid is a positive number", event)
    for key in ("ts", "dur"):
        whole &= rule(isinstance(event.get(key, 0), (int, float)), "%s is a number" % key, event)
    whole &= rule(event.get("dur", 0) >= 0, "dur is not negative", event)
    whole &= rule(isinstance(event.get("args", {}), dict), "args is an object", event)
    return whole


def check_metadata(event):
    if rule(event["name"] in METADATA, "metadata of the format", event):
        key, kind = METADATA[event["name"]]
        rule(isinstance(event["args"].get(key), kind), "%s has %s" % (event["name"], key), event)


def check_nesting(slices):
    """Complete events of a thread lie within one another or apart. Returns them by thread, sorted."""
    threads = collections.defaultdict(list)
    for event in slices:
        threads[event["pid"], event["tid"]].append((ns(event["ts"]), ns(event["ts"]) + ns(event["dur"]), event))
    for events in threads.values():
        events.sort(key=lambda slice_: (slice_[0], -slice_[1]))
        open_until = []
        for start, end, event in events:
            while open_until and open_until[-1] <= start:
                open_until.pop()
            rule(not open_until or end <= open_until[-1], "slices of a thread nest", event)
            open_until.append(end)
    return threads


def check_flows(events, threads):
    """Each flow has one beginning and one end, in time, and both lie in slices of their threads. One without an end is not drawn, and is a
    message whose receive was never seen to complete. Perfetto takes an id that is no number, or no hexadecimal one of 64 bits, for none."""
    flows = collections.defaultdict(dict)
    for event in events:
        key = event["cat"], event["name"], event["id"]
        rule(event["ph"] not in flows[key], "one %s a flow" % event["ph"], event)
        flows[key][event["ph"]] = event
        at = ns(event["ts"])
        rule(isinstance(event["id"], int) or re.fullmatch("[0-9a-f]{1,16}", event["id"]), "a flow's id is a number", event)
        rule(any(start <= at <= end for start, end, _ in threads[event["pid"], event["tid"]]), "a flow's end lies in a slice", event)
        rule(event["ph"] == "s" or event.get("bp") == "e", "the end binds to the enclosing slice", event)
    for key, flow in flows.items():
        if rule("s" in flow and ("f" in flow or key[0] == "message"), "a flow has two ends", key) and "f" in flow:
            rule(flow["s"]["ts"] <= flow["f"]["ts"], "a flow goes forward in time", key)
    return collections.Counter(key[0] for key, flow in flows.items() if len(flow) == 2)


def check_async(events):
    spans = collections.defaultdict(list)
    for event in events:
        spans[event["pid"], event["cat"], event["id"]].append(event)
    for key, pair in spans.items():
        if rule([event["ph"] for event in pair] == ["b", "e"], "an asynchronous slice begins and ends", key):
            rule(pair[0]["ts"] <= pair[1]["ts"] and pair[0]["name"] == pair[1]["name"], "and in this order", key)
    return len(spans)


def check_counters(events, processes):
    for event in events:
        rule(event["args"] and all(isinstance(value, (int, float)) for value in event["args"].values()),
             "a counter's values are numbers", event)
        rule(0 <= event["args"]["ranks"] <= processes, "no more ranks inside than there are", event)
    for earlier, later in zip(events, events[1:]):
        if earlier["pid"] == later["pid"]:
            rule(earlier["ts"] < later["ts"], "a counter's samples are in order", later)
    last = {event["pid"]: event["args"]["ranks"] for event in events}
    rule(all(value == 0 for value in last.values()), "in the end nobody is inside")


def main():
    with open(sys.argv[1]) as file:
        trace = json.load(file)
    rule(isinstance(trace, dict) and isinstance(trace.get("traceEvents"), list), "an object with traceEvents")
    rule(trace.get("displayTimeUnit") in ("ms", "ns"), "a unit to display")
    events = [event for event in trace["traceEvents"] if check_fields(event)]
    kinds = collections.defaultdict(list)
    for event in events:
        kinds[event["ph"]].append(event)
    for event in kinds["M"]:
        check_metadata(event)
    threads = check_nesting(kinds["X"])
    flows = check_flows(kinds["s"] + kinds["f"], threads)
    spans = check_async(kinds["b"] + kinds["e"])
    names = {event["pid"]: event["args"]["name"] for event in kinds["M"] if event["name"] == "process_name"}
    check_counters(kinds["C"], len(names))
    rule({event["pid"] for event in kinds["X"]} <= set(names), "every process has a name")
    completions = [(event["pid"], event["tid"], event["ts"]) for event in kinds["X"]
                   if event["cat"] == "message" and event["name"].startswith("completion")]
    rule(len(completions) == len(set(completions)), "a call that completes several messages is one slice")
    waiting = [event for event in kinds["X"] if event["cat"] == "waiting"]
    for event in waiting:
        rule(event["name"] == "waiting for rank %d" % event["args"]["last_rank"], "waiting is for a rank", event)
    print("processes %d" % len(names))
    print("calls %d" % sum(event["cat"] == "collective" for event in kinds["X"]))
    print("waiting %d" % len(waiting))
    print("flows %d" % flows["lateness"])
    print("messages %d" % flows["message"])
    print("nonblocking %d" % spans)
    return 1 if broken else 0


sys.exit(main())
