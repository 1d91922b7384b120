#!/usr/bin/env python3
"""The floors of the house: who may include whom, and that no files go round in a circle.

usage: floors.py SOURCE_DIRECTORY
"""
import collections
import os
import sys

sys.dont_write_bytecode = True  # what is tested stays as it is
from arrows import circles_of, includes, sources, units

# Lowest first; a room includes itself and those before it. What lies directly in preload/ or analyze/ is on top, but for what is SHARED.
FLOORS = {
    "preload": "entry base facts mpi recorder comms clocks calls run".split(),
    "analyze": "stats symbols print cli match clocks causes check recover export report info diff record team compare".split(),
}
SHARED = ["analyze/command.h", "analyze/runs.h", "analyze/threads.h"]
TOPS = ("sync", "trace", "preload", "analyze")


def read(top):
    texts = {}
    for path in sources(top, TOPS):
        with open(os.path.join(top, path)) as file:
            texts[path] = file.read()
    return texts


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
    unit = units(arrows)
    graph = collections.defaultdict(set)
    for path, targets in arrows.items():
        graph[unit[path]] |= {unit[target] for target in targets} - {unit[path]}
    return ["a circle of files: " + ", ".join(sorted(ring)) for ring in circles_of(graph) if len(ring) > 1]


def main():
    arrows = includes(read(sys.argv[1]))
    if not arrows:
        sys.exit(f"floors.py: {sys.argv[1]}: no source there")
    faults = list(upward(arrows)) + circles(arrows)
    for fault in faults:
        print("BROKEN:", fault)
    print(f"{len(arrows)} files, {sum(map(len, arrows.values()))} includes, {len(faults)} against the order")
    sys.exit(1 if faults else 0)


main()
