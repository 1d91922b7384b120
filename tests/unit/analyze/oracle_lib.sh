# Sourced by the tests against R: $make_trace, $syncopate and $oracle from the arguments, $folder to work in. Ends the test with 77
# (skipped) where R or its jsonlite is missing.
set -eu
make_trace=$1
syncopate=$2
oracle=$3
. "$(dirname "$0")/../../plain_tmpdir.sh"
if ! Rscript -e 'library(jsonlite)' >/dev/null 2>&1; then
    echo "skipped: no Rscript with jsonlite"
    exit 77
fi
export R_ENABLE_JIT=0 # compiling the oracle takes longer than it saves
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# judge FILE...: the oracle's arguments. doubt FILE...: the same, of what was falsified: the oracle itself has to notice. judge_all: all
# is as R has it, or the test ends.
judge() {
    echo "$*" >>"$folder/cases"
}
doubt() {
    echo "! $*" >>"$folder/cases"
}
# falsify JSON WRONG SED...: changes an answer, or the test ends.
falsify() {
    right=$1 wrong=$2
    shift 2
    sed "$@" "$right" >"$wrong"
    if cmp -s "$right" "$wrong"; then
        echo "nothing was falsified: $*"
        exit 1
    fi
}
judge_all() {
    Rscript "$(dirname "$0")/oracle_batch.R" "$oracle" "$folder/cases"
}
