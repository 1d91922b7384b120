"""Who includes whom: the files of the house, their arrows, and circles among them (floors.py, picture.py)."""
import os
import re
import sys


def sources(top, folders):
    for folder in folders:
        for place, _, names in os.walk(os.path.join(top, folder)):
            for name in names:
                if name.endswith((".c", ".h", ".S", ".def")):
                    yield os.path.relpath(os.path.join(place, name), top)


def includes(texts):
    """What each file of ours includes of ours: from the root or, as it once was, from the file's own folder."""
    arrows = {}
    for path, text in texts.items():
        named = re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.M)
        near = [os.path.normpath(os.path.join(os.path.dirname(path), name)) for name in named]
        arrows[path] = {a if a in texts else b for a, b in zip(named, near) if a in texts or b in texts}
    return arrows


def units(arrows):
    """By file: what it is a part of. A .c and its .h are one; but where several .c make up what one header shows, and share another
    header for the inside (x_parts.h, or one without a .c), x.c belongs to the inside and x.h alone is what others see."""
    def stem(path):
        return os.path.splitext(path)[0]
    unit = {path: stem(path) for path in arrows}
    for path, targets in arrows.items():
        face = stem(path) + ".h"
        inside = [target for target in targets if target != face and face in arrows.get(target, ()) and
                  (target.startswith(stem(path) + "_") or stem(target) + ".c" not in arrows)]
        if path.endswith(".c") and inside:
            unit[path] = stem(min(inside))
    return unit


def circles_of(graph):
    """Strongly connected components, each a list; those that others need come first."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in index:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == index[node]:
            found.append(stack[stack.index(node):])
            del stack[stack.index(node):]

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found
