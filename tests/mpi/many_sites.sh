#!/bin/sh
# Calls from so many call sites that these are a column of their own in the trace: each call has its own site, in a rank's file, in a
# node file, and in a short one.
. "$(dirname "$0")/lib.sh"
command=$(dirname "$SYNCOPATE")/../bin/syncopate

# Each of the 1,000 sites goes with one number of bytes, and each number of bytes with one site; of so many calls.
holds() { # CALLS
    "$command" export --format csv -o "$work/csv" "$trace" || return 1
    awk -F, -v calls="$1" 'NR > 1 && $4 == "MPI_Bcast" { count++; site[$9]; bytes[$10]; both[$9, $10] }
        END { print count, length(site), length(bytes), length(both)
              exit count != calls || length(site) != 1000 || length(bytes) != 1000 || length(both) != 1000 }' "$work/csv"
}

for files in rank node; do
    rm -rf "$trace"
    recorded 1 SYNCOPATE_FILES=$files "$PROGRAMS/many_sites" 200000
    check "a long trace, a file a $files: 200,000 calls from where they were made" holds 200000
    check "it is whole" "$command" check "$trace"
done
rm -rf "$trace"
recorded 1 "$PROGRAMS/many_sites" 20000
check "a short one, whose tables are made small" holds 20000
exit $failed
