#!/bin/sh
# Planted hangs and disagreements are found with their ranks and places; right programs are not accused.
. "$(dirname "$0")/lib.sh"
export OMPI_MCA_odls_base_sigkill_timeout=0
# Files by ROMIO, which both MPIs have.
export OMPI_MCA_io=^ompio
TMPDIR=$work "$(dirname "$0")/hang.py" "$@" || failed=1
finish
