#!/bin/sh
# Does our mpi.h of the standard ABI say what an MPI's own says?
# usage: abi_values.sh CC SOURCES DIRECTORY_OF_THE_OTHER
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for which in ours theirs; do
    include=$2/preload/abi
    [ $which = ours ] || include=$3
    "$1" -std=gnu11 -w -I"$include" -o "$work/$which" "$2/tests/mpi/abi_values.c" || exit 1
    "$work/$which" >"$work/$which.out" || exit 1
done
diff "$work/ours.out" "$work/theirs.out" && echo "$(wc -l <"$work/ours.out") values, the same"
