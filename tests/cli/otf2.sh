#!/bin/sh
# export --format otf2, as OTF2's own reader has it, against the same trace as csv: every call entered and completed at its
# times, regions nested, members of communicators. $MAKE_TRACE, $MPIRUN, $PROGRAMS. Exit status 77 without otf2-print.
command -v otf2-print >/dev/null 2>&1 || { echo "skipped: no otf2-print"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/record_lib.sh"

# Programs that are not ours: the sanitizer of the injected library is not for them.
# (Times of over two seconds are no integers to every awk: OFMT is how it prints them.)
awk() { LD_PRELOAD= command awk -v OFMT=%.0f "$@"; }
print_archive() { LD_PRELOAD= otf2-print "$@"; }

# The calls of a trace as csv has them: "rank time what operation bytes", times from the run's begin.
csv_calls()
{
    begin=$($SYNCOPATE_CLI report --format json "${1%.csv}" 2>/dev/null | sed -n 's/.*"begin_ns": *\(-*[0-9]*\).*/\1/p' | head -1)
    sed 's/"[^"]*"/x/g' "$1" | awk -F, -v first="$begin" 'NR > 1 { row[NR] = $0 }
        END { for (i in row) {
            split(row[i], f, ",")
            rank = f[2]; op = f[4]; other = op ~ /_init$|^MPI_I[a-z]|_begin$|^MPI_(Comm|File)_i/
            if (op ~ /^MPI_Intercomm/) other = 0
            message = f[25] != ""; bits = int(f[25])
            if (message) {
                other = f[13] != f[14] || f[12] != f[15]
                if (int(bits / 8) % 2 == 0 && int(bits / 1024) % 2 == 0 && f[23] >= 0) {
                    if (bits % 2 == 0) print rank, f[12] - first, "send", f[24], f[10]
                    else if (int(f[16]) % 2 == 0) print rank, f[13] - first, "receive", f[24], f[10]
                }
            }
            print rank, f[12] - first, "enter", op
            if (!other) print rank, f[13] - first, "leave", op
            else print rank, f[14] - first, "leave", op
            if (other && !message && int(f[16]) % 2 == 0 && int(f[16] / 64) % 2 == 0 && op !~ /File|Neighbor|neighbor/)
                print rank, f[13] - first, "complete", f[10] } }' | sort
}

# Prints the calls that otf2-print shows, in the same form. A location is a thread, of rank N if its name says so. Exit status 1 if regions
# do not nest.
otf2_calls()
{
    print_archive -G "$1/traces.otf2" >"$work/definitions" || return 1
    print_archive "$1/traces.otf2" >"$work/events" 2>"$work/err" || return 1
    [ ! -s "$work/err" ] || return 1 # a warning
    awk 'FNR == NR { if ($1 == "LOCATION") { match($0, /Group: "MPI Rank [0-9]+"/)
                if (RSTART) { group = substr($0, RSTART + 17, RLENGTH - 18); rank[$2] = group } }; next }
        $1 ~ /^[A-Z_]+$/ && $2 ~ /^[0-9]+$/ {
            region = $0; sub(/.*Region: "/, "", region); sub(/".*/, "", region)
            if ($1 == "ENTER") { stack[$2, ++depth[$2]] = region
                if (region != "MPI completion") print rank[$2], $3, "enter", region }
            if ($1 == "LEAVE") { if (stack[$2, depth[$2]--] != region) { print "not nested: " $0; exit 1 }
                if (region != "MPI completion") print rank[$2], $3, "leave", region }
            if ($1 ~ /^MPI_I?(SEND|RECV)$/) { tag = $0; sub(/.*Tag: /, "", tag); sub(/,.*/, "", tag)
                sent = $0; sub(/.*Length: /, "", sent); sub(/,.*/, "", sent)
                print rank[$2], $3, $1 ~ /SEND/ ? "send" : "receive", tag, sent }
            if ($1 == "NON_BLOCKING_COLLECTIVE_COMPLETE") { sent = $0; sub(/.*Sent: /, "", sent); sub(/,.*/, "", sent)
                print rank[$2], $3, "complete", sent } }
        END { for (l in depth) if (depth[l]) { print "left open: location " l; exit 1 } }' "$work/definitions" "$work/events" |
        sort
}

# equal TRACE: the archive of it says what its csv says.
equal()
{
    rm -rf archive
    run $SYNCOPATE_CLI export --format otf2 -o archive "$1"
    expect "status of the archive of $1" "$status" 0
    run $SYNCOPATE_CLI export --format csv -o "$1.csv" "$1"
    csv_calls "$1.csv" >csv_calls
    otf2_calls archive >otf2_calls
    cmp -s csv_calls otf2_calls || { diff csv_calls otf2_calls | head -20; fail "$1: the archive differs from the csv"; }
    echo "$1: $(wc -l <otf2_calls) entries, exits and completions"
}

"$MAKE_TRACE" plain events=2000 groups=4 rooted=1
"$MAKE_TRACE" split ranks=8 events=3000 groups=3 split=1
"$MAKE_TRACE" nothing events=0
"$MAKE_TRACE" halo program=1 ranks=5 events=200 late=2
"$MAKE_TRACE" master program=3 ranks=4 events=200
"$MAKE_TRACE" lacking events=800 groups=2
rm lacking/rank-000001.syn
equal plain
expect "collectives of plain" "$(grep -c '^MPI_COLLECTIVE_END' events)" "$(($(wc -l <plain.csv) - 1))"
equal split
expect "members of the communicators" "$(grep -c '^GROUP .*COMM_GROUP' definitions)" "$(cut -d, -f5 split.csv | sed 1d | sort -u | wc -l)"
equal nothing
equal halo
equal master
equal lacking
expect "ranks, with the one that is missing" "$(grep -c '^LOCATION_GROUP ' definitions)" 4
for program in nonblocking threads windows_files; do
    run $SYNCOPATE_CLI record -q -o $program -- $MPIRUN -n 2 "$PROGRAMS/$program"
    equal $program
    # The other format that has time lines: operations that outlive their calls, threads.
    run $SYNCOPATE_CLI export --format perfetto -o $program.json $program
    run env LD_PRELOAD= python3 "$here/read_trace_events.py" $program.json
    expect "trace events of $program" "$status" 0
done
grep -q '"ph":"b"' nonblocking.json || fail "no asynchronous slices"

# A receive into a larger buffer has the size of the message.
run $SYNCOPATE_CLI record -q --messages events -o messages -- $MPIRUN -n 2 "$PROGRAMS/message_events"
equal messages
expect "bytes and bits of the receives with tag 12" \
    "$(sed 's/"[^"]*"/x/g' messages.csv | awk -F, '$4 == "MPI_Irecv" && $24 == 12 { print $10, $25 }' | sort -u)" "2 1"

# OTF2's Python module reads definitions as they come.
python=/usr/bin/python3
if LD_PRELOAD= $python -c 'import otf2' 2>/dev/null; then
    for trace in split nonblocking; do
        rm -rf archive
        run $SYNCOPATE_CLI export --format otf2 -o archive $trace
        run env LD_PRELOAD= $python "$here/read_otf2.py" archive/traces.otf2
        expect "status of the Python module on $trace" "$status" 0
        grep '^calls ' out | awk '{ count[$2] += $NF } END { for (op in count) print op, count[op] }' | sort >python_calls
        sed 's/"[^"]*"/x/g' $trace.csv | awk -F, 'NR > 1 { count[$4]++ } END { for (op in count) print op, count[op] }' | sort >csv_counts
        cmp -s python_calls csv_counts || { diff python_calls csv_counts | head; fail "$trace: the Python module counts otherwise"; }
    done
    # The sends of each channel are its receives.
    rm -rf archive
    run $SYNCOPATE_CLI export --format otf2 -o archive halo
    run env LD_PRELOAD= $python "$here/read_otf2.py" archive/traces.otf2
    grep '^send ' out | cut -d' ' -f2- >sends
    grep '^receive ' out | cut -d' ' -f2- >receives
    expect "channels of the halo" "$(wc -l <sends)" 10
    cmp -s sends receives || { diff sends receives | head; fail "sends and receives of the halo differ"; }
    rm -rf archive
    run $SYNCOPATE_CLI export --format otf2 -o archive nonblocking
    run env LD_PRELOAD= $python "$here/read_otf2.py" archive/traces.otf2
    grep -q '^calls [A-Za-z_]* nonblocking.c:[1-9]' out || fail "no source lines"
    grep -q '^comm MPI_COMM_WORLD 2$' out || fail "the members of MPI_COMM_WORLD"
else
    echo "skipped: reading by OTF2's Python module, which is not installed"
fi

# An archive is whole or not there, and nothing that is there is lost.
run $SYNCOPATE_CLI export --format otf2 -o archive plain
expect "status where something is there" "$status" 2
expect_line err 'archive: File exists'
run $SYNCOPATE_CLI export --format otf2 plain
expect "status without a directory" "$status" 2
expect_line err '-o DIRECTORY is needed'
mkdir -p runs && cp -r plain runs/run-0001 && cp -r plain runs/run-0002
run $SYNCOPATE_CLI export --format otf2 -o two runs
expect "status of two runs" "$status" 2
expect_line err '2 runs'
run $SYNCOPATE_CLI export --format otf2 -o nowhere/archive plain
expect "status of a directory that cannot be made" "$status" 2
expect_line err 'nowhere/archive: No such file or directory'
expect "nothing left behind" "$(ls -d ./*.part two 2>/dev/null | wc -l)" 0
finish
