"""facts.py TABLE [update] - facts in what commands print of golden_traces.sh's traces, from one table: facts.txt beside this file.

Run in the directory of the traces; $SYNCOPATE_CLI is the command. A case is a line "STATUS COMMAND"; each line below it that begins
with blanks is a fact:

    PATH = VALUE       of the JSON that is printed. PATH: names of members and places of items, parted by "/"; "#" is how many there
                       are, and NAME=VALUE the item of which that member has that value. VALUE is JSON; numbers agree to 1e-9, for
                       the last digits are those of the machine's libm. "err" alone is all of the standard error.
    out has WORDS      WORDS are in the text that is printed; any white space, of both, counts as one blank (err has: in the errors)
    out line LINE      LINE is a line of the text, blanks and all
    out/lines = N      the text has N lines; out/width = N: its longest line has N characters
    out page NAME      the text, and the errors below it, are the file golden/NAME beside the table; "update" writes that file

"!" before a fact: it is false, and has to be found so in what is there. A case of status 0 says no error that no fact names, and one
without a fact prints nothing. Cases run side by side: none uses a file that another writes."""

import concurrent.futures
import difflib
import json
import math
import os
import re
import subprocess
import sys


def item_at(value, step):
    if step == "#":
        return len(value)
    if isinstance(value, dict):
        return value[step]
    if "=" in step:
        name, wanted = step.split("=", 1)
        return next(item for item in value if str(item[name]) == wanted)
    return value[int(step)]


def value_at(document, steps):
    for step in steps:
        document = item_at(document, step)
    return document


def is_same(got, wanted):
    if isinstance(wanted, float) and isinstance(got, (int, float)):
        return math.isclose(got, wanted, rel_tol=1e-9)
    return type(got) is type(wanted) and got == wanted


NOTHING = (KeyError, IndexError, StopIteration, TypeError, ValueError)


def is_true(document, path, wanted):
    """With what is there."""
    try:
        got = value_at(document, path.split("/"))
    except NOTHING:
        return False, "nothing"
    return is_same(got, wanted), json.dumps(got)


def has_parent(document, path):
    """Is there something that the last step leads from?"""
    try:
        return value_at(document, path.split("/")[:-1]) is not None
    except NOTHING:
        return False


def read_cases(path):
    """(status, command, [line of a fact]) of each."""
    cases = []
    for line in open(path):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace():
            cases[-1][2].append(line[2:].rstrip("\n"))
        else:
            status, command = line.strip().split(" ", 1)
            cases.append((int(status), command, []))
    return cases


def fold(text):
    return " ".join(text.split())


SETTLED = [(r"at byte \d+", "at byte N"), (r"after \d+ of \d+ bytes", "after N of N bytes"), (r"(?m)^(  on disk +).*", r"\1SIZE")]


def page_of(texts):
    """What a page holds, without what may differ between machines: places inside compressed files, and sizes of files."""
    page = texts["out"] + ("--- stderr\n" + texts["err"] if texts["err"] else "")
    for pattern, replacement in SETTLED:
        page = re.sub(pattern, replacement, page)
    return page


def judge_page(name, page):
    path = os.path.join(os.path.dirname(sys.argv[1]), "golden", name)
    if sys.argv[2:] == ["update"]:
        open(path, "w").write(page)
    wanted = open(path).read()
    difference = difflib.unified_diff(wanted.splitlines(), page.splitlines(), path, "what it prints", lineterm="")
    return wanted == page, "\n".join(difference), page != ""


def judge(document, texts, fact):
    """(does the fact hold, what is there instead, is there something that it can be false of)."""
    stream, _, rest = fact.partition(" ")
    kind, _, words = rest.partition(" ")
    if kind == "has":
        return fold(words) in fold(texts[stream]), texts[stream], texts[stream] != ""
    if kind == "line":
        return words in texts[stream].splitlines(), texts[stream], texts[stream] != ""
    if kind == "page":
        return judge_page(words, page_of(texts))
    path, wanted = fact.split(" = ", 1)
    holds, got = is_true(document, path, json.loads(wanted))
    return holds, got, has_parent(document, path)


def document_of(texts, facts):
    """What paths lead into: the JSON that was printed or, of a text, its size."""
    document = {"err": texts["err"].removesuffix("\n")}
    if not facts or any(fact.lstrip("! ").startswith(("out ", "out/")) for fact in facts):
        lines = texts["out"].splitlines()
        return document | {"out": {"lines": len(lines), "width": max(map(len, lines), default=0)}}
    return document | json.loads(texts["out"] or "{}")


def faults_of(case):
    """Each as a line of text."""
    status, command, facts = case
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    texts = {"out": done.stdout, "err": done.stderr}
    faults = []
    if done.returncode != status:
        faults.append(f"exit status {done.returncode}, not {status}: {done.stderr.strip()}")
    try:
        document = document_of(texts, facts)
    except ValueError as why:
        return faults + [f"no JSON: {why}"]
    for fact in facts:
        is_false = fact.startswith("!")
        holds, got, is_there = judge(document, texts, fact.lstrip("! "))
        if holds == is_false or not is_there:
            faults.append(f"{fact}: it is {got}")
    if status == 0 and document["err"] and not any(fact.lstrip("! ").startswith(("err ", "out page ")) for fact in facts):
        faults.append(f"an error is said: {document['err']}")
    if not facts and texts["out"]:
        faults.append(f"it prints: {texts['out']}")
    return faults


def main():
    cases = read_cases(sys.argv[1])
    fault_count = 0
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for (_, command, _), faults in zip(cases, pool.map(faults_of, cases)):
            for fault in faults:
                print(f"{command}: {fault}")
            fault_count += len(faults)
    count = sum(len(facts) for _, _, facts in cases)
    print(f"facts: {count} of {len(cases)} commands, {fault_count} faults")
    return fault_count > 0 or count == 0


sys.exit(main())
