# Shared by the tests of `syncopate record`. Sets up $work, an empty directory that is the current one.
set -u
. "$(dirname "$0")/../launchers.sh"
unset LD_PRELOAD OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK 2>/dev/null
if [ -n "${ASAN:-}" ]; then
    # An injected library with a sanitizer needs the sanitizer's runtime in front of it.
    export LD_PRELOAD="$ASAN" ASAN_OPTIONS=detect_leaks=0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/syncopate-record-XXXXXX")
trap 'rm -rf "$work"' EXIT
own_sessions "$work"
cd "$work" || exit 1
# At a terminal: a launcher that reads it would be stopped, for `timeout` puts it into the background.
exec </dev/null
failures=0

fail()
{
    echo "FAILED: $*"
    for file in out err; do
        [ -s "$work/$file" ] && sed "s/^/    $file: /" "$work/$file"
    done
    failures=$((failures + 1))
}

# run COMMAND...: its output in $work/out and $work/err, its exit status in $status.
run()
{
    timeout 120 "$@" >"$work/out" 2>"$work/err"
    status=$?
}

# expect WHAT ACTUAL EXPECTED
expect()
{
    [ "$2" = "$3" ] || fail "$1: got '$2', expected '$3'"
}

# expect_line FILE PATTERN: exactly one line of out or err matches.
expect_line()
{
    count=$(grep -c -- "$2" "$work/$1")
    [ "$count" = 1 ] || fail "$count lines of $1 match '$2', expected one"
}

# Can the launcher start several programs in one run? (mpirun of Open MPI 5.0.7 in Debian 13 dies of SIGSEGV.)
starts_several()
{
    timeout 60 "$MPIRUN" -n 1 true : -n 1 true >/dev/null 2>&1 && return 0
    echo "skipped: runs of several programs: $MPIRUN cannot start them"
    return 1
}

finish()
{
    [ "$failures" = 0 ] && echo "all as expected"
    exit "$failures"
}
