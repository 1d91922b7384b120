#!/bin/sh
# What is built without the libraries that may be missing: it says what it lacks, and records and reports all the same.
# usage: less.sh CMAKE SOURCE MPICC MPIRUN PROGRAM (of two ranks)
set -u
cmake=$1 source=$2 driver=$3 launcher=$4 program=$5
. "$(dirname "$0")/../plain_tmpdir.sh"
. "$(dirname "$0")/../launchers.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
own_sessions "$work"
die() { echo "FAILED: $*"; [ ! -s "$work/log" ] || tail -n 20 "$work/log"; exit 1; }

"$cmake" -S "$source" -B "$work/build" -G Ninja -DSYN_TESTS=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DSYN_WERROR="${SYN_WERROR:-OFF}" "-DSYN_WITHOUT=libunwind;hwloc;otf2;abi" "-DSYN_MPI_CC=$driver" >"$work/log" 2>&1 ||
    die "it does not configure"
for lacking in libunwind hwloc otf2; do
    [ "$(grep -A1 '^CMake Warning' "$work/log" | grep -c . )" -gt 0 ] && [ "$(grep -c "^ *no $lacking:" "$work/log")" = 1 ] ||
        die "without $lacking: not said, or more than once"
done
"$cmake" --build "$work/build" -j 2 -t syncopate syncopate_cli >"$work/log" 2>&1 || die "it does not build"
for file in "$work"/build/lib/*.so "$work/build/bin/syncopate"; do
    ! readelf -d "$file" | grep -E 'NEEDED.*(unwind|hwloc|otf2)' || die "$file needs what was to be left out"
done
syncopate=$work/build/bin/syncopate
timeout 60 "$syncopate" record -q -o "$work/trace" -- "$launcher" -n 2 "$program" >"$work/log" 2>&1 </dev/null || die "it does not record"
"$syncopate" check "$work/trace" >"$work/log" 2>&1 || die "its trace is not whole"
"$syncopate" report "$work/trace" >"$work/log" 2>&1 || die "it does not report"
grep -q '^Allreduce ' "$work/log" || die "the report has no Allreduce"
"$syncopate" info "$work/trace" 2>&1 | grep 'topology' >"$work/log"
"$syncopate" export --format otf2 -o "$work/otf2" "$work/trace" >"$work/log" 2>&1
status=$?
[ $status = 2 ] && [ "$(wc -l <"$work/log")" = 1 ] || die "export to OTF2: status $status"
echo "without libunwind, hwloc and otf2 it builds, says so, records and reports"
