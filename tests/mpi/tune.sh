#!/bin/sh
# `syncopate tune`: a slow algorithm that was planted is found, the switch written, and the program faster by it; others are named.
. "$(dirname "$0")/lib.sh"
export OMPI_MCA_odls_base_sigkill_timeout=0
TMPDIR=$work "$(dirname "$0")/tune.py" || failed=1
finish
