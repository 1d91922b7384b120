#!/usr/bin/env python3
"""Are slow algorithms found that were planted by variables or a rules file, is the program faster by the advice, and
does the promise hold? usage: tune_plants.py SYNCOPATE TUNE_LOOP MPIRUN openmpi|mpich [SECONDS [NAME...]]

Prints a row for each plant; its times in us: now in the trace, now in the proof, and in the benchmark now, now in a row, the candidate, the candidate
in a row. TUNE_LOOP: tests/mpi/tune_loop.c, compiled for this MPI. SECONDS: of a session (60). Ranks: two,
or $RANKS. $KEEP: a directory where answers and runs stay. "equal": groups whose candidates do the same, as another component makes the operations; they should get no advice."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

SYNCOPATE, LOOP, MPIRUN, MPI = sys.argv[1:5]
SECONDS = sys.argv[5] if len(sys.argv) > 5 else "60"
LAUNCHER = [MPIRUN, "-n", os.environ.get("RANKS", "2")]
TUNED = "OMPI_MCA_coll_tuned_"
RULES = "2\n7\n1\n2\n1\n0 6 0 1024\n11\n1\n2\n1\n0 4 0 1024\n"  # Bcast binomial, Reduce binary, in segments of 1 KiB


def variables(**algorithm):
    """Open MPI's algorithm and segment size of each operation."""
    names = {TUNED + "use_dynamic_rules": "1"}
    for op, (number, segment) in algorithm.items():
        names[f"{TUNED}{op}_algorithm"] = str(number)
        names[f"{TUNED}{op}_algorithm_segmentsize"] = str(segment)
    return names


SESSIONS = {  # name: the program's operations, bytes and calls; what is set
    "openmpi": {
        "variables": ("bcast 262144 300 allreduce 262144 200 reduce 262144 200 alltoall 65536 300",
                      variables(bcast=(6, 1024), allreduce=(5, 1024), reduce=(4, 1024), alltoall=(3, 0))),
        "more variables": ("gather 262144 200 bcast 1048576 80 reduce 65536 400 barrier 0 2000",
                           variables(gather=(3, 1024), bcast=(5, 1024), reduce=(3, 1024), barrier=(6, 0))),
        "rules": ("bcast 262144 300 reduce 262144 200", {TUNED + "use_dynamic_rules": "1", TUNED + "dynamic_rules_filename": "plant.rules"}),
        "equal": (" ".join(f"{op} {size} 300" for op in ("bcast", "reduce", "allreduce", "allgather") for size in (64, 1024, 16384)),
                  {"OMPI_MCA_coll_basic_priority": "95", TUNED + "use_dynamic_rules": "1"}),
    },
    "mpich": {
        "variables": ("alltoall 65536 300 bcast 262144 300 allreduce 262144 200 allgather 262144 200",
                      {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": "brucks", "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "scatter_ring_allgather",
                       "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "nb", "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM": "brucks"}),
        "nonblocking": ("gather 1024 2000 scatter 1024 2000 barrier 0 3000 reduce 64 3000",
                        {f"MPIR_CVAR_{op}_INTRA_ALGORITHM": "nb" for op in ("GATHER", "SCATTER", "BARRIER", "REDUCE")}),
    },
}[MPI]


def run(environment, *words):
    done = subprocess.run(words, env=dict(os.environ, **environment), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stdout} {done.stderr}")
    return done.stdout


def median(values):
    return statistics.median([value for value in values if value is not None] or [float("nan")])


def session(name, arguments, environment):
    program = [*LAUNCHER, LOOP, *arguments.split()]
    with open("plant.rules", "w") as file:
        file.write(RULES)
    if f"{TUNED}dynamic_rules_filename" in environment:
        environment = {**environment, f"{TUNED}dynamic_rules_filename": os.path.abspath("plant.rules")}
    run(environment, SYNCOPATE, "record", "-q", "-o", "trace", "--", *program)
    out = json.loads(run(environment, SYNCOPATE, "tune", "--for", SECONDS, "--format", "json", "-o", "settings", "--prove",
                         " ".join(program), "trace", "--", *LAUNCHER))
    if "KEEP" in os.environ:
        kept = os.path.join(os.environ["KEEP"], f"{MPI} {name}")
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(".", kept, symlinks=True)
        with open(os.path.join(kept, "answer.json"), "w") as file:
            json.dump(out, file)
    for group in out["groups"]:
        ratios = [group[key] for key in ("ratio", "ratio_low", "ratio_high")] + [group.get("result")]
        ratio, low, high, result = (float("nan") if value is None else value for value in ratios)
        times = [group["operation_ns"], group["result_now_ns"] or 0, *(median(group[key]) for key in ("now_ns", "now_row_ns", "candidate_ns", "candidate_row_ns"))]
        print(f"| {MPI} {name} | {group['op']} of {group['bytes']} | {group['candidate']} | {group['verdict']} | "
              f"{ratio:.2f} [{low:.2f}, {high:.2f}] | {result:.2f} | "
              + " ".join(f"{ns / 1e3:.1f}" for ns in times) + f" | {group['why'] or ''} |", flush=True)
    print(f"  launches {out['launches']}, run {out.get('run_ratio')}, refused {out['refused']}, wrong {out['wrong']}, broken {out['broken']}")


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    for name in sys.argv[6:] or SESSIONS:
        session(name, *SESSIONS[name])
