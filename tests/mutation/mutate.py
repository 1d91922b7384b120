#!/usr/bin/env python3
"""One-line faults, and which tests notice them.

    mutate.py check                     does each fault of mutants.txt still apply? (a test of ctest's)
    mutate.py run [-j N] [--keep DIR] [--seconds S] [NAME...]
                                        make each fault in a copy of the source, build, run the tests that should notice it;
                                        prints a row for each, and in the end a table of the parts that they are in
                                        (docs/testing.md); exit status 1 where one survives that should not.
                                        Copies and builds stay in DIR, and faults that an earlier run there has judged are
                                        not made again: with --seconds, after which no fault is begun, a run in pieces

mutants.txt: `set NAME [tsan] | TARGET... | REGEX` names what is built and which tests are run; `# ---- PART ----` begins a
part, or goes on with it; a fault is
    == NAME | FILE | SET... [| equivalent: why]
    - the line as it is (leading blanks do not count); found exactly once in the file; more than one line with its context
    + the line as it is not to be, likewise
"""
import argparse
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))


class Mutant:
    def __init__(self, head, line, part):
        fields = [field.strip() for field in head.split("|")]
        self.part = part
        self.name, self.file, self.sets = fields[0], fields[1], fields[2].split()
        self.equivalent = fields[3][len("equivalent:"):].strip() if len(fields) > 3 else None
        self.line, self.old, self.new = line, [], []


def read_list():
    sets, mutants, part = {}, [], None
    with open(os.path.join(HERE, "mutants.txt")) as file:
        for number, text in enumerate(file, 1):
            text = text.rstrip("\n")
            if text.startswith("set "):
                name, targets, tests = text[4:].split("|", 2)
                words = name.split()
                sets[words[0]] = ("tsan" in words[1:], targets.split(), tests.strip())
            elif text.startswith("# ---- "):
                part = text.strip("#- ")
            elif text.startswith("== "):
                mutants.append(Mutant(text[3:], number, part))
            elif text.startswith("- "):
                mutants[-1].old.append(text[2:].strip())
            elif text.startswith("+ "):
                mutants[-1].new.append(text[2:].strip())
    return sets, mutants


def place_of(mutant, top):
    """The file's lines and the one that the fault is in; a sentence where there is not exactly one."""
    try:
        with open(os.path.join(top, mutant.file)) as file:
            lines = file.read().split("\n")
    except OSError as error:
        return None, None, str(error)
    bare, count = [line.strip() for line in lines], len(mutant.old)
    found = [i for i in range(len(bare)) if bare[i:i + count] == mutant.old]
    if len(found) != 1:
        return None, None, "%s: found %d times: %s" % (mutant.file, len(found), " / ".join(mutant.old))
    return lines, found[0], None


def check(sets, mutants):
    faults = []
    for mutant in mutants:
        why = place_of(mutant, TOP)[2]
        if why:
            faults.append("mutants.txt:%d: %s: %s" % (mutant.line, mutant.name, why))
        faults += ["mutants.txt:%d: no set %s" % (mutant.line, name) for name in mutant.sets if name not in sets]
        if not mutant.old or mutant.new == mutant.old:
            faults.append("mutants.txt:%d: %s: changes nothing" % (mutant.line, mutant.name))
    names = [mutant.name for mutant in mutants]
    faults += ["%s: twice" % name for name in sorted(set(names)) if names.count(name) > 1]
    print("\n".join(faults) if faults else "%d faults apply" % len(mutants))
    return 1 if faults else 0


def call(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def configure(copy, tsan):
    build = os.path.join(copy, "build-tsan" if tsan else "build")
    if not os.path.isdir(build):
        flags = ["-DSYN_THREAD_SANITIZE=ON"] if tsan else []
        done = call(["cmake", "-S", copy, "-B", build, "-G", "Ninja", "-DSYN_TESTS=ON",
                     "-DCMAKE_C_FLAGS=-w"] + flags) # a fault is not for warnings to notice
        if done.returncode:
            sys.exit(done.stdout)
    return build


def judge(copy, chosen):
    """None where all tests pass; else what noticed."""
    for tsan, targets, tests in chosen:
        build = configure(copy, tsan)
        if call(["cmake", "--build", build, "-j", "2", "--target"] + targets).returncode:
            return "the compiler"
        try:
            done = call(["ctest", "--test-dir", build, "-R", tests, "--stop-on-failure", "--timeout", "200"], timeout=900)
        except subprocess.TimeoutExpired:
            return "time"
        if "No tests were found" in done.stdout:
            sys.exit("no test is called %s" % tests)
        if done.returncode:
            failed = re.findall(r"^\s*\d+ - (\S+) \(", done.stdout, re.M)
            return ", ".join(failed) or "a test"
    return None


def try_one(copy, sets, mutant):
    lines, at, why = place_of(mutant, copy)
    if why:
        sys.exit(why)
    path = os.path.join(copy, mutant.file)
    faulty = lines[:at] + mutant.new + lines[at + len(mutant.old):]
    with open(path, "w") as file:
        file.write("\n".join(faulty))
    try:
        return judge(copy, [sets[name] for name in mutant.sets])
    finally:
        with open(path, "w") as file:
            file.write("\n".join(lines))


def mark_of(folder, name):
    return os.path.join(folder, "passes." + name)


def expect_passing(copy, sets, names):
    """A test that fails without a fault (or is not built) would notice every one."""
    for name in names:
        mark = mark_of(os.path.dirname(copy), name)
        if not os.path.exists(mark):
            failed = judge(copy, [sets[name]])
            if failed:
                sys.exit("set %s: without a fault it fails: %s" % (name, failed))
            open(mark, "w").close()


def is_same(one, other):
    return os.path.isfile(other) and filecmp.cmp(one, other, shallow=False)


def copy_source(into):
    """Only what differs, and as of now: a build there knows a file that a fault was in by its time.
    Returns whether anything did."""
    differed = False
    names = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, stdout=subprocess.PIPE, check=True).stdout
    for name in names.decode().split("\0"):
        source, target = os.path.join(TOP, name), os.path.join(into, name)
        if name and os.path.isfile(source) and not is_same(source, target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)
            differed = True
    return differed


def row_of(mutant, noticed):
    what = noticed or ("survives: " + mutant.equivalent if mutant.equivalent else "**survives**")
    return "| %s | `%s` | %s |" % (mutant.name, mutant.file, what)


def judged(folder):
    """Rows of earlier runs in this folder."""
    rows = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith(".rows"):
            with open(os.path.join(folder, name)) as file:
                rows += file.read().splitlines()
    return rows


def table_of_parts(mutants, rows):
    """What was judged, part by part."""
    verdict = {row.split(" | ")[0][2:]: row for row in rows}
    lines = ["| part | faults | noticed |", "|---|---|---|"]
    for part in dict.fromkeys(mutant.part for mutant in mutants):
        of_part = [verdict[mutant.name] for mutant in mutants if mutant.part == part and mutant.name in verdict]
        noticed = [row for row in of_part if "survives" not in row]
        lines.append("| %s | %d | %d |" % (part, len(of_part), len(noticed)))
    return "\n".join(lines)


def work(sets, mutants, copy, until):
    for mutant in mutants:
        if time.monotonic() > until:
            break
        expect_passing(copy, sets, mutant.sets)
        row = row_of(mutant, try_one(copy, sets, mutant))
        with open(copy + ".rows", "a") as file:
            file.write(row + "\n")
        print(row, flush=True)


def run(sets, chosen, jobs, folder, seconds):
    done = judged(folder)
    until = time.monotonic() + seconds
    left = [mutant for mutant in chosen if not any(row.startswith("| %s |" % mutant.name) for row in done)]
    special = [mutant for mutant in left if any(sets[name][0] for name in mutant.sets)] # in one copy: one build more
    plain = [mutant for mutant in left if mutant not in special]
    if any([copy_source(os.path.join(folder, "copy%d" % job)) for job in range(jobs)]):
        for name in sets: # of a source that is no more
            if os.path.exists(mark_of(folder, name)):
                os.remove(mark_of(folder, name))
    children = []
    for job in range(jobs):
        copy = os.path.join(folder, "copy%d" % job)
        share = plain[job::jobs] + (special if job == jobs - 1 else [])
        for tsan in sorted({sets[name][0] for mutant in share for name in mutant.sets}):
            configure(copy, tsan)
        child = os.fork()
        if child == 0:
            work(sets, share, copy, until)
            os._exit(0)
        children.append(child)
    failed = any([os.waitpid(child, 0)[1] for child in children])
    rows = judged(folder)
    print(table_of_parts(chosen, rows))
    print("%d of %d judged" % (len(rows), len(chosen)))
    return 1 if failed or any("**survives**" in row for row in rows) else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("what", choices=["check", "run"])
    parser.add_argument("-j", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_intermixed_args()
    sets, mutants = read_list()
    if arguments.what == "check":
        sys.exit(check(sets, mutants))
    chosen = [mutant for mutant in mutants if not arguments.names or mutant.name in arguments.names]
    if check(sets, chosen):
        sys.exit(1)
    if arguments.keep:
        sys.exit(run(sets, chosen, arguments.j, os.path.abspath(arguments.keep), arguments.seconds))
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        sys.exit(run(sets, chosen, arguments.j, folder, arguments.seconds))


main()
