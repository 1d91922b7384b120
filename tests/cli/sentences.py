#!/usr/bin/env python3
"""sentences.py MAKE_TRACE SYNCOPATE - are the figures in a report's sentences those of the trace?

Golden files say that a sentence is what it was; this recomputes what it claims, from `export --format csv --bounds` alone:
how much of the time was waiting and by how much clocks may be wrong about it, who came last and how often, how many
instances the clocks cannot order, and by how much a group's warm-up was slower."""
import collections
import csv
import os
import re
import statistics
import subprocess
import sys
import tempfile

UNIT = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
failed = 0


def expect(what, said, computed, tolerance=0.006):  # three digits are printed
    global failed
    if abs(said - computed) > tolerance * abs(computed) + 1e-12:
        failed += 1
        print("%s: the report says %g, the trace %g" % (what, said, computed))
    else:
        print("%s: %g" % (what, said))


def find(text, pattern):
    global failed
    found = re.search(pattern.replace(" ", r"\s+"), text)
    if not found:
        failed += 1
        print("no such sentence: %s" % pattern)
    return found


def time_ns(number, unit):
    return float(number) * UNIT[unit]


class Instance:
    def __init__(self, rows):
        self.rows = rows
        self.last_start = max(row["start_ns"] for row in rows)
        self.size = len(rows)
        starts = sorted(row["start_ns"] for row in rows)
        self.lead = starts[-1] - starts[-2] if self.size > 1 else 0
        self.bound = max(row["start_bound_ns"] for row in rows) + max(row["end_bound_ns"] for row in rows)
        self.last_rank = min((row["comm_rank"], row["rank"]) for row in rows if row["start_ns"] == self.last_start)[1]
        for row in rows:  # of blocking calls, as make_trace's are
            row["inside"] = row["end_ns"] - row["start_ns"]
            row["waiting"] = max(min(row["end_ns"], self.last_start) - row["start_ns"], 0)
        self.completion = max(row["end_ns"] for row in rows) - starts[0]
        self.first_start = starts[0]


def read(path):
    numbers = ("rank", "comm_rank", "start_ns", "call_end_ns", "wait_start_ns", "end_ns", "start_bound_ns", "end_bound_ns")
    instances = collections.defaultdict(list)
    with open(path) as file:
        for row in csv.DictReader(file):
            row.update((name, int(row[name])) for name in numbers)
            instances[row["comm"], row["seq"]].append(row)
    return [Instance(rows) for rows in instances.values()]


def report_of(make_trace, syncopate, trace, *plan):
    subprocess.run([make_trace, trace] + list(plan), check=True, stdout=subprocess.DEVNULL)
    subprocess.run([syncopate, "export", "--format", "csv", "--bounds", "-o", trace + ".csv", trace], check=True)
    text = subprocess.run([syncopate, "report", "--verbose", trace], check=True, stdout=subprocess.PIPE, text=True).stdout
    return text, read(trace + ".csv")


def check_time(text, instances):
    rows = [row for instance in instances for row in instance.rows]
    ranks = len({row["rank"] for row in rows})
    inside, waiting = sum(row["inside"] for row in rows), sum(row["waiting"] for row in rows)
    for words, value in (("in collectives", inside), ("waiting for late ranks", waiting),
                         ("the operations themselves", inside - waiting)):
        found = find(text, words + r" ([\d.]+) (\w+)")
        if found:
            expect(words, time_ns(*found.groups()), value / ranks)
    found = find(text, r"errors may move up to ([\d.]+) (\w+) \(([\d.]+) % of the waiting\)")
    if found:
        moved = sum(instance.bound * (instance.size - 1) for instance in instances)
        expect("moved by clocks' errors", time_ns(found[1], found[2]), moved / ranks)
        expect("of the waiting", float(found[3]) / 100, moved / waiting)


PLACE = r"(?:from\s+one\s+call\s+to\s+the\s+next\s+of|between|in|before\s+the\s+first\s+call|after)\s+MPI_\w+(?:\s+at\s+\S+)?"


def check_page(text, late_rank=None):
    """What one section says, the others know; the rank that is late in all of the run is named."""
    global failed
    first = text.split("\n", 1)[0]
    if not re.match("Reliable: |Read with care: |Not reliable: ", first):
        failed += 1
        print("the first line does not say whether the page can be relied on: %s" % first)
    shares = [float(share) for share in
              re.findall(r"^  (?:in collectives|in messages and one-sided|in MPI_Finalize|outside \w+) +[\d.]+ \w+ +([\d.]+) %", text, re.M)]
    expect("shares of the run together", sum(shares) / 100, 1)
    why = text.split("\nWhy\n")[1].split("\n\n")[0]
    late = text.split("\nWho came late\n")[1].split("\n\n")[0]
    named = re.search(r"^  - Rank (\d+) (?:computes|is|takes)", why, re.M)
    if (named and int(named[1])) != late_rank:
        failed += 1
        print("Why names %s, late is %s" % (named and named[0].strip(" -"), late_rank))
    if named and not re.search(r"\brank %s\b" % named[1], late, re.I):
        failed += 1
        print("rank %s is named by Why, and not by Who came late" % named[1])
    items = re.split(r"\n  - ", "\n" + why)
    if any("worst of these places" in " ".join(item.split()) for item in items) and \
            not any(re.search(PLACE, item) for item in items if not re.match("Parallel|In the best case|The critical", item)):
        failed += 1
        print("a worst place is told of that no line names")
    for bound in re.finditer(r"(?:up to|at most):?\s+([\d.]+)\s+%\s+\[[\d.]+\s+%,\s+([\d.]+)\s+%\]", text):
        if float(bound[2]) > float(bound[1]):
            failed += 1
            print("an interval ends beyond its own bound: %s" % " ".join(bound[0].split()))


def check_moment(text):
    """Two sites that become slower at one moment are one item, and no warnings."""
    global failed
    found = find(text, r"From ([\d.]+) (\w+) (?:\(\S+ UTC\) )?on, (\S+) [^.]* and (\S+) [^.]* take ([\d.]+) to ([\d.]+) times as long")
    if found and re.search("from call \\d+ on", text):
        failed += 1
        print("a moment is told again, as warnings")


def check_late(text, instances):
    count = collections.Counter(instance.last_rank for instance in instances)
    found = find(text, r"Rank (\d+) \([^)]*\) came last in ([\d.]+) % of ([\d,]+) instances \(by chance ([\d.]+) %")
    if found:
        expect("the rank that came last", int(found[1]), count.most_common(1)[0][0])
        expect("came last", float(found[2]) / 100, count[int(found[1])] / len(instances))
        expect("of instances", int(found[3].replace(",", "")), len(instances))
        expect("by chance", float(found[4]) / 100, 1 / instances[0].size)
    found = find(text, r"A rank waited ([\d.]+) (\w+) for it in the mean, ([\d.]+) % of all waiting")
    if found:
        late = count.most_common(1)[0][0]
        caused = sum(row["waiting"] for instance in instances if instance.last_rank == late
                     for row in instance.rows if row["rank"] != late)
        expect("a rank waited", time_ns(found[1], found[2]), caused / instances[0].size)
        expect("of all waiting", float(found[3]) / 100,
               caused / sum(row["waiting"] for instance in instances for row in instance.rows))


def check_unsure(text, instances):
    found = find(text, r"In ([\d.]+) % of the instances the clocks cannot tell which rank came last")
    if found:
        unsure = sum(instance.lead <= instance.bound for instance in instances)
        expect("closer together than the clocks can tell", float(found[1]) / 100, unsure / len(instances))


def check_warmup(text, instances):
    found = find(text, r"The largest is that of (\w+) at (\S+): the first (\d+) calls took ([\d.]+) times as long as the later ones")
    if not found:
        return
    group = sorted((instance for instance in instances
                    if instance.rows[0]["op"] == found[1] and instance.rows[0]["site"] == found[2]),
                   key=lambda instance: instance.first_start)
    times, head = [instance.completion for instance in group], int(found[3])
    expect("times as long", float(found[4]), statistics.median(times[:head]) / statistics.median(times[head:]), 0.02)
    expect("so many first calls", head, 40, 0.1)  # as make_trace made it


def own_times(instances):
    """Of each segment (from, to) and rank what it did between the calls, but for messages: a list of ns."""
    rows = sorted((row for instance in instances for row in instance.rows), key=lambda row: (row["rank"], row["start_ns"]))
    own = collections.defaultdict(lambda: collections.defaultdict(list))
    for before, row in zip(rows, rows[1:]):
        if before["rank"] == row["rank"]:
            own[before["site"], row["site"]][row["rank"]].append(row["start_ns"] - before["end_ns"] - int(row["messages_ns"] or 0))
    return own


WHERE = r"(?:from one call to the next of MPI_\w+ at (\S+?)|between MPI_\w+ at (\S+) and MPI_\w+ at (\S+?)),"


def check_conditional(text, instances, verb):
    """An excess that comes in some of the passes, and in the mean of all; by whom."""
    found = find(text, r"Rank (\d+) " + verb + r" ([\d.]+) (\w+) longer \[[^]]*\] than the others (?:\([^)]*\) )?" + WHERE +
                 r" in ([\d.]+) % of the passes \(([\d.]+) (\w+) in the mean of all\)")
    if not found:
        return
    rank, once, twice = int(found[1]), found[4], (found[5], found[6])
    of_rank = own_times(instances)[(once, once) if once else twice]
    mine, others = of_rank.pop(rank), [statistics.mean(times) for times in of_rank.values()]
    usual = statistics.mean(others)
    late = [ns - usual for ns in mine if ns - usual > time_ns(found[2], found[3]) / 4]
    expect("in the mean of all passes", time_ns(found[8], found[9]), statistics.mean(mine) - usual)
    expect("in these passes", time_ns(found[2], found[3]), statistics.median(late), 0.1)
    expect("in so many passes", float(found[7]) / 100, len(late) / len(mine), 0.1)


def check_seen(text, instances):
    """Too few passes to be sure: in how many of those with a late rank it was this one."""
    found = find(text, r"Rank (\d+) [\s\S]*?in (\d+) of the (\d+) passe?s? in which a rank is late there \((?:too few|not enough) to be sure\)")
    if not found:
        return
    late = [instance for instance in instances[1:] if instance.lead > instance.bound]
    expect("the rank that was late", int(found[1]), collections.Counter(i.last_rank for i in late).most_common(1)[0][0])
    expect("passes of that rank", int(found[2]), sum(i.last_rank == int(found[1]) for i in late))
    expect("passes with a late rank", int(found[3]), len(late))


def check_lost(text, share):
    found = find(text, r"Rank (\d+) could have run but had no processor for ([\d.]+) % of its time")
    if found:
        expect("without a processor", float(found[2]) / 100, share, 0.02)


def check_overlap(text, instances):
    found = find(text, r"Nonblocking: ([\d.]+) (\w+) of all ranks lie between starting and completing; that hides at most ([\d.]+) %")
    if not found:
        return
    between = hidden = exposed = 0
    for instance in instances:
        due = instance.last_start
        for row in instance.rows:
            between += row["wait_start_ns"] - row["call_end_ns"]
            outside = max(row["wait_start_ns"] - max(row["call_end_ns"], due), 0)
            hidden += outside
            exposed += max(row["end_ns"] - due - outside, 0)
    expect("between starting and completing", time_ns(found[1], found[2]), between)
    expect("hidden", float(found[3]) / 100, hidden / (hidden + exposed))


def main():
    make_trace, syncopate = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        text, instances = report_of(make_trace, syncopate, os.path.join(folder, "late"), "events=2000", "groups=4", "late=2",
                                    "late_share=0.5", "bound_ns=300", "knots=3", "wander=1e-5")
        check_page(text, late_rank=2)
        check_time(text, instances)
        check_late(text, instances)
        check_unsure(text, instances)
        text, instances = report_of(make_trace, syncopate, os.path.join(folder, "warm"), "events=4800", "groups=2", "warmup=40")
        check_time(text, instances)
        check_unsure(text, instances)
        check_warmup(text, instances)
        text, instances = report_of(make_trace, syncopate, os.path.join(folder, "jump"), "events=8000", "groups=2", "jump_at=600",
                                    "jump_ratio=1.3")
        check_page(text)
        check_moment(text)
        late = ["late=1", "late_share=0", "off_ns=2000000", "samples_ns=100000"]
        text, instances = report_of(make_trace, syncopate, os.path.join(folder, "blocked"), "events=4000", "groups=2", "off_share=0.3",
                                    "lost_share=0.001", *late)
        check_conditional(text, instances, "is blocked")
        text, instances = report_of(make_trace, syncopate, os.path.join(folder, "lost"), "events=4000", "groups=2", "late=1",
                                    "late_share=0.5", "samples_ns=100000", "lost_share=0.2")
        check_lost(text, 0.2)
        text, instances = report_of(make_trace, syncopate, os.path.join(folder, "few"), "ranks=2", "events=12", "groups=1", "late=1",
                                    "late_ns=500000")
        check_seen(text, instances)
        text, instances = report_of(make_trace, syncopate, os.path.join(folder, "hidden"), "events=2400", "groups=2", "late=1",
                                    "late_share=0.5", "nonblocking=3", "hidden_ns=2500")
        check_overlap(text, instances)
    return 1 if failed else 0


sys.exit(main())
