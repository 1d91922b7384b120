#!/bin/sh
# What a wrapped call costs: bare, with a wrapper that only reads the clock twice, with syncopate without and with call stacks.
# usage: call_cost.sh PROGRAM TWO_READS_LIBRARY LIBSYNCOPATE LAUNCHER [ROUNDS]
# The variants take turns, ROUNDS times (default 7), so that a busy moment hits all of them; each figure is the median
# over rounds of the program's own median. Beside them, where they are installed: EZTrace (the command), and mpiP, without
# stacks and as it is by default (MPIP_LIBRARY, or one that the linker knows).
set -eu
program=$(realpath "$1") two_reads=$(realpath "$2") syncopate=$(realpath "$3") launcher=$4 rounds=${5:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export SYNCOPATE_OUTPUT="$work/trace" SYNCOPATE_QUIET=1 SYNCOPATE_SYNC=none

mpip=${MPIP_LIBRARY-$(ldconfig -p 2>/dev/null | sed -n 's/.*libmpiP\.so.* => //p' | head -n 1)}
eztrace=$(command -v eztrace || true)
eztrace_module=openmpi
! ldd "$program" | grep -q libmpich || eztrace_module=mpich
variants="bare two-reads stack-0 stacks${mpip:+ mpip-0 mpip}${eztrace:+ eztrace}"

# Other tools write where they are started, and say so on standard output.
run() { # VARIANT [NAME=VALUE...] [COMMAND...]: appends "VARIANT CALL NS" lines
    variant=$1
    shift
    (cd "$work" && "$launcher" -n 1 env "$@" "$program" 21 10000) >"$work/said"
    sed -nE "s/^(barrier|allreduce) [0-9.]+$/$variant &/p" "$work/said" >>"$work/figures"
}

for library in "$two_reads" "$syncopate" ${mpip:+"$mpip"}; do # what cannot be loaded costs nothing
    [ -r "$library" ] || {
        echo "call_cost.sh: $library: no such library" >&2
        exit 2
    }
done
for round in $(seq "$rounds"); do
    run bare LD_PRELOAD=
    run two-reads "LD_PRELOAD=$two_reads"
    run stack-0 "LD_PRELOAD=$syncopate" SYNCOPATE_STACK=0
    run stacks "LD_PRELOAD=$syncopate"
    if [ -n "$mpip" ]; then
        run mpip-0 "LD_PRELOAD=$mpip" 'MPIP=-k 0'
        run mpip "LD_PRELOAD=$mpip"
    fi
    [ -z "$eztrace" ] || run eztrace "$eztrace" -o "$work/eztrace" -t "$eztrace_module"
done

median() { # VARIANT CALL
    awk -v v="$1" -v c="$2" '$1 == v && $2 == c { print $3 }' "$work/figures" | sort -n |
        awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'
}

printf '%-11s %-28s %9s %9s %16s\n' call variant 'ns a call' 'ns added' 'of two reads'
for call in barrier allreduce; do
    bare=$(median bare $call)
    reads=$(median two-reads $call)
    for variant in $variants; do
        ns=$(median $variant $call)
        case $variant in
        bare) text='bare' ;;
        two-reads) text='clock read twice' ;;
        stack-0) text='syncopate --stack 0' ;;
        stacks) text='syncopate, with call stacks' ;;
        mpip-0) text='mpiP, without stacks' ;;
        mpip) text='mpiP' ;;
        eztrace) text='EZTrace' ;;
        esac
        awk -v call=$call -v text="$text" -v ns="$ns" -v bare="$bare" -v reads="$reads" 'BEGIN {
            printf "%-11s %-28s %9.1f %9.1f %15.2fx\n", call, text, ns, ns - bare,
                   (reads > bare ? (ns - bare) / (reads - bare) : 0) }'
    done
done
