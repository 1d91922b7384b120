"""causes.py MODE REPORT.json REPORT.txt TRUTH - does the report say what tests/mpi/causes.c did, and nothing else?

TRUTH.0, TRUTH.1, ... are what the ranks wrote down by a clock of their own. From it the waiting that each rank caused in
each place is computed once more, whatever the machine did meanwhile: a machine that is busy makes other ranks late as
well, and then that is true too. What was put in has to be named, as what it is, at the size that it had. With CAUSES_TABLE a row of what was found goes to that file."""

import json
import os
import re
import statistics
import sys
from collections import defaultdict, namedtuple

mode, report, text, prefix = sys.argv[1], json.load(open(sys.argv[2])), open(sys.argv[3]).read(), sys.argv[4]
run = report["runs"][0]
why = re.search(r"^Why\n(.*?)\n\n", text, re.S | re.M).group(1)
Line = namedtuple("Line", "comm start end enter leave wait messages late busy")
Kernel = namedtuple("Kernel", "ready busy elapsed displaced")
MS = 1e6
SAID_LEAST = 0.02  # of all threads' time, for the text to tell a cause
TOO_OFTEN = 0.15  # of the ranks' time, that other programs made them late: what was put in is one thing among others
ranks = range(run["ranks"])
faults = []


def demand(holds, what):
    if not holds:
        faults.append(what)


# ---- what the ranks wrote ----


def lines_of(rank):
    for line in open(f"{prefix}.{rank}"):
        comm, *numbers = line.split()
        if comm != "=":
            yield Line(comm, *map(int, numbers))


def kernel_of(rank):
    """What the kernel counted for each of its threads."""
    return [Kernel(*map(int, line.split()[1:])) for line in open(f"{prefix}.{rank}") if line.startswith("=")]


def lacked(rank):
    """The share of its time in which it could have run but had no processor."""
    threads = kernel_of(rank)
    return sum(max(thread.ready, 0) for thread in threads) / sum(thread.elapsed for thread in threads)


calls = {}  # communicator: of each of its ranks the calls on it, in their order
for rank in ranks:
    for line in lines_of(rank):
        calls.setdefault(line.comm, {}).setdefault(rank, []).append(line)


def own_ns(comm, rank, k):
    """What a rank did between the call before and call k of a communicator, but for messages."""
    return calls[comm][rank][k].enter - calls[comm][rank][k - 1].leave - calls[comm][rank][k].messages


def excess(items, rank, others):
    """By which of its items a rank is later than the mean of others."""
    more = {key: ns - statistics.mean(items[other].get(key, 0) for other in others) for key, ns in items[rank].items()}
    return {key: ns for key, ns in more.items() if ns > 0}


def items_of(comm, rank, k, together):
    """Since all had come to the call before."""
    line, before = calls[comm][rank][k], calls[comm][rank][k - 1]
    call = -before.end if before.wait else before.end
    return {("operation", call, call): before.leave - together,
            ("own", line.start, line.end): own_ns(comm, rank, k),
            ("messages", line.start, line.end): line.messages}


Waiting = namedtuple("Waiting", "key rank ns excess")


def waiting_of(comm, k):
    """Who made whom wait by what in call k, where nothing but calls of this communicator was in between."""
    members = calls[comm]
    last = max(members, key=lambda rank: members[rank][k].enter)
    came = members[last][k].enter
    waits = {rank: came - (members[rank][k].wait or members[rank][k].enter) for rank in members}
    waits = {rank: ns for rank, ns in waits.items() if ns > 0}
    if not waits:
        return
    together = max(members[rank][k - 1].enter for rank in members)
    more = excess({rank: items_of(comm, rank, k, together) for rank in members}, last, waits)
    for key, ns in more.items():
        yield Waiting(key, last, sum(waits.values()) * ns / sum(more.values()), ns)


def waiting_of_chain(k):
    """Waiting in `rest` is passed on to where rank 1 waited itself, but for what it did itself."""
    pair, rest = calls["pair"], calls["rest"]
    came = max(rest[rank][k].enter for rank in rest)
    passed = pair[0][k].enter - pair[1][k].enter
    own = came - max(line[k].enter for line in pair.values())
    waited = sum(came - rest[rank][k].enter for rank in rest)
    if passed > 0:
        yield Waiting(("own", pair[0][k].start, pair[0][k].end), 0, passed + waited * passed / (passed + own), passed)


truth = defaultdict(lambda: defaultdict(float))  # [key][rank] in ns
times = defaultdict(int)  # [key], that somebody waited for it behind the start-up: the first call of a communicator
excesses = defaultdict(list)  # [key], each time that somebody waited for it
for comm, members in calls.items():
    for k in range(1, len(members[max(members)])) if mode != "chain" else ():
        for waiting in waiting_of(comm, k):
            truth[waiting.key][waiting.rank] += waiting.ns
            times[waiting.key] += k > 1
            excesses[waiting.key].append((members[0][k].enter, waiting.excess))
for k in range(len(calls["pair"][0]) if mode == "chain" else 0):
    for waiting in waiting_of_chain(k):
        truth[waiting.key][waiting.rank] += waiting.ns
        times[waiting.key] += 1

# ---- what the report says ----

GROUP = {"computing": "own", "off_cpu": "own", "blocked": "own", "messages": "messages", "operation": "operation"}


def line_number(site):
    found = re.match(r"causes\.c:(\d+)", site or "")
    number = int(found.group(1)) if found else 0
    return -number if site and "(completion)" in site else number


causes = [cause for cause in run["causes"] if cause["kind"] in GROUP]
for cause in causes:
    cause["key"] = (GROUP[cause["kind"]], line_number(cause["from"]), line_number(cause["to"]))
all_waiting = sum(cause["waiting_ns"] for cause in run["causes"])
ranks_time = run["critical_path"]["total_ns"] * run["ranks"]


def said(key, rank=None):
    return sum(c["waiting_ns"] for c in causes if c["key"] == key and (rank is None or c["ranks"] == [rank]))


def show(key):
    return f"{key[0]} {key[1]} -> {key[2]}"


def slack(expected):
    """What a processor's other users did is divided a little otherwise by the report, which tells what was off the
    processor from what was computed, where this here does not. (Of a chain only the put in waiting is known, not what
    else was passed on.)"""
    return 0.03 * expected + 0.03 * all_waiting + (0.15 if mode != "chain" else 0.5) * disturbed_ns


def near(got, expected):
    return abs(got - expected) <= slack(expected)


# ---- everything that is claimed is true ----


START_UP = calls["world" if "world" in calls else "first"][0][0].end


def check_claims():
    for key in set(truth) | {cause["key"] for cause in causes}:
        if mode == "chain" and key not in truth:
            continue
        if not times[key] and key[1] == START_UP:  # processes come up, connections are made
            continue
        true = sum(truth[key].values())
        demand(near(said(key), true), f"{show(key)}: {said(key) / MS:.2f} ms of waiting, not {true / MS:.2f}")
        for rank in ranks:
            demand(said(key, rank) <= truth[key][rank] + slack(truth[key][rank]),
                   f"{show(key)}: rank {rank} is said to cause {said(key, rank) / MS:.2f} ms, and has caused {truth[key][rank] / MS:.2f}")


# ---- what was put in is named, as what it is ----


def figure(comm, rank, key, k):
    return own_ns(comm, rank, k) if key[0] == "own" else calls[comm][rank][k].messages


def by_blocks_of(rank, key):
    """As the report has it: of each 64th part of the run how much longer a rank took in a place than the mean of the others
    who were there. A time is of the part that it begins in."""
    first = min(lines[0].enter for members in calls.values() for lines in members.values())
    block_ns = run["critical_path"]["total_ns"] / 64
    blocks = defaultdict(lambda: defaultdict(list))
    for of in ranks:
        before = None
        for line in lines_of(of):
            if before and (line.start, line.end) == key[1:]:
                ns = line.messages if key[0] == "messages" else line.enter - before.leave - line.messages
                blocks[int((before.leave - first) / block_ns)][of].append(ns)
            before = line
    means = [{of: statistics.mean(ns) for of, ns in block.items()} for block in blocks.values()]
    return [block[rank] - statistics.mean(ns for of, ns in block.items() if of != rank)
            for block in means if rank in block and len(block) > 1]


def late_times(rank, key):
    """By how much it was late each time: (own time or messages) - the mean of the others; with when that was."""
    for comm, members in calls.items():
        for k, line in enumerate(members.get(rank, ())):
            if k == 0 or not line.late > 0.2 * MS or (line.start, line.end) != key[1:]:
                continue
            others = [figure(comm, other, key, k) for other in members if other != rank]
            yield line.enter, figure(comm, rank, key, k) - statistics.mean(others)


def by_blocks(late):
    """Of each 64th part of the run the mean."""
    first = min(lines[0].enter for members in calls.values() for lines in members.values())
    block_ns = run["critical_path"]["total_ns"] / 64
    blocks = defaultdict(list)
    for at, ns in late:
        blocks[int((at - first) / block_ns)].append(ns)
    return [statistics.mean(block) for block in blocks.values()]


def add_row(named, rank, true_ns, middle_ns):
    """For docs/experiments.md: truth beside what is said."""
    low, high = named[0]["excess_ns"]["ci_low"], named[0]["excess_ns"]["ci_high"]
    interval = f"{low / MS:.2f} to {high / MS:.2f}" if low is not None and high is not None else "none"
    said_ns = sum(cause["waiting_ns"] for cause in named)
    if os.environ.get("CAUSES_TABLE"):
        with open(os.environ["CAUSES_TABLE"], "a") as table:
            print(f"| {mode} | {os.environ.get('MPI', '')} | {rank} | {named[0]['kind']}, {named[0]['pattern']} | {true_ns / MS:.1f} | "
                  f"{said_ns / MS:.1f} | {middle_ns / MS:.2f} | {interval} | {100 * disturbed_ns / ranks_time:.1f} % |", file=table)


def check_excess(named, rank, key, late):
    """False where it cannot be judged."""
    seldom = named[0]["instances_share"] < 0.6  # those that count are spoken of, else the blocks of the run
    if seldom:
        middle = statistics.median(sorted(ns for _, ns in late)[-named[0]["instances"]:])
    else:
        middle = statistics.median(by_blocks_of(rank, key) if rank in ranks else by_blocks(late))
    low, high = named[0]["excess_ns"]["ci_low"] or 0, named[0]["excess_ns"]["ci_high"] or 0
    add_row(named, rank, truth[key][rank] if rank in ranks else sum(truth[key].values()), middle)
    if disturbed_ns > TOO_OFTEN * ranks_time:
        print(f"skipped: {mode}: {show(key)}: other programs made ranks late too often: by how much rank {rank} was, how regularly, and whether the text names it is not judged")
        return False
    more = 0.02 + disturbed_ns / ranks_time
    demand((1 - more) * low <= middle <= (1 + more) * high,
           f"{show(key)}: rank {rank} late by [{low / MS:.2f}, {high / MS:.2f}] ms, and it was {middle / MS:.2f}")
    return True


def words_of(key):
    function = r"causes\.c:%d \w+"
    if key[1] == key[2]:
        return rf"from one call to the next of MPI_\w+ at {function % key[1]}"
    return rf"between MPI_\w+ at {function % abs(key[1])}(?: \(completion\))? and MPI_\w+ at {function % key[2]}"


def check_sentence(rank, waiting_ns):
    """It is named with one of the places; with the others it is in the same sentence. A run that took long to come up for want of
    processors has too little of that waiting: SAID_LEAST of all threads' time is needed."""
    threads_ns = run["critical_path"]["total_ns"] * sum(len(kernel_of(of)) + (mode == "threads") for of in ranks)
    if waiting_ns < 1.2 * SAID_LEAST * threads_ns:
        print(f"skipped: {mode}: whether the text names rank {rank}: it caused {100 * waiting_ns / threads_ns:.1f} % of the time of a run that came up slowly")
        return
    if "Not known: ranks without a processor" in why and not any(rank in (of.get("ranks") or []) and of["naming"] == "shown" and of["share"] > 0.5 for of in run["causes"]):
        print(f"skipped: {mode}: whether the text names rank {rank}: ranks had no processor for so long that it names nobody")
        return
    places = "|".join(words_of(key) for key, of in put_in if of == rank)
    named = rf"Rank {rank} [^.]*(?:\.\d[^.]*)*(?:{places})|(?:{places}), (?:where )?rank {rank} "
    demand(re.search(named, " ".join(why.split())), f"the text does not name rank {rank}")


def check_pattern(rank, key, pattern, said_pattern):
    """Of what is put in all along, some parts of the run may have had much more on a busy machine: then it was not steady."""
    if pattern is None or said_pattern == pattern or disturbed_ns > TOO_OFTEN * ranks_time:
        return
    blocks = sorted(by_blocks_of(rank, key))
    low, high = blocks[len(blocks) // 10], blocks[-1 - len(blocks) // 10]
    if pattern == "steady" and high > 1.5 * low:
        print(f"skipped: {mode}: {show(key)}: rank {rank} was not steady itself, {low / MS:.1f} to {high / MS:.1f} ms: its pattern is not judged")
    else:
        demand(False, f"{show(key)}: {said_pattern}, not {pattern}")


def more_than_others(figure, rank):
    return figure(rank) - statistics.mean(figure(other) for other in ranks if other != rank)


def ready_ns(rank):
    """Without a processor, of its own time."""
    own = sum(line.late for line in lines_of(rank))
    return own * lacked(rank)


def blocked_ns(rank):
    return sum(thread.elapsed - thread.busy - max(thread.ready, 0) for thread in kernel_of(rank))


def check_asleep(cause, rank, key):
    """Whether a rank that was put to sleep may be said to be off its processor for another reason: if the kernel did not tell
    the report why, and truly displaced it; or if it lacked a processor about as long as it slept."""
    was_displaced = any(thread.displaced for thread in kernel_of(rank))
    lacked_ns, slept_ns = more_than_others(ready_ns, rank), more_than_others(blocked_ns, rank)
    if cause.get("blocked_share") is None and was_displaced:
        print(f"skipped: {mode}: {show(key)}: rank {rank} was displaced, and why it was off its processor is not known: its kind is not judged")
    elif lacked_ns > 0.7 * slept_ns:
        print(f"skipped: {mode}: {show(key)}: rank {rank} lacked a processor for {lacked_ns / MS:.0f} ms more than others, and was blocked for {slept_ns / MS:.0f}: its kind is not judged")
    else:
        return False
    return True


def check_kind(cause, rank, key, kinds):
    """Work that had no processor for a good part of its time may truly be off_cpu, as the program's own clocks tell."""
    kind = cause["kind"]
    if kinds == ASLEEP and kind == "off_cpu" and check_asleep(cause, rank, key):
        return
    lines = [line for line in lines_of(rank) if (line.start, line.end) == key[1:]]
    late, busy = sum(line.late for line in lines), sum(line.busy for line in lines)
    if kinds == ("computing",) and kind == "off_cpu" and busy < 0.7 * late:
        print(f"skipped: {mode}: {show(key)}: rank {rank} had a processor for {100 * busy / late:.0f} % of what was put in: its kind is not judged")
        return
    demand(kind in kinds or disturbed_ns > 0.02 * ranks_time, f"{show(key)}: {kind}, not {kinds}")


def check_put_in(rank, key, pattern, kinds):
    late = list(late_times(rank, key))
    if truth[key][rank] < 0.7 * sum(truth[key].values()):
        print(f"skipped: {mode}: {show(key)}: others were late there as much as rank {rank}: it is not judged")
        return
    named = [cause for cause in causes if cause["key"] == key and cause["ranks"] == [rank]]
    demand(len(named) == 1, f"{show(key)}: rank {rank} is named {len(named)} times")
    if not named:
        return
    share = truth[key][rank] / all_waiting
    demand(near(said(key, rank), truth[key][rank]) or mode == "two",
           f"{show(key)}: rank {rank} is said to cause {said(key, rank) / MS:.2f} ms, and has caused {truth[key][rank] / MS:.2f}")
    check_kind(named[0], rank, key, kinds)
    check_pattern(rank, key, pattern, named[0]["pattern"])
    is_judged = check_excess(named, rank, key, late)
    if is_judged and share > 0.2:
        check_sentence(rank, truth[key][rank])


def places(kind="own"):
    """Where something was put in more than once: key, ranks."""
    count = defaultdict(int)
    for members in calls.values():
        for rank, of_rank in members.items():
            for line in of_rank[1:]:
                count[(kind, line.start, line.end), rank] += line.late > 0.2 * MS
    return [place for place, times in count.items() if times > 3]


ASLEEP = ("blocked",)
PUT_IN = {"steady": ("steady", ASLEEP), "rare": ("rare", ASLEEP), "growing": ("growing", ASLEEP), "two": (None, ASLEEP),
          "first": ("first", ASLEEP), "work": ("steady", ("computing",)), "faults": ("steady", ("computing",)),
          "crowded": (None, ("off_cpu", "computing")), "chain": ("steady", ASLEEP), "message": ("steady", ("messages",)),
          "nonblocking": ("steady", ASLEEP), "threads": ("steady", ASLEEP)}
RANK = {"steady": [1], "rare": [1], "growing": [2], "two": [1, 2], "first": [2], "work": [1], "faults": [2], "crowded": [1],
        "chain": [0], "message": [1], "nonblocking": [2], "threads": [3]}


def check_moving(key):
    named = [cause for cause in causes if cause["key"] == key]
    if max(truth[key].values()) > 0.4 * sum(truth[key].values()):
        print(f"skipped: {mode}: {show(key)}: a rank was late there more than the others: it is not judged")
        return
    demand(any(cause["pattern"] == "moving" and cause["all_ranks"] for cause in named), f"{show(key)}: it does not move")
    if all(cause["all_ranks"] for cause in named):
        check_excess(named[:1], "any", key, excesses[key])
    else:
        demand(disturbed_ns > 0.02 * ranks_time, "somebody is named for what moves")


def check_nothing_else(put_in):
    """What is not worth a hundredth of the ranks' time is no sentence."""
    sentences = re.findall(r"causes [^ ]* % of all waiting", why)
    if disturbed_ns < 0.009 * ranks_time:
        demand(len(sentences) <= len({rank for _, rank in put_in}) + (mode == "moving"), "more is said than was put in")
        # (What the machine explains is said before: on a busy one, that ranks share its processors.)
        demand(put_in or mode == "moving" or re.search("Nothing stands out|No other cause", why), "something is said to stand out")


pattern, kinds = PUT_IN.get(mode, (None, ()))
put_in = [place for place in places("messages" if mode == "message" else "own") if mode != "moving" and place[1] in RANK.get(mode, ())]
demand(put_in or mode in ("equal", "moving"), "nothing was put in")
if mode == "chain":
    disturbed_ns = sum(max(m[k].enter for m in of.values()) - line.enter for of in calls.values() for k in range(len(of[1])) for line in
                       (m[k] for m in of.values())) - sum(truth[key][rank] for key, rank in put_in)
else:
    disturbed_ns = sum(ns for key in truth for rank, ns in truth[key].items() if (key, rank) not in put_in)
if mode == "moving":
    key = max(truth, key=lambda key: sum(truth[key].values()))
    disturbed_ns -= sum(truth[key].values())
    check_moving(key)
check_claims()
for key, rank in put_in:
    check_put_in(rank, key, pattern, kinds)
check_nothing_else(put_in)
for fault in faults:
    print(f"{mode}: {fault}")
if faults:
    for cause in causes[:6]:
        print("   ", {key: cause[key] for key in ("kind", "pattern", "ranks", "from", "to", "share", "instances_share", "excess_ns")})
    print(why)
print(f"{mode}: {'NOT ' if faults else ''}as it was; what else made ranks wait: {100 * disturbed_ns / ranks_time:.1f} % of their time")
sys.exit(1 if faults else 0)
