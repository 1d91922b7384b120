# tests/mpi/lib.sh - for the scripts beside it: how to run a program under an MPI, bare and recorded.
# Set by ctest: MPI (openmpi, mpich), MPIRUN, SYNCOPATE (the library), DUMP (dump_trace), PROGRAMS (a directory), ASAN (or empty).
set -u
. "$(dirname "$0")/../launchers.sh"
# The default one (vulcan) of Open MPI 4.1.4 crashes in MPI_File_write_at_all of small blocks by itself.
export OMPI_MCA_fcoll=individual
# Open MPI 5 reaches processes of another world by sockets, and does not find its way by each network that a machine has.
export OMPI_MCA_btl_tcp_if_include=lo
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 UBSAN_OPTIONS=print_stacktrace=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
own_sessions "$work"
trace=$work/trace
export SYNCOPATE_TEST_FILE=$work/data
failed=0

# mpi RANKS COMMAND...: without us.
mpi() {
    ranks=$1
    shift
    timeout -k 10 "${MPI_TIMEOUT:-120}" "$MPIRUN" -n "$ranks" "$@" </dev/null
}

# recorded RANKS [NAME=VALUE...] COMMAND...: into $trace; what the profiler says goes to $work/said with the program's own stderr.
recorded() {
    ranks=$1
    shift
    mpi "$ranks" env "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE" "SYNCOPATE_OUTPUT=$trace" "$@" 2>"$work/said"
}

# recorded_around RANKS COMMAND...: the same, with the library in the launcher's environment: processes that the program starts have it
# from there. Open MPI's launcher forks beside threads that allocate, and the sanitizer of gcc 12 may then hang in the child: with it, the
# launcher gives the library to the processes and does without. (Open MPI 5 does not give it to those that the program starts; it comes
# with a sanitizer that does hold its locks.)
recorded_around() {
    ranks=$1
    shift
    preload="LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE"
    [ -z "$ASAN" ] || [ "$MPI" != openmpi ] || "$MPIRUN" --version | grep -q ' 5\.' || preload="OMPI_MCA_mca_base_env_list=$preload"
    timeout -k 10 "${MPI_TIMEOUT:-120}" env "$preload" "SYNCOPATE_OUTPUT=$trace" SYNCOPATE_SYNC_BUDGET=0.05 \
        "$MPIRUN" -n "$ranks" "$@" </dev/null 2>"$work/said"
}

# recover_ended [OPTION...]: the trace, as soon as nobody records into it: a launcher that has killed its ranks ends before they do on
# a machine with much else to do.
recover_ended() {
    for _ in $(seq 100); do
        "$(dirname "$SYNCOPATE")/../bin/syncopate" recover "$@" "$trace" >"$work/recovered" 2>&1
        recover_status=$?
        grep -q 'is still being recorded' "$work/recovered" || break
        sleep 0.2
    done
    cat "$work/recovered"
    return $recover_status
}

# check TEXT COMMAND...: the command succeeds, or the test fails. What it says that it skipped is told (tests/skips.sh).
check() {
    text=$1
    shift
    if "$@" >"$work/check" 2>&1; then
        echo "ok: $text"
        grep '^skipped: ' "$work/check" || :
    else
        echo "FAILED: $text"
        sed 's/^/    /' "$work/check" | head -40
        [ -s "$work/said" ] && sed 's/^/    said: /' "$work/said" | head -10
        failed=1
    fi
}

# The trace by way of the csv export, in lines "rank operation comm_size bytes root flags", root -1 where there is none.
# Commas within quotes go first; then the columns are what they are.
exported_rows() {
    "$(dirname "$SYNCOPATE")/../bin/syncopate" export --format csv -o "$work/csv" "$trace" >&2 || return 1
    sed 's/"[^"]*"//g' "$work/csv" |
        awk -F, 'NR > 1 { print $2, $4, $6, $10, ($11 == "" ? -1 : $11), $16 }'
}

all_calls() { # "OPERATION NUMBER...": the trace has these
    exported_rows | awk '{ n[$2]++ } END { for (name in n) print name, n[name] }' | sort | tr '\n' ' ' | sed 's/ $//' >"$work/all_calls"
    [ "$(cat "$work/all_calls")" = "$1" ] || { cat "$work/all_calls"; return 1; }
}

same_on_all() { # KEY: of the facts of a rank
    "$DUMP" meta "$1" "$trace" | awk 'NR == 1 { first = $2 } $2 != first { exit 1 } END { exit NR < 2 }'
}

said_once() { # PATTERN: exactly one line of the profiler's matches
    [ "$(grep -c "^syncopate.*$1" "$work/said")" = 1 ] || {
        cat "$work/said"
        return 1
    }
}

said_lines() { # NUMBER: so many lines in all
    [ "$(grep -c '^syncopate' "$work/said")" = "$1" ] || {
        cat "$work/said"
        return 1
    }
}

finish() {
    exit "$failed"
}
