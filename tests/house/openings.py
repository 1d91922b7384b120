#!/usr/bin/env python3
"""A comment opens with a subject or a verb. One that opens with a relative clause or a bare "Of" has none: What, Of, Those, So many, Who,
The same, Where, That, Which, Whose. Held: block comments at the beginning of a line, a file's first sentence behind "name - ", and the
first line of a comment in a script.

usage: openings.py SOURCE_DIRECTORY [update]

openings.txt lists how many such comments a file still has. The list only shrinks: `update` lowers what has become less, and takes out
files that are gone.
"""
import os
import re
import sys

OPENINGS = re.compile(r"(?:What|Of|Those|So many|Who|The same|Where|That|Which|Whose)\b")
HEADER = re.compile(r"[\w./-]+\.\w+ - ")
TOPS = ("preload", "sync", "trace", "analyze", "tests")

top = sys.argv[1]
list_path = os.path.join(top, "tests", "house", "openings.txt")


SCRIPTS = (".py", ".sh", ".cmake", ".R", "CMakeLists.txt")


def without_subject(text, script):
    """(line, first words) of each comment that opens so."""
    opening = r"(?m)^[ \t]*#+[ \t]*" if script else r"(?m)^[ \t]*/\*+[\s*]*"
    for found in re.finditer(opening, text):
        if script and re.match(r"[ \t]*#", text[text.rfind("\n", 0, max(found.start() - 1, 0)) + 1:max(found.start() - 1, 0)]):
            continue # the comment goes on
        rest = text[found.end():found.end() + 300]
        header = HEADER.match(rest)
        if header:
            rest = rest[header.end():]
            rest = rest[:1].upper() + rest[1:]
        if OPENINGS.match(rest):
            yield text.count("\n", 0, found.end()) + 1, " ".join(rest[:60].split())


def sources():
    for folder in TOPS:
        for path, _, names in os.walk(os.path.join(top, folder)):
            for name in names:
                if name.endswith((".c", ".h", ".S", ".def") + SCRIPTS):
                    yield os.path.relpath(os.path.join(path, name), top)


still = {}
with open(list_path) as file:
    for line in file:
        if line.strip() and not line.startswith("#"):
            path, number = line.split()
            still[path] = int(number)
found, files, broken = {}, 0, False
for path in sorted(sources()):
    files += 1
    with open(os.path.join(top, path), errors="replace") as file:
        comments = list(without_subject(file.read(), path.endswith(SCRIPTS)))
    found[path] = len(comments)
    if len(comments) > still.get(path, 0):
        broken = True
        print(f"BROKEN: {path}: {len(comments)} comments open without a subject, {still.get(path, 0)} in the list")
        for line, words in comments:
            print(f"    {path}:{line}: {words}")
if files < 500:
    broken = True
    print(f"BROKEN: {files} files looked at: were they looked for in the right place?")
less = {path: number for path, number in still.items() if found.get(path, 0) < number}
if len(sys.argv) > 2 and sys.argv[2] == "update":
    with open(list_path, "w") as file:
        file.write("# Comments that open without a subject, by file (openings.py). Mend them where you work, then: openings.py . update\n")
        for path in sorted(still):
            number = min(still[path], found.get(path, 0))
            if number:
                file.write(f"{path} {number}\n")
elif less:
    print(f"{len(less)} files of openings.txt have fewer: openings.py SOURCE_DIRECTORY update")
print(f"{files} files, {sum(found.values())} comments without a subject in {sum(number > 0 for number in found.values())} of them")
sys.exit(1 if broken else 0)
