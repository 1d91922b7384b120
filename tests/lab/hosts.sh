#!/bin/bash
# hosts.sh - is lab.sh what it says? Hosts, their clocks, the network between them, and nothing left behind.
#
# usage: hosts.sh openmpi|mpich DIRECTORY_OF_THE_BUILT_PROGRAMS
#
# Only what must be is asserted: a delay is a lower bound, since the machine may be busy.
# Exit status: 0; 1, with a line for each thing that is not so; 77 where there can be no lab.
# shellcheck disable=SC2016,SC2317 # the $ are for awk; `expect` calls functions by their names
set -u

here=$(dirname "$(readlink -f "$0")")
mpi=$1
programs=$2
lab=("$here/lab.sh" -B "$programs")
failed=0

# expect TEXT COMMAND...: COMMAND must succeed.
expect() {
    if "${@:2}"; then
        printf 'ok:  %s\n' "$1"
    else
        printf 'NOT: %s\n' "$1"
        failed=1
    fi
}

# awk_expect TEXT OUTPUT PROGRAM: the program must not set `bad`, and must have seen something.
awk_expect() {
    expect "$1" awk "$3"' END { exit bad || !seen }' <<<"$2"
}

status_is() {
    local wanted=$1
    shift
    "$@" >/dev/null 2>&1
    (($? == wanted))
}

run_one_way() {
    local output status
    output=$("${lab[@]}" "$@" "$mpi" "$programs/one_way.$mpi" 41)
    status=$?
    ((status == 77)) && exit 77 # lab.sh has printed "skipped: WHY"
    printf '%s\n' "$output"
    return "$status"
}

check_bridge() {
    local output
    output=$(run_one_way -k 2) || exit
    awk_expect "2 hosts on a bridge have names and boot ids of their own" "$output" \
        '/^rank/ { seen++; if ($3 != "host" $2 || known[$5]++) bad = 1 }'
    awk_expect "without -t their clocks are one" "$output" '/^rank/ { seen++; if ($4 != 0) bad = 1 }'
    awk_expect "both ways were measured" "$output" '/^way/ { ways++ } END { seen = ways == 2 }'
}

check_switch() {
    local output
    output=$(run_one_way -k 3 -t 1000 -d 500 -j 1000 -a 700) || exit
    printf '%s\n' "$output" | grep '^way'
    awk_expect "CLOCK_MONOTONIC of 3 hosts is 1000 s apart" "$output" \
        '/^rank/ { seen++; if ($4 != 1000 * $2) bad = 1 }'
    awk_expect "no message is faster than the delay, nor than delay and asymmetry downwards" "$output" \
        '/^way/ { seen++; if ($4 < 500 + ($2 > $3 ? 700 : 0)) bad = 1 }'
    awk_expect "jitter adds to the median" "$output" \
        '/^way/ { seen++; if ($5 < 700 + ($2 > $3 ? 700 : 0)) bad = 1 }'
}

check_ends() {
    # One host: MPICH's mpirun can die of SIGPIPE when it tells a second one that the first has failed.
    expect "the program's exit status comes through" status_is 1 "${lab[@]}" -k 1 "$mpi" false
    expect "a program that does not end is killed" status_is 124 "${lab[@]}" -T 1 "$mpi" sleep 60
    expect "wrong usage is refused" status_is 2 "${lab[@]}" -k 0 "$mpi" true
    local mark=4$$ killed
    "${lab[@]}" "$mpi" sleep "$mark" &
    killed=$!
    for ((tries = 0; tries < 100; tries++)); do
        pgrep -f "^sleep $mark" >/dev/null && break
        sleep 0.1
    done
    expect "the program runs" status_is 0 pgrep -f "^sleep $mark"
    kill -KILL "$killed"
    wait "$killed" 2>/dev/null
    for ((tries = 0; tries < 100; tries++)); do
        pgrep -f "sleep $mark" >/dev/null || break
        sleep 0.1
    done
    expect "a killed lab leaves no process behind" status_is 1 pgrep -f "sleep $mark"
}

check_bridge
check_switch
check_ends
exit "$failed"
