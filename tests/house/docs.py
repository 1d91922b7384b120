#!/usr/bin/env python3
"""What the pages name is there: files of the source, and the pages that they link to.

usage: docs.py SOURCE_DIRECTORY
"""
import glob
import os
import re
import sys

top = sys.argv[1]
pages = [path for path in glob.glob(os.path.join(top, "docs", "*.md")) + glob.glob(os.path.join(top, "*.md"))
         if os.path.basename(path) != "CHANGELOG.md"] # what was there once
named = re.compile(r"`((?:sync|trace|preload|analyze|tests|readers|packaging)/[\w./-]*\w\.(?:c|h|S|def|sh|py|R|cmake|map|txt))`")
linked = re.compile(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)")
faults, count = [], 0
for page in sorted(pages):
    with open(page) as file:
        text = file.read()
    for name in named.findall(text):
        count += 1
        if not os.path.exists(os.path.join(top, name)):
            faults.append(f"{os.path.relpath(page, top)} names {name}, which is not there")
    for name in linked.findall(text):
        count += 1
        if not os.path.exists(os.path.join(os.path.dirname(page), name)):
            faults.append(f"{os.path.relpath(page, top)} links to {name}, which is not there")
if count == 0:
    faults.append("no page names anything: was it looked for in the right place?")
for fault in sorted(set(faults)):
    print("BROKEN:", fault)
print(f"{count} names in {len(pages)} pages, {len(set(faults))} of nothing")
sys.exit(1 if faults else 0)
