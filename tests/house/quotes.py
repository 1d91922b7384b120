#!/usr/bin/env python3
"""Reports that docs/why.md quotes of runs which are not stored use the words of today's reports.

Figures and places are of those runs; the words between them are sentences of analyze/. Any two words that follow one another in a
quoted sentence do so in a text of the source, in a golden page, in a fact or in a quote that cli_samples holds against a trace.

Figures of the page's prose stand in what it quotes, rounded at most, or are computed from quoted figures (COMPUTED). Those of
runs that the page does not quote are listed (ELSEWHERE). Quoted parts of a whole add up, quoted factors multiply.

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


FIGURE = re.compile(r"(?<![\w./:-])\d[\d,]*\d(?:\.\d+)?|(?<![\w./:-])\d\.\d+|(?<=1/)\d+\.\d+")
COMPUTED = {  # a figure of the prose: from figures that are quoted
    "1.06": "0.75315 + 0.3023", "0.27": "0.19516 + 0.078465", "3.86": "(0.75315 + 0.3023) / (0.19516 + 0.078465)",
    "3.75": "100 / 26.7", "1.13": "1.22 * 0.928", "0.03": "1.22 * 0.023", "3.77": "4 * 92.8 / (92.8 + 2.3 + 2.3 + 1.0)",
}
ELSEWHERE = {  # perf's figures, LAMMPS's other figures, the input, the crowded run
    "92.8", "1.22", "2.3", "1.0", "7,500", "300", "3.69", "1.08", "0.180", "0.190", "13.2", "56.5", "3.5", "28.6", "12", "41", "53", "26.6", "83.2", "0.011",
}


def value(figure):
    return float(figure.replace(",", ""))


def decimals(figure):
    return len(figure.partition(".")[2])


def prose_faults(prose, quoted):
    """Figures of the prose that no quoted figure rounds to."""
    for figure in FIGURE.findall(prose):
        if figure in COMPUTED:
            own = round(eval(COMPUTED[figure]), decimals(figure)) == value(figure)
            used = re.findall(r"0\.\d{3,}", COMPUTED[figure])
            if not own or any(u not in quoted and u not in ("0.928", "0.023") for u in used):
                yield "%s has %s: %s is something else, or is not quoted" % (QUOTED, figure, COMPUTED[figure])
        elif figure not in ELSEWHERE and not any(abs(round(value(q), decimals(figure)) - value(figure)) < 1e-9 for q in quoted):
            yield "%s has the figure %s: nothing that it quotes rounds to it" % (QUOTED, figure)


def sum_faults(quoted_text):
    """Quoted wholes that differ from their parts by more than rounding."""
    text = " ".join(quoted_text.split())
    products = re.findall(r"Parallel efficiency ([\d.]+) % = load balance ([\d.]+) % x communication ([\d.]+) %", text)
    products += re.findall(r"communication ([\d.]+) % \(waiting ([\d.]+) % x transfer ([\d.]+) %\)", text)
    for whole, one, other in products:
        if abs(float(whole) - float(one) * float(other) / 100) > 0.15:
            yield "%s quotes %s %% = %s %% x %s %%" % (QUOTED, whole, one, other)
    ms = dict(re.findall(r"(in collectives|waiting for late ranks|the operations themselves) +([\d.]+) ms", quoted_text))
    if len(ms) != 3 or abs(float(ms["in collectives"]) - float(ms["waiting for late ranks"]) - float(ms["the operations themselves"])) > 0.1:
        yield "%s quotes times in collectives whose parts do not add up: %s" % (QUOTED, ms)
    if len(products) < 4:
        yield "%s quotes %d efficiencies: at least 4 were there" % (QUOTED, len(products))


lines = read(QUOTED).split("\n")
quoted_text = "\n".join(line for line in lines if line.startswith("    "))
prose = "\n".join(re.sub(r"\]\([^)]*\)", "]", line) for line in lines if not line.startswith("    "))
faults += prose_faults(prose, set(FIGURE.findall(re.sub(r"(?<=[ \[])-", "", quoted_text))))
faults += sum_faults(quoted_text)
for fault in faults:
    print("BROKEN: " + fault)
print("%d pairs of words, %d figures in %s" % (seen, len(FIGURE.findall(prose)), QUOTED))
sys.exit(bool(faults))
