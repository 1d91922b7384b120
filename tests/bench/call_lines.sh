#!/bin/sh
# Cache lines that a wrapped call touches: those of data and of instructions between two calls of a loop, distinct, by valgrind's
# trace of every access. Less what the bare call touches.
# usage: call_lines.sh PROGRAM TWO_READS_LIBRARY LIBSYNCOPATE; PROGRAM is tests/bench/MPI/call_cost. Without a launcher. A trace
# has a line an instruction, MPI_Init's among them, so it takes a minute or two a row.
set -eu
program=$1 two_reads=$2 syncopate=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SYNCOPATE_OUTPUT="$work/trace" SYNCOPATE_QUIET=1 SYNCOPATE_SYNC=none OMPI_MCA_btl=self

# The address of the loop's MPI call. valgrind puts a position-independent program at 0x108000.
call=$(objdump -d --no-show-raw-insn "$program" |
    awk '/<call_barrier>:/ { on = 1 } on && /call.*MPI_Barrier/ { sub(":", "", $1); print $1; exit }')
call=$(printf '%08x' $((0x108000 + 0x$call)))

lines() { # [NAME=VALUE...]: "DATA INSTRUCTIONS" of the last call but one; a line's address is its upper hexadecimal digits
    env "$@" valgrind --tool=lackey --trace-mem=yes --log-fd=9 "$program" 1 50 9>&1 >/dev/null 2>/dev/null |
        awk -v call="$call" '
            function line(address,    n) {
                sub(/,.*/, "", address)
                n = length(address)
                return substr(address, 1, n - 2) int((index("0123456789abcdef", substr(address, n - 1, 1)) - 1) / 4)
            }
            $1 == "I" && index($2, call) == 1 {
                if (data) { last_data = data; last_code = code }
                data = code = 0
                split("", seen)
                on = 1
            }
            on && NF == 2 {
                kind = $1 == "I"
                key = kind line($2)
                if (!(key in seen)) {
                    seen[key] = 1
                    if (kind) code++; else data++
                }
                if (data > 500) on = 0 # the loop is over
            }
            END { print last_data + 0, last_code + 0 }'
}

bare=$(lines LD_PRELOAD=)
printf '%-30s %6s %13s\n' 'MPI_Barrier' data instructions
for variant in "clock read twice:LD_PRELOAD=$two_reads" "syncopate --stack 0:LD_PRELOAD=$syncopate SYNCOPATE_STACK=0" \
    "syncopate, with call stacks:LD_PRELOAD=$syncopate"; do
    # shellcheck disable=SC2086 # settings are words
    echo "$bare $(lines ${variant#*:})" |
        awk -v name="${variant%%:*}" '{ printf "%-30s %+6d %+13d\n", name, $3 - $1, $4 - $2 }'
done
