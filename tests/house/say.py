#!/usr/bin/env python3
"""Sentences of analyze/ have a value for each place, and each place has a name that analyze/doc/say.h knows.

usage: say.py SOURCE_DIRECTORY
"""
import os
import re
import sys

# As say.c reads them: "~" stands behind any unit, ".." behind those of doubles.
UNIT = re.compile(r"(time|share|percent|factor|bytes|p|number(\.\d+g?)?)(\.\.|~)?|(count|rank|n|text|place|shell|yes)~?")
# The sentence's place among the arguments.
CALLS = {"syn_words": 1, "syn_html_words": 1, "syn_print": 0, "syn_table_say": 1, "syn_say": 1, "syn_say_doubt": 3, "syn_say_item_next": 2, "syn_say_pair": 4}
CALL = re.compile(r"\b(syn_words|syn_html_words|syn_print|syn_table_say|syn_say(?:_[a-z]+)?)\(")
PLACE = re.compile(r"\{(\{|[^}]*\})")


def arguments(text, at):
    """The arguments of a call, from behind its bracket on."""
    found, depth, begin, quote = [], 0, at, ""
    while at < len(text):
        c = text[at]
        if quote:
            at += c == "\\"
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in ")," and depth == 0:
            found.append(text[begin:at].strip())
            begin = at + 1
            if c == ")":
                return found
        else:
            depth += (c in "([{") - (c in ")]}")
        at += 1
    return found


def fault_of(sentence, values):
    """What is wrong with a sentence, or None."""
    wanted = 0
    for place in PLACE.findall(sentence):
        unit = place.rstrip("}").split(":")[0]
        if place == "{" or unit == "s" or "|" in unit:
            continue
        if not UNIT.fullmatch(unit):
            return f"{{{place} is no place"
        wanted += 2 if unit.endswith("..") else 1
    return None if wanted == values else f"has {wanted} places and {values} values"


def main():
    count = faults = 0
    for folder, _, names in os.walk(os.path.join(sys.argv[1], "analyze")):
        for name in sorted(name for name in names if name.endswith(".c")):
            path = os.path.join(folder, name)
            with open(path) as file:
                text = file.read()
            for call in CALL.finditer(text):
                if "#define" in text[text.rfind("\n", 0, call.start()):call.start()]:
                    continue
                given = arguments(text, call.end())[CALLS.get(call.group(1), 1):]
                parts = re.findall(r'"((?:[^"\\]|\\.)*)"', given[0]) if given else []
                if not parts or re.sub(r'"(?:[^"\\]|\\.)*"|\s', "", given[0]):
                    fault = "is no sentence: one literal is"
                else:
                    fault = fault_of("".join(parts), len(given) - 1)
                count += 1
                if fault:
                    faults += 1
                    print(f"BROKEN: {path}:{text.count(chr(10), 0, call.start()) + 1}: {fault}")
    print(f"{count} sentences, {faults} broken")
    sys.exit(1 if faults or not count else 0)


main()
