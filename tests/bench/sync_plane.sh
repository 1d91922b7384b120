#!/bin/bash
# sync_plane.sh - the plane of Hunold & Carpen-Amarie (2015), Fig. 6, 7 and 8: offset after 0, 5, 10, 20 s against the time to synchronize, for every
# method and several parameters, and the exit skew of a barrier beside it; on a simulated network, where the truth is known.
#
# usage: sync_plane.sh [-p RANKS] [-r RUNS] [-o DIR] BUILD_DIRECTORY
#
# Writes DIR/sync-plane.csv (a line for each method, parameters and run) and DIR/sync-plane.png, and prints the medians.
set -eu

here=$(dirname "$(readlink -f "$0")")
. "$here/../plain_tmpdir.sh"
ranks=64 runs=10 out=.
while getopts p:r:o: option; do
    case $option in
    p) ranks=$OPTARG ;;
    r) runs=$OPTARG ;;
    o) out=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(readlink -e "${1-}") || { echo "sync_plane.sh: which build directory?" >&2; exit 2; }
mkdir -p "$out"
"$build/tests/bench/bench_sync_plane" "$ranks" "$runs" >"$out/sync-plane.csv"
if command -v Rscript >/dev/null; then
    Rscript "$here/sync_plane.R" "$out/sync-plane.csv" "$out/sync-plane.png"
fi
