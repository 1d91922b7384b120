"""What other programs read of report, diff and info: JSON against the schemas of docs/schema, JUnit's XML, annotations,
Markdown.

    ci_formats.py SYNCOPATE SCHEMAS      in the directory of the traces of golden_traces.sh

Exit status 77 where Python's jsonschema is missing and all else is well.
"""

import copy
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

try:
    import jsonschema
except ImportError:
    jsonschema = None

failed = False


def expect(what, condition, seen=""):
    global failed
    if not condition:
        print("FAILED: %s %s" % (what, seen))
        failed = True


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.returncode, done.stdout


TRACES = ("basic few many split blurred unknown nothing alone warming jumping places experiment lacking cut killed threads "
          "segments displaced slow_clock hung").split()
DIFFS = (["side_a", "--", "side_b"], ["--quantiles", "0.5,0.9", "side_a", "--", "side_b"], ["side_a/run-0001", "--", "side_b/run-0001"],
         ["--by", "op,rank", "side_a", "--", "side_c"], ["alone", "basic"], ["few", "--", "slowed"], ["--aa", "same", "--", "again"],
         ["basic", "--", "displaced"], ["segments", "--", "slow_clock"])


# ---- JSON ----

def check_json(syncopate, schemas):
    commands = {"report": [[trace] for trace in TRACES] + [["--by", "rank", "split"], ["--by", "stack", "few"], ["--by", "run", "experiment"],
                                                         ["--by", "segment", "segments"], ["--by", "segment,rank", "basic"],
                                                         ["--by", "time", "experiment"], ["--by", "time,rank", "few"]],
                "diff": DIFFS, "info": [[trace] for trace in TRACES], "hang": [["basic"], ["few"], ["hung"]],
                "info --rules": [[trace] for trace in ("basic", "few", "experiment", "lacking", "nothing")]}
    for name, all_arguments in commands.items():
        schema = whole(schemas, name.replace(" --", "-") + ".schema.json")
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(closed(schema))
        for arguments in all_arguments:
            status, text = run([syncopate, *name.split(), "--format", "json"] + arguments)
            fault = next(validator.iter_errors(json.loads(text)), None)
            expect("%s %s fits its schema:" % (name, " ".join(arguments)), status == (name == "hang" and "hung" in arguments) and fault is None,
                   "%s at %s" % (fault.message, list(fault.path)) if fault else "")
            check_that_it_bites(validator, json.loads(text), name)


def whole(schemas, name):
    """A schema with the definitions of the file that it refers to."""
    with open(os.path.join(schemas, name)) as file:
        text = file.read()
    schema = json.loads(re.sub(r'"\$ref": "[a-z]+\.schema\.json#', '"$ref": "#', text))
    for other in set(re.findall(r'"\$ref": "([a-z]+\.schema\.json)#', text)):
        schema.setdefault("$defs", {}).update(whole(schemas, other)["$defs"])
    return schema


def closed(schema):
    """The same schema where keys that it does not list are wrong, too: what is written is described."""
    if isinstance(schema, dict):
        schema = {key: closed(value) for key, value in schema.items()}
        if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
            schema.setdefault("additionalProperties", False)
        return schema
    return [closed(item) for item in schema] if isinstance(schema, list) else schema


def check_that_it_bites(validator, document, name):
    """A key that goes, or that becomes something else, is noticed."""
    broken = copy.deepcopy(document)
    del broken["schema"]
    expect("%s: a key that is gone is seen" % name, not validator.is_valid(broken))
    broken = copy.deepcopy(document)
    broken["new"] = 0
    expect("%s: a key that is not listed is seen" % name, not validator.is_valid(broken))
    broken = copy.deepcopy(document)
    broken["schema"] = 2
    expect("%s: another schema is seen" % name, not validator.is_valid(broken))
    if broken.get("groups"):
        broken = copy.deepcopy(document)
        broken["groups"][0]["instances" if "instances" in broken["groups"][0] else "verdict"] = {}
        expect("%s: another type is seen" % name, not validator.is_valid(broken))


# ---- JUnit ----

def check_junit(text, outcomes):
    """outcomes: of each verdict what becomes of it, and how many groups have it."""
    suites = xml.etree.ElementTree.fromstring(text)
    expect("testsuites hold testsuites", suites.tag == "testsuites" and all(suite.tag == "testsuite" for suite in suites))
    for suite in suites:
        cases = suite.findall("testcase")
        expect("only test cases", len(cases) == len(suite))
        for what, tag in (("failures", "failure"), ("skipped", "skipped")):
            expect("%s are counted" % what, int(suite.get(what)) == sum(case.find(tag) is not None for case in cases))
        expect("tests are counted", int(suite.get("tests")) == len(cases) and suite.get("errors") == "0")
        expect("cases have names", all(case.get("name") and case.get("classname") for case in cases))
        expect("what failed says why", all(fault.get("message") for fault in suite.iter("failure")))
    for what, count in outcomes.items():
        expect("%s of the groups" % what, sum(1 for _ in suites.iter(what)) == count, text)


def check_ci(syncopate):
    for arguments in DIFFS:
        found = json.loads(run([syncopate, "diff", "--format", "json", "--metric", "operation"] + arguments)[1])
        slower = sum(group["verdict"] == "slower" for group in found["groups"])
        few = sum(group["verdict"] == "too few runs" for group in found["groups"])
        nothing = few == len(found["groups"])  # none, or none with runs enough
        left = len(found["only_in_a"]) + len(found["only_in_b"])
        machine = [words for words in found["warnings"] if re.match(r"In (run \d+ of )?[AB]\b", words)]
        expect("a machine that lost its processors is named", bool(machine) == bool({"displaced", "slow_clock"} & set(arguments)), machine)
        status, text = run([syncopate, "diff", "--format", "junit", "--metric", "operation"] + arguments)
        check_junit(text, {"failure": slower + nothing, "skipped": few + left + len(machine)})
        for form in ("html", "markdown", "junit", "annotations", "text"):
            text_of = re.sub(r"[\s\\]+", " ", run([syncopate, "diff", "--format", form, "--metric", "operation"] + arguments)[1])
            expect("%s has the machine's warnings" % form, all(words[3:40] in text_of for words in machine), text_of[:200])
        status, text = run([syncopate, "diff", "--format", "annotations", "--metric", "operation"] + arguments)
        lines = text.splitlines()
        expect("annotations are workflow commands",
               all(re.fullmatch(r"::(error|warning|notice) title=[^:,]*::[^\x00-\x1f]+", line) for line in lines), text)
        expect("an error a slower group", sum(line.startswith("::error ") for line in lines) == slower + nothing, text)
    gate = ["diff", "--format", "junit", "--metric", "operation", "--fail-on", "equivalent", "side_a", "--", "side_b"]
    status, text = run([syncopate] + gate)
    check_junit(text, {"failure": 2})
    expect("the exit status agrees", status == 1)
    check_junit(run([syncopate, "report", "--format", "junit", "lacking"])[1], {"failure": 0, "skipped": 1})
    expect("a whole trace has a notice", run([syncopate, "report", "--format", "annotations", "basic"])[1].startswith("::notice "))


# ---- Markdown ----

def check_markdown(text):
    """Tables have as many cells in each row as in the line below the head; no HTML but the fold."""
    columns = None
    expect("it begins with a heading", text.startswith("### "))
    for line in text.splitlines():
        if line.startswith("|"):
            cells = len(re.findall(r"(?<!\\)\|", line))
            expect("a row has the cells of its table", columns in (None, cells), line)
            columns = cells
        else:
            columns = None
        expect("no tags but the fold", not re.search(r"<(?!/?(details|summary)\b)", line), line)
    expect("what is folded up is let out", text.count("<details>") == text.count("</details>"))


def main():
    syncopate, schemas = sys.argv[1:3]
    check_ci(syncopate)
    for trace in TRACES:
        check_markdown(run([syncopate, "report", "--format", "markdown", trace])[1])
    for arguments in DIFFS:
        check_markdown(run([syncopate, "diff", "--format", "markdown"] + arguments)[1])
    if jsonschema is None:
        print("skipped: the schema of JSON: Python's jsonschema is not installed")
        return 1 if failed else 77
    check_json(syncopate, schemas)
    return 1 if failed else 0


sys.exit(main())
