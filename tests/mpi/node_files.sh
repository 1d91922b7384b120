#!/bin/sh
# One file for the ranks of a machine: what is in it, what is there where a rank cannot write, and that a kill at any
# step of making it loses nothing.
. "$(dirname "$0")/lib.sh"
export OMPI_MCA_odls_base_sigkill_timeout=0
command=$(dirname "$SYNCOPATE")/../bin/syncopate
preload="${ASAN:+$ASAN }$PROGRAMS/kill_step.so $SYNCOPATE"

holds() { # NAME...: these files and no others
    [ "$(cd "$trace" && echo *)" = "$*" ] || {
        ls "$trace"
        return 1
    }
}
counted() { # ENDS-LINE...
    "$DUMP" ends "$trace" >"$work/ends"
    printf '%s\n' "$@" | diff - "$work/ends"
}
whole() {
    "$command" check "$trace" && counted '0 finalize 300 0' '1 finalize 300 0' '2 finalize 300 0'
}
run() { # NAME=VALUE...
    rm -rf "$trace" "$trace.old" "$work"/ready.*
    recorded 3 "LD_PRELOAD=$preload" READY="$work/ready" RANKS=3 SYNCOPATE_SYNC=none SYNCOPATE_FILES=node "$@" "$PROGRAMS/loop" 0 300
}

check "three ranks" run NONE=
check "  one file" holds manifest node-000000.syn
check "  all is in it" whole
check "a file for each rank" run SYNCOPATE_FILES=rank
check "  three" holds manifest rank-000000.syn rank-000001.syn rank-000002.syn
check "  all is in them" whole
check "a rank that cannot write there" run FULL_RANK=1
check "  has a file of its own" holds manifest node-000000.syn rank-000001.syn
check "  all is there" whole
check "  two lines are said" said_lines 2
check "the first rank cannot write there" run FULL_RANK=0
check "  each has a file of its own" holds manifest rank-000000.syn rank-000001.syn rank-000002.syn
check "  all is there" whole

# Files that a kill leaves can be read, and recovered to all that was recorded.
kept() {
    "$command" report "$trace" >"$work/report" 2>"$work/why" || { cat "$work/why"; return 1; }
    recover_ended && "$command" check "$trace" || { ls -l "$trace"; return 1; }
    [ -z "$(find "$trace" -name '*.part' -o -name '*.raw')" ] || { ls "$trace"; return 1; }
    [ "$("$DUMP" ends "$trace" | grep -c ' 300 0$')" = 3 ] || { "$DUMP" ends "$trace"; return 1; }
}
# killed RANK FILES COUNT: until it is through, with so many files.
killed() {
    for step in $(seq ${STEPS:-40}); do
        run KILL_RANK=$1 KILL_STEP=$step SYNCOPATE_FILES=$2 >/dev/null 2>&1
        [ -e "$trace/manifest" ] && [ "$(ls "$trace" | wc -l)" = $3 ] && break
        check "files of a $2, rank $1 killed before step $step" kept
    done
    check "files of a $2, rank $1: the last step was found" [ "$step" -gt 3 ]
}
killed 0 node 2
killed 1 node 2
killed 1 rank 4
finish
