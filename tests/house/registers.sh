#!/bin/sh
# No function of what is built returns with the upper halves of the AVX registers in use: SSE code of the program would be slower
# from then on. gcc 12 leaves them so where a function ends in a jump to another one.
# usage: registers.sh OBJECT...
command -v objdump >/dev/null || { echo "skipped: no objdump"; exit 77; }
left=$(for object in "$@"; do
    objdump -d --no-show-raw-insn "$object" | awk -v object="$(basename "$object")" -F '\t' '
        /^[0-9a-f]+ <.*>:$/ { name = $0; gsub(/^[^<]*<|>:$/, "", name); used = 0 }
        $2 ~ /[yz]mm/ { used = 1 }
        $2 ~ /^vzeroupper/ { used = 0 }
        used && ($2 ~ /^ret/ || ($2 ~ /^jmp.*</ && index($2, "<" name "+") + index($2, "<" name ">") == 0)) {
            print object ": " name " leaves them in use: " $2
        }'
done)
[ -z "$left" ] || { echo "$left"; exit 1; }
