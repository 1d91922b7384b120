#!/bin/sh
# The rules of the house, as facts about the source: which folder may know which.
# usage: rules.sh SOURCE_DIRECTORY
set -u
cd "$1" || exit 2
failed=0

# rule TEXT PATTERN PATH...: no line of the C files below PATH may match PATTERN (comments aside).
rule() {
    text=$1 pattern=$2
    shift 2
    hits=$(grep -rnE --include='*.c' --include='*.h' "$pattern" "$@" 2>&1 | grep -vE ':[0-9]+:[[:space:]]*(/?\*)|/\*.*(exit|abort)')
    if [ -n "$hits" ]; then
        printf 'BROKEN: %s\n%s\n' "$text" "$hits"
        failed=1
    else
        printf 'holds:  %s\n' "$text"
    fi
}

rule "only preload/ sees mpi.h" '#[[:space:]]*include[[:space:]]*[<"]mpi\.h' sync trace analyze
rule "the ground floor, sync/base/, needs libc and xxHash only" '#[[:space:]]*include[[:space:]]*"(trace|preload|analyze|sync/[^b])' sync/base
rule "one place hashes" '#[[:space:]]*include[[:space:]]*<xxhash' sync trace preload analyze --exclude-dir=base
rule "hashes are made by sync/base/hash.h" '(9e3779b97f4a7c15|9E3779B97F4A7C15|cbf29ce484222325|100000001b3|0100000001B3)' sync trace preload analyze --exclude-dir=base --exclude=bootstrap.c --exclude=sums.c
rule "sync/ needs libc and libm only" '#[[:space:]]*include.*(trace/|preload/|analyze/|zstd\.h|hwloc|libunwind)' sync
rule "trace/ needs sync/'s models and zstd only" '#[[:space:]]*include.*(preload/|analyze/|hwloc|libunwind|Rmath)' trace
rule "preload/ and analyze/ meet in the file only" '#[[:space:]]*include.*analyze/' preload
rule "analyze/ and preload/ meet in the file only" '#[[:space:]]*include.*preload/' analyze
rule "headers are named from the root" '#[[:space:]]*include[[:space:]]*"([^/"]*"|\.)' sync trace preload analyze
rule "what stands in front of MPI knows the backends by one header" '#[[:space:]]*include[[:space:]]*"(sync/[^b]|preload/[^e])' preload/entry
rule "preload/base/ knows the format and itself" '#[[:space:]]*include[[:space:]]*("preload/[^b]|<mpi)' preload/base
rule "preload/facts/ know no MPI" '#[[:space:]]*include[[:space:]]*(<mpi|"preload/(mpi|recorder|comms|clocks|calls|run)/)' preload/facts
rule "injected code never exits the program it is in" '(^|[^_[:alnum:]])((_?exit|quick_exit)[[:space:]]*\([^)]|abort[[:space:]]*\(\);)' preload sync trace --exclude-dir=tests
rule "only the command's main exits" '(^|[^_[:alnum:]>.])exit[[:space:]]*\([^)]' analyze --exclude=main.c --exclude-dir=record
rule "zstd is known to trace/ only" '#[[:space:]]*include[[:space:]]*<zstd' sync preload analyze
rule "distributions come from one place" '#[[:space:]]*include[[:space:]]*<Rmath' sync trace preload analyze --exclude-dir=stats

rule "the smaller and the larger of two are syn_least and syn_largest" '[^&|] ([[:alnum:]_>.-]+) [<>] ([[:alnum:]_>.-]+) \? (\1 : \2|\2 : \1)[;,)]' sync trace preload analyze --exclude=integers.h
rule "a pointer is asked as it is" '(== NULL|[^)] != NULL (&&|\|\||\?)|(&&|\|\|) [^ ]+ != NULL)' sync trace preload analyze
rule "a status is compared with SYN_OK" '((if|while) \(status\)|!status\>|\<status (<|==|!=) 0|(&&|\|\|) status\)|\<status \?)' sync trace preload analyze

twice=$(grep -rhoE '^struct syn_[a-z_0-9]+ \{' --include='*.c' --include='*.h' sync trace preload analyze | sort | uniq -d)
if [ -n "$twice" ]; then
    printf 'BROKEN: no structure has the name of another\n%s\n' "$twice"
    failed=1
else
    echo 'holds:  no structure has the name of another'
fi
guards=$(grep -rhE '^#ifndef SYN_.*_H$' --include='*.h' sync trace preload analyze tests | sort | uniq -d)
if [ -n "$guards" ]; then
    printf 'BROKEN: no two headers have one include guard\n%s\n' "$guards"
    failed=1
else
    echo 'holds:  no two headers have one include guard'
fi
# A word that stands for something else in each of ten files is no name.
often=$(grep -roE '^static [a-z_0-9 *]*[ *][a-z_0-9]+\(' --include='*.c' sync trace preload analyze | grep -v '__attribute__($' |
    sed -E 's/^([^:]*):.*[ *]([a-z_0-9]+)\($/\1 \2/' | sort -u | awk '{ files[$2]++ } END { for (name in files) if (files[name] > 9) print name, files[name] }')
if [ -n "$often" ]; then
    printf 'BROKEN: a function of a file has a name of its own: no more than nine files share one\n%s\n' "$often"
    failed=1
else
    echo 'holds:  a function of a file has a name of its own: no more than nine files share one'
fi
# The end of `./bootstrap test` tells why (tests/skips.sh).
silent=$(grep -rlE 'exit[ (]77' --include='*.sh' --include='*.py' tests | xargs grep -LE 'skipped: ')
if [ -n "$silent" ]; then
    printf 'BROKEN: a test that skips itself prints "skipped: WHY"\n%s\n' "$silent"
    failed=1
else
    echo 'holds:  a test that skips itself prints "skipped: WHY"'
fi
logs=$(mktemp -d)
mkdir -p "$logs/build/Testing/Temporary"
printf '%s\n' '1/2 Testing: a' 'ok: it runs' 'skipped: no b' '2/2 Testing: c' '[PASS] c::d: (0.00s)' '[SKIP] c::e: no f' >"$logs/build/Testing/Temporary/LastTest.log"
told=$(tests/skips.sh "$logs/build")
rm "$logs/build/Testing/Temporary/LastTest.log"
tests/skips.sh "$logs/build" 2>/dev/null && told="passed without a log"
rm -rf "$logs"
if [ "$told" != "$(printf 'build, a: no b\nbuild, c: c::e: no f\n2 skipped')" ]; then
    printf 'BROKEN: tests/skips.sh tells each skip, and counts them\n%s\n' "$told"
    failed=1
else
    echo 'holds:  tests/skips.sh tells each skip, and counts them'
fi
exit $failed
