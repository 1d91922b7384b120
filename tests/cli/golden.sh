#!/bin/sh
# golden.sh - the command line against what it printed when somebody looked at it.
#
#   golden.sh           run all cases of golden.txt; prints a diff for each that differs
#   golden.sh update    accept what they print now: look at `git diff tests/cli/golden` before committing it
#
# SYNCOPATE_CLI and MAKE_TRACE name the two programs. Traces are made anew each time, by golden_traces.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset NO_COLOR TERM SYNCOPATE_OUTPUT
export COLUMNS= LC_ALL=C TZ=UTC
failed=0
count=0
cd "$work" || exit 1
sh "$here/golden_traces.sh" || exit 1

# Replaces text that may differ between machines: places inside compressed files, names of temporary directories, sizes.
settle() {
    sed -E -e 's/at byte [0-9]+/at byte N/g' -e 's/chunk [0-9]+/chunk N/g' -e 's/after [0-9]+ of [0-9]+ bytes/after N of N bytes/g' -e "s|$work|WORK|g" \
        -e 's/^(.*: whole: .* events, )[0-9.]+ [KM]?i?B$/\1SIZE/' -e 's/^(  on disk +).*/\1SIZE/' \
        -e 's/"file_bytes": [0-9]+/"file_bytes": SIZE/'
}

while read -r name expected command; do
    case $name in '' | '#'*) continue ;; esac
    count=$((count + 1))
    # shellcheck disable=SC2086
    eval "$command" >out 2>err
    status=$?
    { cat out; [ -s err ] && { echo '--- stderr'; cat err; }; } | settle >got
    if [ "$status" -ne "$expected" ]; then
        echo "$name: exit status $status, expected $expected: $command"
        cat got
        failed=$((failed + 1))
    fi
    if [ "${1:-}" = update ]; then
        cp got "$here/golden/$name"
    elif ! diff -u "$here/golden/$name" got; then
        echo "$name: differs: $command"
        failed=$((failed + 1))
    fi
done <"$here/golden.txt"

echo "golden: $count cases, $failed failed"
[ "$failed" -eq 0 ] && [ "$count" -gt 0 ]
