#!/usr/bin/env python3
"""same_figures.py [--slim] WAS.json [IS.json]: is everything that WAS says said by IS, key by key, with the same value?

More keys are welcome. --slim prints WAS as it is kept: without blanks, and without what a better estimate of dependence
between calls may change, for that is the method's and not the trace's. Exit status 1 with a line for each difference."""
import json
import sys

OF_METHODS = {"n_effective", "ci_dependent_low", "ci_dependent_high", "last_arrivals_p", "latest", "precision", "warmup_p", "levels",
              "p_adjusted", "independence"}


def slim(value):
    if isinstance(value, dict):
        return {key: slim(inner) for key, inner in value.items() if key not in OF_METHODS}
    return [slim(inner) for inner in value] if isinstance(value, list) else value


def differences(was, now, where):
    if isinstance(was, dict) and isinstance(now, dict):
        for key, value in was.items():
            if key not in now:
                yield "%s.%s is missing" % (where, key)
            else:
                yield from differences(value, now[key], "%s.%s" % (where, key))
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for i, value in enumerate(was):
            yield from differences(value, now[i], "%s[%d]" % (where, i))
    elif was != now:
        yield "%s was %s, is %s" % (where, json.dumps(was), json.dumps(now))


def main():
    if sys.argv[1] == "--slim":
        with open(sys.argv[2]) as file:
            json.dump(slim(json.load(file)), sys.stdout, separators=(",", ":"))
        print()
        return 0
    with open(sys.argv[1]) as was, open(sys.argv[2]) as now:
        found = list(differences(json.load(was), json.load(now), ""))
    print("\n".join(found[:40]) if found else "the same")
    return 1 if found else 0


sys.exit(main())
