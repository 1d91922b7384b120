#!/usr/bin/env python3
"""Reports that docs/why.md quotes of runs which are not stored use the words of today's reports.

Figures and places are of those runs; the words between them are sentences of analyze/. Any two words that follow one another in a
quoted sentence do so in a text of the source, in a golden page, in a fact or in a quote that cli_samples holds against a trace.

usage: quotes.py SOURCE_DIRECTORY
"""
import glob
import os
import re
import sys

top = sys.argv[1]
QUOTED = "docs/why.md"
CHECKED = ["docs/tutorial.md", "README.md", "tests/cli/facts.txt"]
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')


def read(path):
    with open(os.path.join(top, path), errors="replace") as file:
        return file.read()


def texts_of_source():
    for kind in ("c", "h", "def"):
        for path in glob.glob(os.path.join(top, "analyze", "**", "*." + kind), recursive=True):
            for literal in LITERAL.findall(read(path)):
                yield re.sub(r'"\s*"', "", literal).strip('"').replace("{s}", "s")


def pairs(text):
    """Words that follow one another; figures, places and ends of sentences part them."""
    text = re.sub(r"\d\S* [numKMG]?i?[sB]\b|\{\w+~?\}|%[-.*\w]+|[.;,:] |\S*[\d()\[\]:+/%<>=_\\]\S*", " | ", " ".join(text.split()) + " ")
    for run in text.split("|"):
        words = re.findall(r"[A-Za-z][A-Za-z'-]*", run)
        yield from zip(words, words[1:])


known = set()
for text in texts_of_source():
    known.update(pairs(text))
for path in CHECKED + [os.path.relpath(p, top) for p in glob.glob(os.path.join(top, "tests", "cli", "golden", "*"))]:
    known.update(pairs(read(path)))
faults, seen = [], 0
for item in re.findall(r"^      - .*\n(?:        .*\n)*", read(QUOTED), re.M):
    for pair in pairs(item):
        seen += 1
        if pair not in known:
            faults.append("%s quotes \"%s %s\": no report says that: %s" % ((QUOTED,) + pair + (item.split("\n")[0].strip(),)))
if seen < 60:
    faults.append("%s quotes %d pairs of words: at least 60 were there" % (QUOTED, seen))
for fault in faults:
    print("BROKEN: " + fault)
print("%d pairs of words in %s" % (seen, QUOTED))
sys.exit(bool(faults))
