#!/bin/sh
# Wrappers ask for the cache line of their stack before the call (preload/recorder/stacks.h): a compiler may leave that out without
# a word, and nothing but the cost from many call sites tells. usage: prefetch.sh BACKEND...
set -u
command -v objdump >/dev/null || { echo "skipped: no objdump"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "skipped: this is not an x86-64"; exit 77; }
failed=0
for backend in "$@"; do
    for wrapper in wrap_Barrier wrap_Allreduce wrap_Iallreduce; do
        objdump -d --no-show-raw-insn --disassemble="$wrapper" "$backend" | grep -q prefetch || {
            echo "$backend: $wrapper prefetches nothing"
            failed=1
        }
    done
done
exit $failed
