#!/usr/bin/env python3
"""Faults are planted by a library (tune_faults.c): one algorithm is 10 ms slower, one has wrong results, one ends the program, one
is slow in the first calls of a row alone, and messages hold their senders. The slow one is in force, by a variable or by a rules file.
It is judged where other programs left the processors to the test, or the answer is right all the same: what they took is measured."""
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

MPI, MPIRUN, PROGRAMS = os.environ["MPI"], os.environ["MPIRUN"], os.environ["PROGRAMS"]
COMMAND = os.path.join(os.path.dirname(os.environ["SYNCOPATE"]), "../bin/syncopate")
SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/schema/tune.schema.json")
TAKEN_MOST = 0.1  # of two processors, by others
FAULTS = os.path.join(PROGRAMS, "tune_faults.so")
SLOW, WRONG, END, NONE = 3, 1, 2, -2  # values of the variable
TUNED = "OMPI_MCA_coll_tuned_"
PLANTS = {  # name: what is set, words of what is to be written, and what is wrong, and what ends the program
    "openmpi": [("variable", {TUNED + "use_dynamic_rules": "1", TUNED + "bcast_algorithm": str(SLOW)}, "settings.rules",
                 "basic_linear of MPI_Bcast", "chain of MPI_Bcast"),
                ("rules file", {TUNED + "use_dynamic_rules": "1", TUNED + "dynamic_rules_filename": "plant"}, "settings.rules",
                 "basic_linear of MPI_Bcast", "chain of MPI_Bcast")],
    "mpich": [("variable", {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "smp"}, "MPIR_CVAR_BCAST_INTRA_ALGORITHM=", "binomial of MPI_Bcast",
               "nb of MPI_Bcast")],
}
COLD = {  # one as fast as the MPI's own choice: what is set, and the value of the variable
    "openmpi": ({TUNED + "use_dynamic_rules": "1", TUNED + "bcast_algorithm": "3"}, 3),
    "mpich": ({"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomial"}, 1),
}
RULES = f"1\n7\n1\n2\n1\n0 {SLOW} 0 0\n"
failed = False


def check(text, holds, more=""):
    global failed
    failed |= not holds
    print("ok:" if holds else "FAILED:", text, "" if holds else more)


def reap():
    """Ends what a killed launcher has left, and waits for it: it becomes this process's child, and its time this test's own."""
    left = pathlib.Path(f"/proc/self/task/{os.getpid()}/children")
    while left.read_text():
        child = int(left.read_text().split()[0])
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def busy_s():
    """Processor time: of the machine, and of this test's own descendants that have ended."""
    reap()
    with open("/proc/stat") as file:
        words = file.readline().split()[1:]
    machine = sum(int(word) for word in words[:8]) - int(words[3]) - int(words[4])
    times = os.times()
    return machine / os.sysconf("SC_CLK_TCK"), times.children_user + times.children_system


def run(environment, *words, cwd):
    """Returns exit status, output, the last line of errors, and the share of two processors that others had."""
    before, begun = busy_s(), time.monotonic()
    done = subprocess.run(words, env=dict(os.environ, **environment), cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    after, seconds = busy_s(), time.monotonic() - begun
    others = (after[0] - before[0] - after[1] + before[1]) / seconds / 2
    return done.returncode, done.stdout, done.stderr.strip().rpartition("\n")[2], others


def planted(directory, name, environment, written, wrong, ends):
    with open(os.path.join(directory, "plant"), "w") as file:
        file.write(RULES)
    if f"{TUNED}dynamic_rules_filename" in environment:
        environment = {**environment, f"{TUNED}dynamic_rules_filename": os.path.join(directory, "plant")}
    launcher = [MPIRUN, "-n", "2", "env", f"LD_PRELOAD={FAULTS}"]
    program = [*launcher, os.path.join(PROGRAMS, "tune_loop"), "bcast", "4096", "30"]
    environment = {**environment, "TUNE_FAULTS": f"{SLOW} {WRONG} {END} {NONE}"}
    status, _, words, _ = run(environment, COMMAND, "record", "-q", "-o", "trace", "--", *program, cwd=directory)
    check(f"{name}: recorded", status == 0, words)
    status, out, words, others = run(environment, COMMAND, "tune", "--for", "5", "--format", "json", "-o", "settings", "--prove",
                                     " ".join(program), "trace", "--", *launcher, cwd=directory)
    check(f"{name}: tuned", status == 0, words)
    if status != 0:
        return
    answer = json.loads(out)
    group = answer["groups"][0]
    with open(SCHEMA) as file:
        schema = json.load(file)
    known = set(schema["properties"]) | set(schema["$defs"]["tune_group"]["properties"])
    check(f"{name}: the schema has all keys", set(answer) | set(group) <= known, out)
    for text, key, truth in ("what is wrong", "wrong", wrong), ("what ends the program", "broken", ends):
        if not answer[key] and others > TAKEN_MOST:
            print(f"skipped: {name}: whether {text} is named, as other programs had {100 * others:.0f} % of the processors")
        else:
            check(f"{name}: {text} is named", answer[key] == [truth], out)
    found = group["verdict"] == "better" and group["ratio_high"] < 1
    if not found and others > TAKEN_MOST:
        print(f"skipped: {name}: whether the slow algorithm is found, as other programs had {100 * others:.0f} % of the processors")
        return
    check(f"{name}: the slow algorithm is found", found, out)
    with open(os.path.join(directory, "settings")) as file:
        settings = file.read()
    check(f"{name}: what is to be set is written", written in settings and "export" in settings, settings)
    if others > TAKEN_MOST and not group["result"] < 1:
        print(f"skipped: {name}: whether the program is faster, as other programs had {100 * others:.0f} % of the processors")
    else:
        check(f"{name}: the program is faster", group["result"] < 1, out)


def cold(directory, environment, value):
    """The program calls in a row: there the algorithm in force is as fast as the others, and in the benchmark's single calls slow. One
    that calls in a row show to be faster in every launch may be advised: the machine had two speeds."""
    launcher = [MPIRUN, "-n", "2", "env", f"LD_PRELOAD={FAULTS}"]
    environment = {**environment, "TUNE_FAULTS": f"{NONE} {NONE} {NONE} {value}"}
    status, _, words, _ = run(environment, COMMAND, "record", "-q", "-o", "cold", "--", *launcher, os.path.join(PROGRAMS, "tune_loop"),
                              "bcast", "4096", "3000", cwd=directory)
    check("cold: recorded", status == 0, words)
    status, out, words, others = run(environment, COMMAND, "tune", "--for", "10", "--format", "json", "cold", "--", *launcher, cwd=directory)
    check("cold: tuned", status == 0, words)
    for group in json.loads(out)["groups"] if status == 0 else []:
        promised = group["verdict"] == "better" or (group["ratio_high"] or 1) < 1
        if promised and others > TAKEN_MOST:
            print(f"skipped: cold: whether there is no advice, as other programs had {100 * others:.0f} % of the processors")
        else:
            shown = promised and max(group["candidate_row_ns"]) < min(group["now_row_ns"])
            check("cold: single calls make no advice for calls in a row", shown or not promised, out)


def late(directory):
    """Over slow links a tree is faster if all ranks come together; if an inner one of it is late, the root had better send to all."""
    launcher = [MPIRUN, "-n", "4", "env", f"LD_PRELOAD={FAULTS}"]
    linear, tree, names = {"openmpi": (1, 6, ("basic_linear", "binomial")), "mpich": (2, 1, ("nb", "binomial"))}[MPI]
    environment = {"TUNE_LINKS": f"{linear} {tree}", "TUNE_LATE_NS": "8000000"}
    status, _, words, _ = run(environment, COMMAND, "record", "-q", "-o", "late", "--", *launcher, os.path.join(PROGRAMS, "tune_loop"),
                              "bcast", "1024", "30", cwd=directory)
    check("late: recorded", status == 0, words)
    for arrivals, name in zip(("recorded", "even"), names):
        status, out, words, others = run(environment, COMMAND, "tune", "--for", "5", "--arrivals", arrivals, "--format", "json", "late",
                                         "--", *launcher, cwd=directory)
        check(f"late: tuned with {arrivals} arrivals", status == 0, words)
        found = [group["candidate"] for group in json.loads(out)["groups"] if group["op"] == "MPI_Bcast"] if status == 0 else []
        if found != [name] and others > TAKEN_MOST:
            print(f"skipped: late: what is best with {arrivals} arrivals, as other programs had {100 * others:.0f} % of the processors")
        else:
            check(f"late: with {arrivals} arrivals {name} is best", found == [name], out)


def refused(directory):
    """Bad input is a line and exit status 2; an MPI whose algorithms cannot be chosen is told as that."""
    for text, launcher, words in [
            ("another number of ranks", [MPIRUN, "-n", "1"], "the launcher starts 1 rank, and the trace has 2"),
            ("a launcher that is not there", ["/no-such-launcher"], "no-such-launcher"),
    ]:
        status, out, said, _ = run({}, COMMAND, "tune", "trace", "--", *launcher, cwd=directory)
        check(f"{text}: said", status == 2 and words in said and not out, f"{status} {said} {out}")
    if MPI == "openmpi":
        status, out, said, _ = run({"OMPI_MCA_coll": "^tuned"}, COMMAND, "tune", "trace", "--", MPIRUN, "-n", "2", cwd=directory)
        check("without the component that has the algorithms: said", status == 0 and "the MPI offers no choice" in out, said + out)


ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
with tempfile.TemporaryDirectory() as top:
    for case in PLANTS.get(MPI, []):
        planted(top, *case)
    if MPI in PLANTS:
        cold(top, *COLD[MPI])
        late(top)
        refused(top)
    else:
        print(f"skipped: nothing is known of the algorithms of {MPI}")
sys.exit(failed)
