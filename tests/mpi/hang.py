#!/usr/bin/env python3
"""Planted hangs and disagreements are found: the ranks, the place, the state; right programs are not accused.

Plants (plants.c) run side by side, each on ranks of its own. All are looked at live, once all ranks stand where they hang, then
killed and looked at dead.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.environ["SYNCOPATE"]
COMMAND = os.path.join(os.path.dirname(LIBRARY), "../bin/syncopate")
# A wait is too long from here on; how long plants hang before they are looked at.
AFTER, HANGING = "0.5", 0.8

# name, ranks, and what is to be found. ROOTS: who is waited for and waits for nobody; STATE of the first of them, AT: its place;
# WAITS: the call that others wait in, IN: its place; CYCLE: in order; LOST: the run is stuck. KIND, FEW, SHIFT: a disagreement. SAYS: words of the page.
HANGS = [
    ("late", 4, dict(roots=[2], state="outside", at="rounds", waits="MPI_Barrier", waits_at="late")),
    ("computing", 3, dict(roots=[1], state="outside", at="rounds", waits="MPI_Allreduce", waits_at="computing")),
    ("skipped", 3, dict(roots=[2], state="outside", at="rounds", waits="MPI_Allgather", waits_at="skipped")),
    ("root_late", 3, dict(roots=[0], state="outside", at="rounds", waits="MPI_Bcast", waits_at="root_late")),
    ("scatter_late", 3, dict(roots=[1], state="outside", waits="MPI_Scatter", waits_at="scatter_late")),
    ("gather_late", 3, dict(roots=[2], state="outside", at="rounds", waits="MPI_Gather", waits_at="gather_late")),
    ("reduce_late", 3, dict(roots=[1], state="outside", at="rounds", waits="MPI_Reduce", waits_at="reduce_late")),
    ("alltoall_late", 3, dict(roots=[0], state="outside", waits="MPI_Alltoall", waits_at="alltoall_late")),
    ("nonblocking", 3, dict(roots=[1], state="outside", at="rounds", waits="MPI_Iallreduce", waits_at="nonblocking_wait")),
    ("split", 3, dict(roots=[1], state="outside", at="rounds", waits="MPI_Comm_split", waits_at="split")),
    ("duplicate", 3, dict(roots=[2], state="outside", waits="MPI_Comm_dup", waits_at="duplicate")),
    ("window", 3, dict(roots=[1], state="outside", waits="MPI_Win_fence", waits_at="window")),
    ("stopped", 3, dict(roots=[1], state="outside", at="rounds", waits="MPI_Barrier", waits_at="stopped", process="stopped")),
    ("chain", 4, dict(roots=[3], state="outside", waits="MPI_Barrier", waits_at="chain", also=[1, 2])),
    ("message_chain", 4, dict(roots=[3], state="outside", waits="MPI_Recv", waits_at="message_chain", also=[1, 2])),
    ("probe", 2, dict(roots=[1], state="outside", waits="MPI_Probe", waits_at="probe")),
    ("anybody", 3, dict(roots=[1, 2], state="outside", waits="MPI_Recv", waits_at="anybody")),
    ("thread", 3, dict(roots=[1], state="outside", waits="MPI_Barrier", waits_at="thread_barrier")),
    ("crossed", 3, dict(cycle=[0, 1], waits="MPI_Barrier", waits_at="crossed", lost=True)),
    ("ring", 4, dict(cycle=[0, 1, 2, 3], waits="MPI_Recv", waits_at="ring", lost=True)),
    ("head_to_head", 3, dict(cycle=[0, 1], waits="MPI_Ssend", waits_at="head_to_head", lost=True)),
    ("large_sends", 2, dict(cycle=[0, 1], waits="MPI_Send", waits_at="large_sends", lost=True)),
    ("tags", 2, dict(cycle=[0, 1], waits="MPI_Recv", waits_at="tags_recv", lost=True)),
    ("itself", 2, dict(cycle=[1], waits="MPI_Recv", waits_at="itself", lost=True)),
    ("exchange", 3, dict(cycle=[0, 1, 2], waits="MPI_Sendrecv_replace", waits_at="exchange", lost=True)),
    ("nobody_sends", 3, dict(cycle=[0, 1], waits="MPI_Recv", waits_at="nobody_sends_worker", lost=True)),
    ("collective_and_message", 3, dict(cycle=[0, 1], waits="MPI_Barrier", waits_at="collective_and_message_barrier", lost=True)),
    ("operation", 3, dict(kind="operation", few=[2], site="operation", others="operation_others")),
    ("root", 3, dict(kind="root", few=[1], site="root", others="root", what="root 1")),
    ("reduction", 3, dict(kind="reduction", few=[2], site="reduction", others="reduction", what="MPI_MAX")),
    ("type", 3, dict(kind="type", few=[1], site="type", others="type")),
    ("equal_parts", 4, dict(kind="reduction", few=[1, 3], site="equal_parts", others="equal_parts", what="MPI_MAX")),
    ("one_less", 4, dict(kind="order", few=[2], site="one_less", others="one_less", shift=-1, sequence=24)),
    ("one_more", 3, dict(kind="order", few=[1], site="one_more", others="one_more", shift=1, sequence=15)),
    ("blocking_and_not", 3, dict(kind="operation", few=[1], site="blocking_and_not", others="blocking_and_not_others")),
    ("waitall", 2, dict(roots=[1], waits="MPI_Waitall", waits_at="waitall")),
    ("persistent", 2, dict(roots=[1], waits="MPI_Wait", waits_at="persistent")),
    ("waitall_ring", 3, dict(cycle=[0, 1, 2], waits="MPI_Waitall", waits_at="waitall_ring", lost=True)),
    ("wait_turn", 3, dict(cycle=[0, 1], waits="MPI_Waitany", waits_at="wait_turn", lost=True)),
    ("wait_and_send", 2, dict(cycle=[0, 1], waits="MPI_Wait", waits_at="wait_and_send", lost=True)),
    ("wait_issend", 3, dict(cycle=[0, 1, 2], waits="MPI_Wait", waits_at="wait_issend", lost=True)),
    ("ahead", 3, dict(cycle=[], waits="MPI_Waitall", waits_at="ahead", lost=False)),
    ("halo", 4, dict(roots=[2], state="outside", cycle=[], waits="MPI_Waitall", waits_at="halo", lost=False)),
    ("own_elements", 4, dict(kind="operation", few=[3], site="own_elements_barrier", others="own_elements")),
    ("below", 6, dict(kind="reduction", few=[4], site="below", others="below", what="MPI_PROD")),
]
# Plants that concern the whole run, or end it; ENDS: by themselves, under some MPIs.
WORLDS = [
    ("bytes", 3, dict(kind="bytes", few=[0], site="bytes", others="bytes_others", what="8 B", ends=True)),
    ("all_finalize_early", 3, dict(roots=[2], state="finalize", waits="MPI_Barrier", waits_at="all_finalize_early", lost=True)),
    ("all_finalize_late", 3, dict(roots=[1], state="outside", at="rounds", waits="MPI_Finalize")),
    ("all_but_one_exits", 3, dict(roots=[1], state="dead", at="rounds", waits="MPI_Barrier", waits_at="all_but_one_exits", ends=True)),
    ("all_but_one_crashes", 3, dict(roots=[2], state="dead", at="rounds", waits="MPI_Barrier", waits_at="all_but_one_crashes", ends=True)),
    ("all_but_one_errs", 3, dict(kind="root", few=[1], site="all_but_one_errs", others="all_but_one_errs", what="root 3", ends=True)),
    ("all_but_one_refuses", 3, dict(state="dead", at="all_but_one_refuses", kind="root", few=[1], site="all_but_one_refuses",
                                    others="all_but_one_refuses", what="root 3", ends=True,
                                    says="rank 1: has ended without MPI_Finalize, in MPI_Bcast #30 on MPI_COMM_WORLD at plants.c")),
    ("all_late", 3, dict(roots=[1], state="outside", at="rounds", waits="MPI_Barrier", waits_at="all_late")),
    ("all_late", 3, dict(roots=[1], state="outside", at="rounds", waits="MPI_Barrier", waits_at="all_late", kill=signal.SIGKILL)),
    ("all_quit_report", 3, dict(roots=[1, 2], state="finalize", waits="MPI_Allreduce", waits_at="quit_report", lost=True)),
    ("all_read_error", 4, dict(roots=[0, 2, 3], state="collective", at="read_error", waits="MPI_Barrier", waits_at="read_error_barrier",
                               says="; rank 1 has returned from it")),
    ("all_late", 3, dict(roots=[], unknown=[1], lose=1)),
]
# Plants in other languages, each under a launcher of its own: the program, then as above.
FORTRAN = [
    ("late", 3, dict(roots=[1], state="outside", at="fortran_rounds", waits="MPI_Allreduce", waits_at="fortran_late")),
    ("ring", 3, dict(cycle=[0, 1, 2], waits="MPI_Recv", waits_at="fortran_ring", lost=True)),
    ("reduction", 4, dict(kind="reduction", few=[2], site="fortran_minloc", others="fortran_maxloc", what="MPI_MINLOC")),
    ("root", 3, dict(kind="root", few=[1], site="fortran_root", others="fortran_root", what="root 1")),
]
PYTHON = [
    ("exception", 3, dict(roots=[1], state="finalize", waits="MPI_Allreduce", lost=True)),
    ("pickled", 3, dict(roots=[0], state="outside", waits="MPI_Bcast")),
]
# A root beside them would be told first, or they would wait for ranks of other plants, too.
ALONE = ("crossed", "exchange", "nobody_sends", "large_sends", "waitall", "persistent")
# These run with events of messages.
EVENTS = ("waitall_ring", "wait_turn", "wait_and_send", "wait_issend", "ahead", "halo")
RIGHT = [("right_sizes", 4), ("right_rounds", 2)]


def places():
    """LABEL: "FILE:LINE FUNCTION" of each marker."""
    found, function = {}, None
    for name in ("plants.c", "plants_fortran.F90"):
        with open(os.path.join(HERE, name)) as source:
            for number, line in enumerate(source, 1):
                start = re.match(r"PLANT\((\w+)\)|static .*?\**(\w+)\(.*\)$|  subroutine (\w+)\(\)$", line)
                if start:
                    function = start.group(1) or start.group(2) or "plants::" + start.group(3)
                label = re.search(r"at: (\w+)( \*/)?$", line)
                if label:
                    found[label.group(1)] = f"{name}:{number} {function}"
    return found


class Faults:
    def __init__(self):
        self.count = 0

    def check(self, text, truth, shown):
        print(f"{'ok' if truth else 'FAILED'}: {text}")
        if not truth:
            self.count += 1
            print("    " + json.dumps(shown)[:1500])


def is_stopped(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "T"
    except OSError:
        return False


class Run:
    """Plants under one launcher, recorded. `program`: of other plants than those of plants.c."""

    def __init__(self, work, plants, program=None):
        self.plants, self.work = plants, tempfile.mkdtemp(dir=work)
        self.trace, self.stood = os.path.join(self.work, "trace"), os.path.join(self.work, "ready")
        os.mkdir(self.stood)
        self.ranks = sum(ranks for _, ranks, *_ in plants)
        environment = dict(os.environ, LD_PRELOAD=(os.environ.get("ASAN", "") + " " + LIBRARY).strip(), SYNCOPATE_OUTPUT=self.trace,
                           SYNCOPATE_QUIET="1", SYNCOPATE_TEST_READY=self.stood,
                           SYNCOPATE_MESSAGES="events" if plants[0][0] in EVENTS else "sums")
        preload = environment.pop("LD_PRELOAD")
        if plants[0][0] == "ahead":  # else Open MPI's receiver copies the long message by itself; with this it makes no windows
            environment.update(OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_smsc="^cma,knem,xpmem")
        self.process = subprocess.Popen(
            [os.environ["MPIRUN"], "-n", str(self.ranks), "env", "LD_PRELOAD=" + preload] +
            (program or [os.path.join(os.environ["PROGRAMS"], "plants")]) +
            [f"{name}:{ranks}" for name, ranks, *_ in plants],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def wait_until_ready(self, ranks=None):
        end = time.monotonic() + 60
        while len(os.listdir(self.stood)) < (ranks or self.ranks) and time.monotonic() < end and self.process.poll() is None:
            time.sleep(0.05)
        return len(os.listdir(self.stood))

    def pids(self):
        """Processes that have a raw file of the trace mapped: not those that have written their own file. (The launcher ends these, and a rank that it
        ends first notes no time.)"""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/maps") as maps:
                    if any(self.trace in line and not line.endswith("(deleted)\n") for line in maps):
                        found.append(int(pid))
            except OSError:
                pass
        return found

    def kill(self, number):
        """SIGTERM as a scheduler sends it; SIGKILL all at once. A stopped rank has its signal first: the launcher lets it go on as soon
        as another one has died."""
        pids = sorted(self.pids(), key=lambda pid: not is_stopped(pid))
        for pid, sent in [(pid, signal.SIGSTOP) for pid in pids if number == signal.SIGKILL] + [(pid, number) for pid in pids]:
            try:
                os.kill(pid, sent)
            except OSError:
                pass
        self.end()

    def ends_within(self, seconds):
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self):
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except OSError:
            pass
        self.process.wait()
        end = time.monotonic() + 20
        while self.pids() and time.monotonic() < end:
            time.sleep(0.05)
        self.kill_left()

    def kill_left(self):
        """A launcher may end before its ranks: MPICH's 4.2 does where all ranks but one have ended with an error."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as environment:
                    if f"SYNCOPATE_OUTPUT={self.trace}".encode() in environment.read().split(b"\0"):
                        os.kill(int(pid), signal.SIGKILL)
            except OSError:
                pass


def let_hang():
    """Sleeps as long as plants hang before they are looked at; anew where the machine stood still meanwhile, as its ranks then did."""
    begun = before = time.monotonic()
    end = begun + 30
    while before - begun < HANGING and before < end:
        time.sleep(0.05)
        now = time.monotonic()
        begun, before = (now if now - before > 0.2 else begun), now


def hang(trace, *options):
    done = subprocess.run([COMMAND, "hang", "--format", "json", "--after", AFTER, *options, trace], capture_output=True, text=True)
    try:
        return done.returncode, json.loads(done.stdout), done.stderr
    except json.JSONDecodeError:
        return done.returncode, {}, done.stderr


def of_plant(page, first, ranks):
    """What a page says of the ranks of one plant, numbered from 0."""
    own = range(first, first + ranks)
    told = page.get("hang") or {}
    return dict(
        state=told.get("state"),
        waiting=[dict(wait, ranks=[rank - first for rank in wait["ranks"]]) for wait in told.get("waiting", []) if
                 set(wait["ranks"]) & set(own)],
        absent=[dict(one, rank=one["rank"] - first) for one in told.get("absent", []) if one["rank"] in own],
        cycle=[rank - first for rank in told.get("cycle") or [] if rank in own],
        unknown=[rank - first for rank in told.get("unknown", []) if rank in own],
        mismatches=[dict(one, ranks=[rank - first for rank in one["ranks"]]) for one in page.get("mismatches", []) if
                    set(one["ranks"]) & set(own)])


def judge(faults, title, told, wanted, places, live):
    roots = [one["rank"] for one in told["absent"] if one["root"]]
    if "roots" in wanted:
        faults.check(f"{title}: waited for {wanted['roots']}", roots == wanted["roots"], told)
    first = next((one for one in told["absent"] if one["root"]), {})
    if "state" in wanted:
        faults.check(f"{title}: it is {wanted['state']}", first.get("state") == wanted["state"], told)
    if "at" in wanted:
        faults.check(f"{title}: since {places[wanted['at']]}", first.get("site") == places[wanted["at"]], told)
    if "process" in wanted and live:
        faults.check(f"{title}: it is {wanted['process']}", first.get("process") == wanted["process"], told)
    if "waits" in wanted:
        waits = [one for one in told["waiting"] if one["op"] == wanted["waits"] and
                 one["site"] == places.get(wanted.get("waits_at"), one["site"])]
        faults.check(f"{title}: others wait in {wanted['waits']}", len(waits) == 1, told)
    if "also" in wanted:
        also = [one["rank"] for one in told["absent"] if not one["root"]]
        faults.check(f"{title}: {wanted['also']} wait and are waited for", also == wanted["also"], told)
    if "cycle" in wanted:
        faults.check(f"{title}: a circle {wanted['cycle']}", told["cycle"] == wanted["cycle"], told)
        faults.check(f"{title}: no root in a circle", not [rank for rank in roots if rank in wanted["cycle"]], told)
    if "lost" in wanted:
        faults.check(f"{title}: {'' if wanted['lost'] else 'not '}stuck", (told["state"] == "stuck") == wanted["lost"], told)
    if "unknown" in wanted:
        faults.check(f"{title}: {wanted['unknown']} unknown", told["unknown"] == wanted["unknown"], told)
    if "kind" in wanted:
        one = told["mismatches"][0] if told["mismatches"] else {}
        kind = (one.get("kind"), one.get("ranks"), one.get("site"), one.get("others_site"))
        faults.check(f"{title}: {wanted['kind']} of {wanted['few']}",
                     kind == (wanted["kind"], wanted["few"], places[wanted["site"]], places[wanted["others"]]) and
                     one.get("what") == wanted.get("what", one.get("what")) and one.get("shift") == wanted.get("shift") and
                     one.get("sequence") == wanted.get("sequence", one.get("sequence")), told)
    else:
        faults.check(f"{title}: nobody accused of another call", not told["mismatches"], told)


def batches():
    """Plants that run side by side, with one circle each: of a run one circle is told."""
    others = [plant for plant in HANGS if "cycle" not in plant[2] and plant[0] not in ALONE + EVENTS]
    circles = [plant for plant in HANGS if "cycle" in plant[2] and plant[0] not in ALONE + EVENTS]
    count = max(len(circles), -(-len(others) // 5))
    return [circles[at:at + 1] + others[at::count] for at in range(count)] + [[plant] for plant in HANGS if plant[0] in ALONE + EVENTS]


def try_together(faults, work, plants, places, program=None):
    """Plants side by side: live, then killed."""
    run = Run(work, plants, program)
    stood = run.wait_until_ready()
    faults.check(f"{stood} of {run.ranks} ranks stand", stood == run.ranks, [])
    let_hang()
    live = hang(run.trace)
    run.kill(signal.SIGTERM)
    dead = hang(run.trace)
    for (status, page, said), when in ((live, "live"), (dead, "dead")):
        first = 0
        faults.check(f"{when}: exit status 1", status == 1, [status, said, page])
        for name, ranks, wanted in plants:
            if name == "stopped" and when == "dead" and os.path.exists(os.path.join(run.stood, "continued")):
                print("skipped: stopped (dead): this launcher lets a stopped rank go on before it ends it")
            else:
                judge(faults, f"{name} ({when})", of_plant(page, first, ranks), wanted, places, when == "live")
            first += ranks


def try_world(faults, work, plant, places):
    name, ranks, wanted = plant
    run = Run(work, [plant])
    run.wait_until_ready()
    if not wanted.get("ends") or not run.ends_within(4):
        let_hang()
        run.kill(wanted.get("kill", signal.SIGTERM))
    run.end()
    if name == "all_read_error" and run.process.returncode == 0:
        print("skipped: all_read_error: this MPI returns the error to all ranks: the run ends")
        return
    if "lose" in wanted:
        for kind in ("raw", "syn.part"):
            os.remove(os.path.join(run.trace, f"rank-{wanted['lose']:06d}.{kind}"))
    status, page, said = hang(run.trace)
    if "unknown" not in wanted and wanted.get("kill") != signal.SIGKILL:
        faults.check(f"{name}: exit status 1", status == 1, [status, said, page])
    judge(faults, name, of_plant(page, 0, ranks), wanted, places, False)
    if "says" in wanted:
        text = subprocess.run([COMMAND, "hang", run.trace], capture_output=True, text=True).stdout
        faults.check(f"{name}: {wanted['says']}", wanted["says"] in " ".join(text.split()), text)
    if name == "all_late" and "lose" not in wanted:
        subprocess.run([COMMAND, "recover", run.trace], capture_output=True)
        faults.check(f"{name}: recovered, it says the same", hang(run.trace)[1] == page, page)


def has_mpi4py():
    """Is there an mpi4py of the MPI that runs?"""
    found = subprocess.run([os.environ["MPIRUN"], "-n", "1", "/usr/bin/python3", "-c", "from mpi4py import MPI; print(MPI.Get_library_version())"],
                           capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    return {"openmpi": "Open MPI", "mpich": "MPICH"}[os.environ["MPI"]] in found


def try_languages(faults, work, places):
    for binding in ("mpifh", "f08"):
        program = os.path.join(os.environ["PROGRAMS"], "plants_" + binding)
        if os.path.exists(program):
            for plant in FORTRAN:
                try_together(faults, work, [plant], places, [program])
    if has_mpi4py():
        for plant in PYTHON:
            try_together(faults, work, [plant], places, ["/usr/bin/python3", os.path.join(HERE, "plants.py")])
    else:
        print("skipped: plants of mpi4py: there is none of this MPI")


def try_right(faults, work, plant):
    name, ranks = plant
    run = Run(work, [(name, ranks)])
    run.wait_until_ready()
    status, page, said = hang(run.trace)
    told = page.get("hang") or {}
    faults.check(f"{name}: no disagreement", page.get("mismatches") == [], [page, said])
    if name == "right_rounds":
        faults.check(f"{name}: progressing, exit status 0", status == 0 and told.get("state") == "progressing", [status, page, said])
    run.kill(signal.SIGTERM)


def main():
    wished = sys.argv[1:]
    work = tempfile.mkdtemp()
    faults, where = Faults(), places()
    try:
        if wished:
            for plant in HANGS + WORLDS:
                if plant[0] in wished:
                    (try_world if plant in WORLDS else lambda f, w, p, x: try_together(f, w, [p], x))(faults, work, plant, where)
        else:
            for plants in batches():
                try_together(faults, work, plants, where)
            try_languages(faults, work, where)
            for plant in WORLDS:
                try_world(faults, work, plant, where)
            for plant in RIGHT:
                try_right(faults, work, plant)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{faults.count} faults")
    sys.exit(1 if faults.count else 0)


if __name__ == "__main__":
    main()
