"""causes_messages.py MODE REPORT.json TRUTH - does the report name the rank that causes_messages.c made late, at its size, and nobody else?

TRUTH.0, TRUTH.1, ... are what the ranks wrote down by a clock of their own. From it the messages meet once more, and the run is gone
through twice: as it was, and as it would have been had the late rank taken no longer than the others, with all that the machine did. What
is waited less then, that rank has caused. What is left others have caused, at the same time as it, and what they did longer than usual may
have been hidden by it: who pays for how much of that depends on how it is divided, so it is what a figure may be apart by. Where others
have caused half of the waiting, nothing is judged (skipped)."""

import json
import statistics
import sys
from collections import defaultdict

OWN = ("computing", "blocked", "off_cpu")
LATE = {"halo": 2, "rare": 2, "pipeline": 1, "receiver": 0, "eager": 0, "sum": 0, "ring": 2, "wavefront": 1, "master": 0, "worker": 2,
        "persistent": 1, "sendrecv": 3, "halves": 3, "nobody": None}
RANKS = range(4)
MS = 1e6

mode, report, prefix = sys.argv[1:]
run = json.load(open(report))["runs"][0]
messages = run["messages"]
wrong = []


def demand(holds, what):
    if not holds:
        wrong.append(what)


# ---- what the ranks wrote ----


def call_of(line):
    kind, round_, enter, leave, *halves = line.split()
    return {"kind": kind, "round": int(round_), "enter": int(enter), "leave": int(leave),
            "halves": [{"side": side, "peer": int(peer), "tag": tag, "start": int(start), "large": lasts == "1", "held": lasts == "2"}
                       for side, peer, tag, start, lasts in zip(*[iter(halves)] * 5)]}


calls = {rank: [call_of(line) for line in open(f"{prefix}.{rank}")] for rank in RANKS}
sides = defaultdict(list)  # [source, destination, tag, side]: halves, as they were posted
for rank in RANKS:
    begun = None  # the call that started what the next one completes
    for at, call in enumerate(calls[rank]):
        for half in call["halves"]:
            half["begun"] = (rank, at if begun is None else begun)
            ends = (rank, half["peer"]) if half["side"] == "s" else (half["peer"], rank)
            sides[(*ends, half["tag"], half["side"])].append(half)
        begun = at if call["kind"] == "p" else None
for (source, destination, tag, side), halves in sides.items():
    others = sides[source, destination, tag, "r" if side == "s" else "s"]
    assert len(others) == len(halves)
    for half, other in zip(halves, others):
        half["other"] = other["begun"]
meetings = list(zip(*([(rank, at) for at, call in enumerate(calls[rank]) if call["kind"] == "c"] for rank in RANKS)))
members = {call: meeting for meeting in meetings for call in meeting}


def waited_for(rank, at, held):
    """The calls whose start this one waits for: those of all in a collective, of senders, of who receives something large. `held`: also those
    of who takes a short send, if it lasted until then; what is waited for these counts as transfer."""
    if (rank, at) in members:
        return members[rank, at]
    call = calls[rank][at]
    return [half["other"] for half in call["halves"] if half["side"] == "r" or half["large"] or
            (held and half["held"] and calls[half["other"][0]][half["other"][1]]["enter"] <= call["leave"])]


for rank in RANKS:
    for at, call in enumerate(calls[rank]):
        came = max((calls[other][k]["enter"] for other, k in waited_for(rank, at, True)), default=0)
        call["over"] = call["leave"] - min(max(came, call["enter"]), call["leave"])  # what it lasts beyond that
        call["own"] = call["enter"] - calls[rank][at - 1]["leave"] if at else 0


def waiting_of(own_ns):
    """Goes through the run, with so much own time before each call: waiting in collectives, for senders, for receivers."""
    now = {rank: calls[rank][0]["enter"] for rank in RANKS}
    entered, place, waiting = {}, {rank: 0 for rank in RANKS}, {"c": 0, "r": 0, "s": 0}
    goes_on = True
    while goes_on:
        goes_on = False
        for rank in RANKS:
            while place[rank] < len(calls[rank]):
                at, call = place[rank], calls[rank][place[rank]]
                if (rank, at) not in entered:
                    entered[rank, at] = now[rank] + own_ns(rank, call)
                    goes_on = True
                if not all(other in entered for other in waited_for(rank, at, True)):
                    break
                due, until = (max([entered[rank, at]] + [entered[other] for other in waited_for(rank, at, held)]) for held in (False, True))
                kind = "c" if call["kind"] == "c" else "s" if any(half["large"] and half["side"] == "s" for half in call["halves"]) else "r"
                waiting[kind] += due - entered[rank, at] if at else 0  # the first is where all begin
                now[rank] = until + call["over"]
                place[rank] += 1
                goes_on = True
    assert all(place[rank] == len(calls[rank]) for rank in RANKS)
    return waiting


late = LATE[mode]
usual = statistics.median(call["own"] for rank in RANKS for call in calls[rank] if rank != late and call["own"] > 0.5 * MS)
waited = waiting_of(lambda rank, call: call["own"])
waiting = sum(waited.values())
without = sum(waiting_of(lambda rank, call: min(call["own"], usual) if rank == late else call["own"]).values())
longer = sum(max(0, call["own"] - usual) for rank in RANKS if rank != late for call in calls[rank])  # each of three may wait for it
apart = without + 3 * longer + 0.01 * waiting  # a hundredth: their clock was read before ours, and after it
if late is not None:  # the three that it came through may each have made a pass meanwhile, which has its share of the waiting
    lateness = statistics.median(call["own"] for call in calls[late] if call["own"] > 10 * MS)
    apart += waiting * 3 * usual / (lateness + 3 * usual)

# ---- what the report says ----

causes = [cause for cause in run["causes"] if cause["kind"] in OWN and cause["ranks"]]


def said(rank):
    return sum(cause["waiting_ns"] for cause in causes if cause["ranks"] == [rank])


def check_size():
    """By how much that rank was late, when it was. At least: its least beyond the others' most. At most: all of its longest time, with
    one more pass since the ranks met, as long as the machine made any; whoever waited may have done nothing of its own meanwhile. In
    `eager` they meet in a barrier only, after nine of the passes that are named. The others never make such a pass: the excess is what they
    waited, without their own work in the places where they were."""
    long = [call for at, call in enumerate(calls[late]) if call["own"] > 10 * MS and (mode != "eager" or calls[late][at - 1]["kind"] == call["kind"])]
    others = [call["own"] for rank in RANKS for call in calls[rank] if rank != late and call["own"] > 0.5 * MS]
    pass_ns = max(call["own"] for rank in RANKS for call in calls[rank] if not any(call is one for one in long))
    long = [call["own"] for call in long]
    least, most = min(long) - max(others), max(long) + pass_ns
    if mode == "eager":
        nine = [sum(passes) for passes in zip(*[iter(long)] * 9)]
        least, most = min(nine) - 9 * statistics.mean(others), max(nine) - 9 * min(others)
    excess = causes[0]["excess_ns"]
    low, high = (excess[key] if excess[key] is not None else excess["median"] for key in ("ci_low", "ci_high"))
    demand(low <= 1.01 * most and high >= 0.99 * least, f"late by [{low / MS:.2f}, {high / MS:.2f}] ms, and it was {least / MS:.2f} to {most / MS:.2f}")


def check_late():
    caused = waiting - without
    print(f"rank {late}: {said(late) / MS:.0f} ms of waiting, and it was {caused / MS:.0f}; without it {without / MS:.0f}")
    if without > 0.5 * waiting:
        print(f"skipped: {mode}: the machine took too much: {without / MS:.0f} ms would have been waited anyway, of {waiting / MS:.0f}")
        return
    demand(abs(said(late) - caused) <= apart, f"rank {late} causes {said(late) / MS:.1f} ms of waiting, and it was {caused / MS:.1f}, give or take {apart / MS:.1f}")
    demand(causes and causes[0]["ranks"] == [late] and causes[0]["naming"] in ("shown", "seen"),
           f"named first: {causes and [causes[0][key] for key in ('kind', 'ranks', 'naming')]}, not rank {late}")
    if causes and causes[0]["ranks"] == [late]:
        check_size()


received = sum(len(halves) for (*_, side), halves in sides.items() if side == "r")
demand(messages["recorded"] == "events" and (messages["count"], messages["unmatched"], messages["ambiguous"]) == (received, 0, 0),
       f"{messages['recorded']}: {messages['count']} messages of {received}, {messages['unmatched']} unmatched, {messages['ambiguous']} ambiguous")
for side, key in (("r", "late_sender_ns"), ("s", "late_receiver_ns")):
    demand(abs(messages[key] - waited[side]) <= apart, f"{key}: {messages[key] / MS:.2f} ms, and it was {waited[side] / MS:.2f}, give or take {apart / MS:.2f}")
for rank in RANKS:
    if rank != late:
        demand(said(rank) <= apart, f"rank {rank} causes {said(rank) / MS:.1f} ms of waiting, and all but rank {late} cause {apart / MS:.1f}")
if late is not None:
    check_late()
else:
    print(f"nobody: {waiting / MS:.1f} ms of waiting")
for line in wrong:
    print(f"{mode}: {line}")
if wrong:
    for cause in run["causes"][:6]:
        print("   ", {key: cause.get(key) for key in ("kind", "pattern", "naming", "ranks", "from", "to", "waiting_ns", "excess_ns")})
sys.exit(bool(wrong))
