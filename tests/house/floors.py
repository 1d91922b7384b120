#!/usr/bin/env python3
"""The floors of the house: who may include whom, that no files go round in a circle, that no room is crowded, that headers declare
what others use, and that what is in the product is the product's: a function that tests alone call is theirs.

usage: floors.py SOURCE_DIRECTORY
"""
import collections
import os
import re
import sys

sys.dont_write_bytecode = True  # what is tested stays as it is
from arrows import circles_of, includes, sources, units

# Lowest first; a room includes itself and those before it. Files that lie directly in a folder stand where "." is, or else on top; but
# anyone may include what is SHARED.
FLOORS = {
    "sync": "base time ranks methods".split(),
    "trace": "base events columns directory write read node recover".split(),
    "preload": "entry base facts mpi recorder comms clocks calls run tune".split(),
    "analyze": "stats symbols print doc cli match messages clocks causes hang check recover export report info diff record compare tune".split(),
    "trace/base": "coding .".split(),
    "trace/read": ". raw".split(),
    "preload/recorder": "stacks .".split(),
    "preload/calls": "arguments control . fortran".split(),
    "preload/run": ". lifecycle".split(),
    "analyze/stats": "values samples series".split(),
    "analyze/print": ". figures".split(),
    "analyze/match": "columns members . groups".split(),
    "analyze/causes": "sums replay . findings".split(),
    "analyze/hang": ". page".split(),
    "analyze/report": "figures findings sections formats .".split(),
    "analyze/diff": ". page".split(),
}
MOST_FILES = 25  # in a room
CROWDED = {}  # at most, until rooms are made
SHARED = ["analyze/commands.def", "analyze/runs.h", "analyze/threads.h"]
TOPS = ("sync", "trace", "preload", "analyze")
# MPI's own.
FOREIGN = ["preload/abi/mpi.h"]


def read(top, folders):
    texts = {}
    for path in sources(top, folders):
        with open(os.path.join(top, path)) as file:
            texts[path] = file.read()
    return texts


def floor_in(folder, path):
    """The floor of a file within a folder: its room's; None if no order names that."""
    rest = path[len(folder) + 1:].split("/")
    order, room = FLOORS[folder], rest[0] if len(rest) > 1 else "."
    return order.index(room) if room in order else len(order) if room == "." else None


def upward(arrows):
    for path, targets in sorted(arrows.items()):
        for folder in FLOORS:
            if not path.startswith(folder + "/") or path in FOREIGN:
                continue
            here = floor_in(folder, path)
            if here is None:
                yield f"{path} lies in a room that floors.py has no floor for"
                continue
            for target in targets:
                if target not in SHARED and target.startswith(folder + "/") and (floor_in(folder, target) or 0) > here:
                    yield f"{path} includes {target}, which lies above it"


def crowded(texts):
    """Rooms of too many files."""
    count = collections.Counter(map(os.path.dirname, texts))
    for room, files in sorted(count.items()):
        if files > CROWDED.get(room, MOST_FILES):
            yield f"{room}/ has {files} files: at most {MOST_FILES} are found at a glance"
    for room in CROWDED:
        if count[room] <= MOST_FILES:
            yield f"floors.py lists {room}/ as crowded, which it is not"


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


# Functions that tests alone call, and that are the product's all the same.
FOR_TESTS = {
    "syn_cpu_limit": "each way to do a thing is tried on a processor that has the best",
    "syn_clock_left_open": "shows what measurements leave open, which a mended clock's bound is made of, without the collectives",
}


def pieces(text):
    """What stands at a file's outermost level, one thing after the other: a function, a table, a declaration, a macro."""
    piece, depth = [], 0
    for line in re.sub(r"\\\n", " ", code(text)).split("\n"):
        if line.startswith("#"):
            yield line
            continue
        piece.append(line)
        depth += sum(line.count(bracket) for bracket in "({") - sum(line.count(bracket) for bracket in ")}")
        if depth == 0 and line.rstrip().endswith((";", "}")):
            yield "\n".join(piece)
            piece = []
    yield "\n".join(piece)


def declared(text):
    """Functions that a header declares or has."""
    bare = re.sub(r"^#.*(?:\\\n.*)*", "", code(text), flags=re.M)
    return re.findall(r"^(?!typedef)[A-Za-z_][^;{}=()]*?\b([a-z]\w+)\([^{};]*\)[^{};]*[;{]", bare, re.M)


def unneeded(texts):
    """Functions that a header shows and that nothing in the product needs, but for others of that kind."""
    where = {name: path for path, text in sorted(texts.items()) if path.endswith(".h") and path not in FOREIGN
             for name in declared(text)}
    users = {name: set() for name in where}
    for path, text in texts.items():
        for number, piece in enumerate(pieces(text)):
            head = re.match(r"\s*[A-Za-z_][^;{}=()#]*?\b(\w+)\(", piece)
            own = head and head.group(1)
            for word in set(re.findall(r"\w+", piece)) & users.keys() - {own}:
                users[word].add(own if own in where else (path, number))
    needless, size = set(), -1
    while len(needless) > size:
        size = len(needless)
        needless |= {name for name in where if not users[name] - needless and name not in FOR_TESTS}
    for name in FOR_TESTS:
        if name not in where or users[name]:
            yield f"floors.py lists {name} as for tests alone, which it is not"
    for name in sorted(needless):
        yield f"{where[name]} has {name}, which nothing in the product calls: it belongs to the tests that do, or nowhere"


def main():
    texts = read(sys.argv[1], TOPS)
    arrows = includes(texts)
    if not arrows:
        sys.exit(f"floors.py: {sys.argv[1]}: no source there")
    faults = list(upward(arrows)) + circles(arrows) + list(crowded(texts)) + list(lonely(texts, read(sys.argv[1], ("tests",)))) + list(unneeded(texts))
    for fault in faults:
        print("BROKEN:", fault)
    print(f"{len(arrows)} files, {sum(map(len, arrows.values()))} includes, {len(faults)} against the order")
    sys.exit(1 if faults else 0)


main()
