"""facts.py TABLE - facts in what commands print of golden_traces.sh's traces, mostly in JSON, from one table: facts.txt beside this file.

Run in the directory of the traces; $SYNCOPATE_CLI is the command. A case is a line "STATUS COMMAND"; each line below it that begins
with blanks is a fact, "PATH = VALUE". PATH: names of members and places of items, parted by "/"; "#" is how many there are, and
NAME=VALUE the item of which that member has that value; "err" alone is all of the standard error, without the last newline. VALUE is JSON; numbers agree to 1e-9, for the last digits are those of
the machine's libm. "!" before a fact: it is false, and has to be found so in what is there. A case of status 0 says no error that no fact names."""

import json
import math
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
            cases[-1][2].append(line.strip())
        else:
            status, command = line.strip().split(" ", 1)
            cases.append((int(status), command, []))
    return cases


def faults_of(status, command, facts):
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    if done.returncode != status:
        yield f"exit status {done.returncode}, not {status}: {done.stderr.strip()}"
    document = {"err": done.stderr.removesuffix("\n")}
    try:
        document |= json.loads(done.stdout or "{}")
    except ValueError as why:
        yield f"no JSON: {why}"
        return
    for fact in facts:
        path, wanted = fact.lstrip("! ").split(" = ", 1)
        holds, got = is_true(document, path, json.loads(wanted))
        if holds == fact.startswith("!") or not has_parent(document, path):
            yield f"{fact}: it is {got}"
    if status == 0 and document["err"] and not any(fact.lstrip("! ").startswith("err ") for fact in facts):
        yield f"an error is said: {document['err']}"


def main():
    cases = read_cases(sys.argv[1])
    fault_count = 0
    for status, command, facts in cases:
        for fault in faults_of(status, command, facts):
            print(f"{command}: {fault}")
            fault_count += 1
    count = sum(len(facts) for _, _, facts in cases)
    print(f"facts: {count} of {len(cases)} commands, {fault_count} faults")
    return fault_count > 0 or count == 0


sys.exit(main())
