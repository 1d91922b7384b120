#!/bin/sh
# skips.sh - tells what the tests of some builds did not try, and why: a line each, and how many there are.
# usage: skips.sh BUILD_DIRECTORY...       after ctest in each
#
# A test that cannot try something here, or did not bring it about, prints "skipped: WHAT AND WHY" at the beginning of a line, and
# exits with 77 where that was all of it. Criterion's cr_skip_test prints "[SKIP] suite::test: WHY".
for build; do
    [ -f "$build/Testing/Temporary/LastTest.log" ] || { echo "skips.sh: $build: its tests have left no log" >&2; exit 1; }
done
for build; do
    awk -v build="$(basename "$build")" '
        $2 == "Testing:" { test = $3 }
        sub(/^skipped: /, "") || sub(/^\[SKIP\] /, "") { print build ", " test ": " $0 }' "$build/Testing/Temporary/LastTest.log"
done | awk '{ print } END { print (NR ? NR " skipped" : "nothing was skipped") }'
