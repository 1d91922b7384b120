#!/usr/bin/env python3
"""The floors of the house: who may include whom, and that no files go round in a circle.

usage: floors.py SOURCE_DIRECTORY
"""
import collections
import os
import re
import sys

# Lowest first; a room includes itself and those before it. What lies directly in preload/ or analyze/ is on top, but for what is SHARED.
FLOORS = {
    "preload": "entry base facts mpi recorder comms clocks calls run".split(),
    "analyze": "stats symbols print cli match clocks causes check recover export report info diff record team compare".split(),
}
SHARED = ["analyze/command.h", "analyze/runs.h", "analyze/threads.h"]

# Circles that are none: a header for the users of several files, which also says what these hand one another.
PUBLIC = ["sync/timeline", "sync/model", "sync/sync", "analyze/symbols/symbols", "analyze/match/match", "analyze/causes/replay",
          "analyze/causes/findings", "analyze/record/record", "analyze/match/groups", "analyze/report/figures", "analyze/report/changes", "trace/notes"]


def sources(top):
    for folder in ("sync", "trace", "preload", "analyze"):
        for place, _, names in os.walk(os.path.join(top, folder)):
            for name in names:
                if name.endswith((".c", ".h", ".S", ".def")):
                    yield os.path.relpath(os.path.join(place, name), top)


def includes(top):
    arrows = collections.defaultdict(list)
    for path in sources(top):
        with open(os.path.join(top, path)) as file:
            text = file.read()
        arrows[path] = re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.M)
    return arrows


def upward(arrows):
    for path, targets in sorted(arrows.items()):
        folder, *rest = path.split("/")
        order = FLOORS.get(folder)
        if not order or len(rest) < 2:
            continue
        for target in targets:
            there = target.split("/")
            if target not in SHARED and there[0] == folder and (len(there) < 3 or there[1] not in order or
                                                                order.index(there[1]) > order.index(rest[0])):
                yield f"{path} includes {target}, which lies above it"


def circles(arrows):
    """A file and its header count as one; what others include of a PUBLIC one counts for its header alone."""
    def unit(path):
        return os.path.splitext(path)[0]
    graph = collections.defaultdict(set)
    for path, targets in arrows.items():
        here = unit(path)
        node = here + ".c" if here in PUBLIC and path.endswith(".c") else here
        graph[node] |= {unit(target) for target in targets} - {node}
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in graph.get(node, ()):
            if target not in index:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == index[node]:
            ring = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(ring) > 1:
                found.append(ring)

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return ["a circle of files: " + ", ".join(sorted(ring)) for ring in found]


def main():
    arrows = includes(sys.argv[1])
    if not arrows:
        sys.exit(f"floors.py: {sys.argv[1]}: no source there")
    faults = list(upward(arrows)) + circles(arrows)
    for fault in faults:
        print("BROKEN:", fault)
    print(f"{len(arrows)} files, {sum(map(len, arrows.values()))} includes, {len(faults)} against the order")
    sys.exit(1 if faults else 0)


main()
