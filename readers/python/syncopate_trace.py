"""Traces of syncopate as pandas data frames.

    import syncopate_trace as st
    calls = st.calls("syncopate-trace")          # a row a rank's part in a collective
    groups = st.groups("syncopate-trace")        # a row a call site, communicator and size, with its figures
    causes = st.causes("syncopate-trace")        # what made ranks late
    whole = st.report("syncopate-trace")         # the report's JSON, as it is

The program `syncopate` reads the trace; it must be in PATH, or named by the variable SYNCOPATE_COMMAND. Times are
nanoseconds. What the columns mean: docs/reports.md of syncopate.
"""
import io
import json
import os
import subprocess

import pandas

__version__ = "0.2.0"

# Columns of `export --format csv` that are not 64-bit integers. Those that may be empty have a type with a missing value.
TEXT = ("op", "comm", "site", "phase")
MAY_BE_EMPTY = ("root", "messages_ns", "off_cpu_ns", "wait_messages_ns", "wait_off_cpu_ns", "waiting_ns", "peer", "tag",
                "message_bits")


class TraceError(Exception):
    """What syncopate said of a trace that it could not read, or why the command could not be started."""


def _run(arguments):
    command = [os.environ.get("SYNCOPATE_COMMAND", "syncopate"), *arguments]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except OSError as error:
        raise TraceError(f"the command {command[0]} cannot be started ({error.strerror}): put syncopate into PATH, "
                         "or name it by SYNCOPATE_COMMAND") from None
    if done.returncode > 1:
        raise TraceError(done.stderr.decode(errors="replace").strip())
    return done.stdout.decode()


def calls(trace):
    """Every rank's part in every collective of a trace or an experiment, ordered by rank and start."""
    text = _run(["export", "--format", "csv", str(trace)])
    header = text[: text.index("\n")].split(",")
    types = {}
    for column in header:
        if column in TEXT:
            types[column] = "string"
        elif column in MAY_BE_EMPTY:
            types[column] = "Int64"
        else:
            types[column] = "int64"
    return pandas.read_csv(io.StringIO(text), dtype=types, keep_default_na=False,
                           na_values={column: [""] for column in MAY_BE_EMPTY})


def report(trace, by=None, options=()):
    """The report as `syncopate report --format json` gives it. `by`: keys, such as "op,rank"; `options`: further ones,
    such as ["--class", "data"]."""
    keys = ["--by", by] if by else []
    return json.loads(_run(["report", "--format", "json", *keys, *options, str(trace)]))


def _flat(group):
    """{"completion_ns": {"median": 1}} to {"completion_ns.median": 1}; lists and deeper levels are left out."""
    row = {}
    for key, value in group.items():
        if isinstance(value, dict):
            row.update({f"{key}.{name}": one for name, one in value.items() if not isinstance(one, (dict, list))})
        elif not isinstance(value, list):
            row[key] = value
    return row


def groups(trace, by=None, options=()):
    """A row a group, largest time first: its keys, and figures such as completion_ns.median, wait.share."""
    return pandas.DataFrame([_flat(group) for group in report(trace, by, options)["groups"]])


def causes(trace, options=()):
    """A row a cause of waiting, of all runs: kind, pattern, ranks, from, to, waiting_ns, share, excess_ns.median, ..."""
    rows = []
    for run in report(trace, None, options)["runs"]:
        for cause in run.get("causes") or []:
            rows.append({"run": run["run"], "ranks": cause.get("ranks"), **_flat(cause)})
    return pandas.DataFrame(rows)


def efficiency(trace, options=()):
    """A row a run: parallel efficiency and its factors."""
    return pandas.DataFrame([{"run": run["run"], **(run.get("efficiency") or {})}
                             for run in report(trace, None, options)["runs"]])


def ranks(trace, by=None, options=()):
    """A row a group and rank: median time inside, how often it came last, waiting, waiting caused."""
    rows = []
    for group in report(trace, by, options)["groups"]:
        keys = {key: group.get(key) for key in ("op", "site", "comm", "bytes")}
        rows += [{**keys, **one} for one in group["ranks"]["per_rank"]]
    return pandas.DataFrame(rows)
