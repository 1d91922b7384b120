#!/usr/bin/env python3
"""What the pages name is there: files of the source, and the pages that they link to. And what is written is named: each key of
JSON in a page or a schema, each command and its options. Numbers of things are those of the tables. Pages stay short:
lines, README, words in all; and the glossary explains a word once.

usage: docs.py SOURCE_DIRECTORY
"""
import glob
import os
import re
import sys

top = sys.argv[1]
pages = [path for path in glob.glob(os.path.join(top, "docs", "*.md")) + glob.glob(os.path.join(top, "*.md"))
         if os.path.basename(path) != "CHANGELOG.md"] # what was there once
named = re.compile(r"`((?:sync|trace|preload|analyze|tests|readers|packaging)/[\w./-]*\w\.(?:c|h|S|def|sh|py|R|cmake|map|txt))`")
bare = re.compile(r"`(\w+\.(?:c|h|S|def))`") # a file without its folder
sources = {name for folder in ("preload", "sync", "trace", "analyze", "tests", "docs") for _, _, names in os.walk(os.path.join(top, folder)) for name in names}
linked = re.compile(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)")
faults, count = [], 0
for page in sorted(pages):
    with open(page) as file:
        text = file.read()
    for name in named.findall(text):
        count += 1
        if not os.path.exists(os.path.join(top, name)):
            faults.append(f"{os.path.relpath(page, top)} names {name}, which is not there")
    for name in bare.findall(text):
        count += 1
        if name not in sources:
            faults.append(f"{os.path.relpath(page, top)} names {name}, which is not there")
    for name in linked.findall(text):
        count += 1
        if not os.path.exists(os.path.join(os.path.dirname(page), name)):
            faults.append(f"{os.path.relpath(page, top)} links to {name}, which is not there")


def read(*names):
    return "\n".join(open(path).read() for name in names for path in sorted(glob.glob(os.path.join(top, name))))


# Words in code spans and code blocks, and in the schemas.
text = read("docs/*.md", "README.md")
said = set(re.findall(r"[A-Za-z_](?:[\w.-]*\w)?", " ".join(re.findall(r"`([^`]*)`", text) + re.findall(r"^    .*$", text, re.M))))
said |= set(re.findall(r'"([\w.-]+)"', read("docs/schema/*.json")))


def every(what, words):
    """Each of these words, which the source has, is in a page."""
    global count
    words = set(words)
    count += len(words)
    if not words:
        faults.append(f"no {what} in the source: was it looked for in the right place?")
    faults.extend(f"no page says what the {what} {word} is" for word in words - said)


analyze = read("analyze/*/*.c", "analyze/*/*/*.c")
NAMELESS = {"program.compiler", "rule"} # a factor's own name; the number of a rule, said in a sentence
every("key", set(re.findall(r'syn_json_\w+\(\s*[\w>&.-]+,\s*"([A-Za-z_0-9.]+)"', analyze)) - NAMELESS)
every("command", re.findall(r'^    \.name = "(\w+)"', analyze, re.M))
every("metric", (name + "_ns" for name in re.findall(r'"(\w+)"', re.search(r"syn_metric_name.*?\{.*?\{(.*?)\}", read("analyze/report/figures/figures.c"), re.S)[1])))
every("meta key", set(re.findall(r'SYN_META_\w+ +"([a-z_.]+)"', read("trace/*/*.h", "trace/*/*/*.h"))))


def as_many(page, pattern, number, of):
    """The page says how many there are, and says it right."""
    global count
    count += 1
    found = re.findall(pattern, read(page), re.M)
    if not found:
        faults.append(f"{page} does not say how many {of} there are ({pattern})")
    for said_number in found:
        if int(said_number) != number:
            faults.append(f"{page} says {said_number} {of}; there are {number}")


# The list of faults by part, as mutate.py prints them.
parts, part = {}, None
for line in read("tests/mutation/mutants.txt").splitlines():
    if line.startswith("# ----"):
        part = line.strip("#- ")
    elif line.startswith("== "):
        parts[part] = parts.get(part, 0) + 1
as_many("docs/testing.md", r"(\d+) one-line faults", sum(parts.values()), "faults")
for part, number in parts.items():
    as_many("docs/testing.md", rf"^\| {re.escape(part)} \| (\d+) \|", number, f"faults of {part}")

# Pages that are read once: no line that an editor or a diff folds, a README on one screen or two, and no more than a day of reading.
# (Pages that a script writes are looked up, not read.)
LINE, README_LINES, WORDS, CHANGES = 160, 80, 60000, 20
WRITTEN = {os.path.join(top, "docs", "figures.md")}
for page in sorted(pages + glob.glob(os.path.join(top, "docs", "*", "*.md")) + [os.path.join(top, "CHANGELOG.md")]):
    for number, line in enumerate(open(page) if page not in WRITTEN else [], 1):
        if len(line.rstrip("\n")) >= LINE:
            faults.append(f"{os.path.relpath(page, top)}:{number} has {len(line) - 1} characters: at most {LINE - 1}")
lines = len(read("README.md").splitlines())
if not 0 < lines <= README_LINES:
    faults.append(f"README.md has {lines} lines: at most {README_LINES}")
words = sum(len(open(page).read().split()) for page in glob.glob(os.path.join(top, "docs", "*.md")) if page not in WRITTEN)
if not 0 < words <= WORDS:
    faults.append(f"docs/*.md have {words} words: at most {WORDS}")
for release in re.split(r"(?m)^## ", read("CHANGELOG.md"))[1:]:
    changes = len(re.findall(r"(?m)^- ", release))
    if changes > CHANGES:
        faults.append(f"CHANGELOG.md, {release.split()[0]}: {changes} changes: at most {CHANGES}, of what a user notices")

# One meaning for each word: a word in bold is explained once.
explained = re.findall(r"\*\*([^*]+)\*\*", read("docs/glossary.md"))
count += len(explained)
if not explained:
    faults.append("docs/glossary.md explains nothing: was it looked for in the right place?")
faults.extend(f"docs/glossary.md explains {word} {explained.count(word)} times" for word in set(explained) if explained.count(word) > 1)

if count == 0:
    faults.append("no page names anything: was it looked for in the right place?")
for fault in sorted(set(faults)):
    print("BROKEN:", fault)
print(f"{count} names in {len(pages)} pages and the source, {len(set(faults))} without the other")
sys.exit(1 if faults else 0)
