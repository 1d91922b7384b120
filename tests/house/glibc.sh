#!/bin/sh
# What is built needs of glibc nothing that version 2.28 (RHEL 8) has not: the sources can be built there. Names that are
# older but have got a newer version since, or moved into libc from a library of their own, are known by name.
# usage: glibc.sh OBJECT...
command -v objdump >/dev/null || { echo "skipped: no objdump"; exit 77; }
failed=0

# Older than 2.28 under these names, whatever version of them a newer linker takes.
older='^(dlopen|dlsym|dlclose|dlerror|dladdr|dladdr1|dlinfo|pthread_.*|sem_.*|timer_.*|shm_open|shm_unlink|mq_.*|getaddrinfo_a'
older=$older'|exp|exp2|pow|log|log2|expf|powf|logf|fmod|lgamma|stat|fstat|lstat|fstatat|mknod|mknodat|__libc_start_main|__isoc23_.*)$'

for object in "$@"; do
    # "GLIBC_2.34 name", newest last
    needed=$(objdump -T "$object" | sed -nE 's/.*\*UND\*.*\(?(GLIBC_[0-9.]+)\)? +([^ ]+)$/\1 \2/p' | sort -u -V)
    newest=$(echo "$needed" | tail -1 | cut -d' ' -f1)
    new=$(echo "$needed" | awk -v older="$older" '{ split($1, v, /[_.]/) } v[2] > 2 || v[3] > 28 { if ($2 !~ older) print $2 "@" $1 }')
    echo "$(basename "$object"): as built here needs ${newest:-no glibc}; of 2.29 and later: ${new:-nothing}"
    [ -z "$new" ] || failed=1
done
exit $failed
