# tests/mpi/under_syncopate.sh - read by counts.sh and records.sh: their options, and a program under a launcher.
# The script sets usage before; afterwards mpi, ranks, build, library, syncopate and scratch (a directory
# that goes away at exit) are set, and "$@" is the program.

die() {
    echo "$(basename "$0"): $*" >&2
    exit 2
}

# ASSIGNMENT... PROGRAM ARG...: the variables are the program's only, not the launcher's.
launch() {
    case $mpi in
    openmpi) set -- mpirun.openmpi --oversubscribe -n "$ranks" env "$@" ;;
    *) set -- "mpirun.$mpi" -n "$ranks" env "$@" ;;
    esac
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@" </dev/null
}

traced() {
    launch LD_PRELOAD="$library" SYNCOPATE_OUTPUT="$scratch/trace" SYNCOPATE_QUIET=1 "$@" \
        >"$scratch/traced.out" 2>"$scratch/traced.err"
}

# The trace as lines "rank operation comm_size bytes root flags", root -1 where there is none. Commas within quotes go
# first; then the columns are what they are.
recorded() {
    "$syncopate" export --format csv -o "$scratch/trace.csv" "$scratch/trace" >&2 || return 1
    sed 's/"[^"]*"//g' "$scratch/trace.csv" |
        awk -F, 'NR > 1 { print $2, $4, $6, $10, ($11 == "" ? -1 : $11), $16 }'
}

mpi= ranks=2 build=$(dirname "$0")/../../build
take_common() { # OPTION ARGUMENT
    case $1 in
    m) mpi=$2 ;;
    n) ranks=$2 ;;
    b) build=$2 ;;
    *) die "usage: $usage" ;;
    esac
}

prepare() {
    [ -n "$mpi" ] && [ $# -gt 0 ] || die "usage: $usage"
    build=$(cd "$build" && pwd) || exit 2
    library=$build/lib/libsyncopate.so
    syncopate=$build/bin/syncopate
    for file in "$library" "$syncopate"; do
        [ -e "$file" ] || die "no $file"
    done
    scratch=$(mktemp -d) || exit 2
    trap 'rm -rf "$scratch"' EXIT
}
