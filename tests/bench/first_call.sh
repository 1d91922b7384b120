#!/bin/sh
# What a program's first call takes, and the first one of another kind from another place: bare, with syncopate without and with call
# stacks, and with any other library to preload. Each variant starts the program once a round, by turns.
# usage: first_call.sh PROGRAM LIBSYNCOPATE LAUNCHER [ROUNDS]: PROGRAM is tests/bench/MPI/first_call, rounds default to 21
# With RANKS=N (default 1) as rank 0 of N sees it. OTHERS="NAME=LIBRARY ...": more variants, as a libsyncopate.so of another version.
set -eu
program=$(realpath "$1") syncopate=$(realpath "$2") launcher=$3 rounds=${4:-21}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 SYNCOPATE_OUTPUT="$work/trace" SYNCOPATE_QUIET=1 SYNCOPATE_SYNC=none

for library in "$syncopate" $(echo "${OTHERS:-}" | sed -E 's/[^ =]+=//g' | tr : ' '); do # what cannot be loaded costs nothing
    [ -r "$library" ] || {
        echo "first_call.sh: $library: no such library" >&2
        exit 2
    }
done

run() { # VARIANT NAME=VALUE...
    variant=$1
    shift
    (cd "$work" && "$launcher" -n "${RANKS:-1}" env "$@" "$program") | sed -n "s/^first /$variant /p" >>"$work/figures"
}

variants='bare stack-0 stacks'
for other in ${OTHERS:-}; do
    variants="$variants ${other%%=*}"
done
for round in $(seq "$rounds"); do
    run bare LD_PRELOAD=
    run stack-0 "LD_PRELOAD=$syncopate" SYNCOPATE_STACK=0
    run stacks "LD_PRELOAD=$syncopate"
    for other in ${OTHERS:-}; do
        run "${other%%=*}" "LD_PRELOAD=${other#*=}"
    done
done

figures() { # VARIANT COLUMN: shortest, median, mean, longest
    awk -v v="$1" -v c="$2" '$1 == v { print $c }' "$work/figures" | sort -n |
        awk '{ x[NR] = $1; sum += $1 } END { printf "%8.1f %8.1f %8.1f %8.1f", x[1], (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2, sum / NR, x[NR] }'
}

printf 'microseconds, %s process starts each, ranks: %s\n' "$rounds" "${RANKS:-1}"
printf '%-12s %-35s   %s\n' '' 'first: shortest, median, mean, longest' 'second'
for variant in $variants; do
    printf '%-12s %s   %s\n' "$variant" "$(figures "$variant" 2)" "$(figures "$variant" 3)"
done
