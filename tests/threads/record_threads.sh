#!/bin/sh
# record_threads.sh MPIRUN PROGRAM LIBRARY: threads in collectives at once, recorded by a library with the thread sanitizer in it.
set -eu
mpirun=$1
program=$2
library=$3
. "$(dirname "$0")/../plain_tmpdir.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# The sanitizer's shadow takes fixed addresses: without randomization nothing else lies there.
setarch=
if setarch -R true 2>/dev/null; then setarch="setarch -R"; fi
# Races within code that is compiled without the sanitizer are ignored.
export TSAN_OPTIONS="exitcode=66:ignore_noninstrumented_modules=1:log_path=$folder/race"
# UCX looks into calls of the C library that threads make when they end: too late for the sanitizer.
export UCX_MEM_EVENTS=n
# Open MPI 5 shares memory at an address that the sanitizer's shadow has.
export PMIX_MCA_gds=hash
run() {
    # shellcheck disable=SC2086
    $mpirun -n 2 $setarch env "LD_PRELOAD=$library" SYNCOPATE_OUTPUT="$folder/trace" SYNCOPATE_QUIET=1 "$@" >out 2>&1 || {
        echo "failed: $*"
        tail -n 40 out race.* 2>/dev/null
        exit 1
    }
    if ls race.* >/dev/null 2>&1; then
        tail -n 60 race.*
        exit 1
    fi
    test -f trace/manifest || { echo "nothing was recorded"; cat out; exit 1; }
}
run "$program" 3 1000
run "$program" 3 300 started
