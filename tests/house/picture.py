#!/usr/bin/env python3
"""The house at a commit: who includes whom, room by room, as a picture and in figures (docs/architecture.md).

usage: picture.py COMMIT [PICTURE.svg]
Rooms are folders. A room stands above all that it includes; rooms that include one another in a circle stand side by side, the arrows
between them in red. Needs git and Universal Ctags.
"""
import collections
import html
import io
import os
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
from arrows import circles_of, includes, sources, units

TOPS = ("sync", "trace", "preload", "analyze")
BOX, GAP, FLOOR = 152, 14, 92  # of the picture


def read(top):
    texts = {}
    for path in sources(top, TOPS):
        with open(os.path.join(top, path), errors="replace") as file:
            texts[path] = file.read()
    return texts


def floors_of(graph):
    floor = {}
    for ring in circles_of(graph):
        below = [floor[target] for node in ring for target in graph.get(node, ()) if target not in ring]
        for node in ring:
            floor[node] = max(below, default=-1) + 1
    return floor


def by(name, arrows):
    """The same graph of what files belong to."""
    graph = collections.defaultdict(collections.Counter)
    for path, targets in arrows.items():
        graph[name(path)].update(name(target) for target in targets if name(target) != name(path))
    return graph


def room(path):
    """What lies directly in analyze/ is shared by the rooms there or, as main.c, on top of them: each for itself."""
    folder = os.path.dirname(path)
    return os.path.splitext(path)[0] if folder == "analyze" else folder


def comment_share(texts):
    """Lines that are comments alone, of all that are not blank."""
    comments = lines = 0
    for path, text in texts.items():
        if not path.endswith((".c", ".h")):
            continue
        bare = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
        bare = re.sub(r"/\*.*?\*/", lambda found: re.sub(r"[^\n]+", "\x01", found.group()), bare, flags=re.S)
        bare = re.sub(r"//[^\n]*", "\x01", bare)
        for line in bare.split("\n"):
            lines += bool(line.strip())
            comments += bool(line.strip()) and not line.replace("\x01", "").strip()
    return comments / lines


def declaration(text, line):
    """What a line of a file's scope belongs to: from where its structure or table began."""
    lines = text.split("\n")[:line]
    begin = line - 1
    while begin > 0 and not re.match(r"[A-Za-z_]", lines[begin]):
        begin -= 1
    return " ".join(lines[begin:])


def tags(top, texts):
    """Lengths of functions; variables of file scope that change, by file."""
    names = [path for path in sources(top, TOPS) if path.endswith((".c", ".h"))]
    done = subprocess.run(["ctags", "--languages=C", "--langmap=C:.c.h", "--kinds-C=fv", "--fields=+neK", "-f", "-", "-L", "-"],
                          cwd=top, input="\n".join(names), stdout=subprocess.PIPE, text=True, check=True)
    lengths, variables = [], collections.Counter()
    for line in done.stdout.splitlines():
        fields = line.split("\t")
        where = dict(field.split(":", 1) for field in fields[3:] if ":" in field)
        if "function" in fields[3:] and "end" in where:
            lengths.append(int(where["end"]) - int(where["line"]) + 1)
        elif "variable" in fields[3:] and not re.match(r"(static |__thread )*(const|extern)\b|.*[* ]const \w+\b[^{;]*[=;]",
                                                       declaration(texts[fields[1]], int(where["line"]))):
            variables[fields[1]] += 1
    return lengths, variables


def print_figures(top, texts, arrows):
    lengths, variables = tags(top, texts)
    lengths.sort()
    files = by(units(arrows).get, arrows)
    rooms = by(room, arrows)
    sizes = sorted((text.count("\n") for path, text in texts.items() if path.endswith(".c")), reverse=True)
    circles = [ring for ring in circles_of(rooms) if len(ring) > 1]
    rows = [
        ("files, of them .c", "%d, %d" % (len(texts), len(sizes))),
        ("lines", "%d" % sum(text.count("\n") for text in texts.values())),
        ("of the longest .c", "%d" % sizes[0]),
        ("folders; most .c and .h in one", "%d; %d" % (len({os.path.dirname(path) for path in texts}),
                                                max(collections.Counter(map(os.path.dirname, texts)).values()))),
        ("floors of folders, of files", "%d, %d" % (max(floors_of(rooms).values()) + 1, max(floors_of(files).values()) + 1)),
        ("of them in circles", "%d" % sum(map(len, circles))),
        ("circles of files, a .c and its .h as one", "%d" % sum(len(ring) > 1 for ring in circles_of(files))),
        ("functions", "%d" % len(lengths)),
        ("lines of one: median, p90, longest", "%d, %d, %d" % (statistics.median(lengths), lengths[len(lengths) * 9 // 10],
                                                            lengths[-1])),
        ("variables of file scope in preload/", "%d" % sum(count for path, count in variables.items() if path.startswith("preload/"))),
        ("most in one file", "%d" % max(count for path, count in variables.items() if path.startswith("preload/"))),
        ("lines of comment", "%.0f %%" % (100 * comment_share(texts))),
        (".c without an opening comment", "%d" % sum(path.endswith(".c") and not text.startswith("/*") for path, text in texts.items())),
    ]
    for name, value in rows:
        print("| %s | %s |" % (name, value))


def places(rooms, floor):
    """Rooms of a floor side by side, those of a top folder together."""
    place = {}
    for level in sorted(set(floor.values())):
        row = sorted((name for name in rooms if floor[name] == level), key=lambda name: (TOPS.index(name.split("/")[0]), name))
        for i, name in enumerate(row):
            place[name] = (i - (len(row) - 1) / 2) * (BOX + GAP), level
    return place


def draw(texts, arrows, path):
    rooms = by(room, arrows)
    for name in set(map(room, texts)):
        rooms.setdefault(name, collections.Counter())
    floor = floors_of(rooms)
    ring = {name: number for number, nodes in enumerate(circles_of(rooms)) for name in nodes}
    place = places(rooms, floor)
    left = min(x for x, _ in place.values()) - BOX
    top = max(floor.values())
    width, height = 2 * -left, (top + 1) * FLOOR + 20
    colour = dict(zip(TOPS, ("#dcebd6", "#d9e6f2", "#fbe3cf", "#efe3f3", "#efe3f3")))

    def at(name):
        x, level = place[name]
        return x - left, (top - level) * FLOOR + 35

    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11" text-anchor="middle">' %
           (width, height), '<rect width="100%" height="100%" fill="white"/>']
    for name, targets in sorted(rooms.items()):
        for target, count in sorted(targets.items()):
            (x, y), (to_x, to_y) = at(name), at(target)
            circle = ring[name] == ring[target]
            bend = 40 if circle else 0
            out.append('<path d="M%d %dQ%d %d %d %d" fill="none" stroke="%s" stroke-opacity="%.2f" stroke-width="%.1f"/>' % (
                x, y, (x + to_x) / 2, (y + to_y) / 2 - bend, to_x, to_y, "#c00" if circle else "#555", 0.7 if circle else 0.25,
                min(6, 0.6 + count ** 0.5 / 3)))
    for name in sorted(rooms):
        x, y = at(name)
        files = [text for path, text in texts.items() if room(path) == name]
        out.append('<rect x="%d" y="%d" width="%d" height="36" rx="5" fill="%s" stroke="#888"/>' % (
            x - BOX / 2, y - 18, BOX, colour[name.split("/")[0]]))
        out.append('<text x="%d" y="%d" font-weight="bold">%s</text>' % (x, y - 3, html.escape(name)))
        out.append('<text x="%d" y="%d" fill="#444">%d files, %s lines</text>' % (
            x, y + 11, len(files), format(sum(text.count("\n") for text in files), ",")))
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n</svg>\n")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    archive = subprocess.run(["git", "archive", sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout
    with tempfile.TemporaryDirectory() as top:
        tarfile.open(fileobj=io.BytesIO(archive)).extractall(top)
        texts = read(top)
        arrows = includes(texts)
        print_figures(top, texts, arrows)
        if len(sys.argv) == 3:
            draw(texts, arrows, sys.argv[2])


main()
