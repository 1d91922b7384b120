#!/bin/sh
# MPIs that no part was compiled for: one line that says so, and the program runs on without us.
# usage: abi_refused.sh PROGRAM
. "$(dirname "$0")/lib.sh"
program=$PROGRAMS/$1

runs_on() { # [NAME=VALUE...]: not recorded, with the same results
    rm -rf "$trace"
    recorded 2 "$@" "$program" >"$work/out" && [ ! -e "$trace" ]
}

check "a version of the ABI that is not known is led past" runs_on ABI_OVER_MPICH_VERSION=2
check "  and named" said_once 'version 2 of the standard ABI, known is version 1; not recording'
check "an ABI without a version is led past" runs_on ABI_OVER_MPICH_VERSION=-1
check "  and named" said_once 'does not say which version of the standard ABI it has; not recording'
check "handles of other values are led past" runs_on ABI_OVER_MPICH_FROMINT=7
check "  and named" said_once 'handles of this MPI are not those of the part for abi'
finish
