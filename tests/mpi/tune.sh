#!/bin/sh
# `syncopate tune`: a slow algorithm that was planted is found, the switch written, and the program faster by it; others are named.
. "$(dirname "$0")/lib.sh"
TMPDIR=$work "$(dirname "$0")/tune.py" || failed=1
finish
