#!/usr/bin/env python3
"""The floors of the house: who may include whom, that no files go round in a circle, and that headers declare what others use.

usage: floors.py SOURCE_DIRECTORY
"""
import collections
import os
import re
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
# MPI's own.
FOREIGN = ["preload/abi/mpi.h"]


def read(top, folders):
    texts = {}
    for path in sources(top, folders):
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


def code(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def lonely(texts, others):
    """Functions of a header that nobody but the file which has them calls."""
    words = {path: set(re.findall(r"\w+", code(text))) for path, text in {**texts, **others}.items()}
    for path, text in sorted(texts.items()):
        if not path.endswith(".h") or path in FOREIGN:
            continue
        bare = code(text)
        declared = re.sub(r"^#.*(?:\\\n.*)*", "", bare, flags=re.M)
        for name in re.findall(r"^(?!static|typedef)[A-Za-z_][^;{}=()]*?\b([a-z]\w+)\([^{};]*\)[^{};]*;", declared, re.M):
            users = [other for other in words if other != path and name in words[other]]
            if len(users) < 2 and len(re.findall(rf"\b{name}\b", bare)) < 2:
                yield f"{path} declares {name}, which one file alone has and uses: make it static there"


def main():
    texts = read(sys.argv[1], TOPS)
    arrows = includes(texts)
    if not arrows:
        sys.exit(f"floors.py: {sys.argv[1]}: no source there")
    faults = list(upward(arrows)) + circles(arrows) + list(lonely(texts, read(sys.argv[1], ("tests",))))
    for fault in faults:
        print("BROKEN:", fault)
    print(f"{len(arrows)} files, {sum(map(len, arrows.values()))} includes, {len(faults)} against the order")
    sys.exit(1 if faults else 0)


main()
