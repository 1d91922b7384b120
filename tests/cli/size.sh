#!/bin/sh
# size.sh - a trace of several slices gives one report, byte for byte, whatever the number of threads
# and the memory: also where ranks' events are missing; and memory that is short is said. SYNCOPATE_CLI, MAKE_TRACE and
# EVENTS (of three ranks) are given.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$MAKE_TRACE" whole ranks=3 "events=$EVENTS" groups=5 late=1 late_share=0.3 split=1 bound_ns=3 >/dev/null
cp -r whole cut
truncate -s $(($(stat -c %s whole/rank-000002.syn) * 6 / 10)) cut/rank-000002.syn
printf '\377\377\377' | dd of=cut/rank-000001.syn bs=1 seek=70000 conv=notrunc 2>/dev/null
printf '\377\377\377' | dd of=cut/rank-000001.syn bs=1 seek=230000 conv=notrunc 2>/dev/null
printf '\377\377\377' | dd of=cut/rank-000001.syn bs=1 seek=500000 conv=notrunc 2>/dev/null

# (Keys of other kinds are under a sanitizer elsewhere: facts.sh.)
all_keys="op,site,comm,bytes op,rank"
[ -z "${SANITIZED:-}" ] || all_keys=op,rank
for trace in whole cut; do
    for keys in $all_keys; do
        "$SYNCOPATE_CLI" report --format json --by $keys --threads 1 --memory 64G $trace >one 2>one.err
        for how in '--threads 2 --memory 64G' '--threads 5 --memory 1M'; do
            "$SYNCOPATE_CLI" report --format json --by $keys $how $trace >other 2>other.err
            cmp one other
            cmp one.err other.err
        done
    done
done

# Calls that overlap on communicators that contain one another: in which order they are read, in pieces where memory is
# short, is the same.
drawn_events=200000
[ -z "${SANITIZED:-}" ] || drawn_events=60000
"$MAKE_TRACE" drawn drawn=1 ranks=11 events=$drawn_events >/dev/null
"$SYNCOPATE_CLI" report --format json --threads 1 --memory 64G drawn >one
"$SYNCOPATE_CLI" report --format json --threads 2 --memory 1M drawn >other
cmp one other

# Ranks that are all together at the begin and at the end alone: what each did is kept all the while, in a file beyond
# --memory. The figures are the same, in time that grows with the events.
apart_events=$EVENTS
[ -z "${SANITIZED:-}" ] || apart_events=350000 # two slices, and beyond 64 MB still
"$MAKE_TRACE" apart ranks=4 events=$apart_events groups=12 split=3 >/dev/null
peak() { # MEMORY FILE: prints the largest resident memory, in KB
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], "w"), check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
        "$2" "$SYNCOPATE_CLI" report --format json --threads 1 --memory "$1" apart
}
large=$(peak 64G one)
small=$(peak 8M other)
cmp one other
echo "resident: $large KB, with --memory 8M $small KB"
if [ -z "${SANITIZED:-}" ] && [ $((small * 10)) -ge $((large * 8)) ]; then
    echo "FAILED: --memory bounds too little"
    exit 1
fi

# Data that exceed the memory go to a file. If its directory is missing or full, the report is refused: one line that names the place,
# status 2.
refused() { # WORDS MEMORY TRACE
    "$SYNCOPATE_CLI" report --memory "$2" "$3" >out 2>err && status=0 || status=$?
    [ $status = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q "^syncopate: $TMPDIR: .*$1" err ||
        { echo "FAILED: TMPDIR=$TMPDIR: status $status"; cat err; exit 1; }
}
(TMPDIR=$work/nowhere && export TMPDIR && refused 'No such file' 1M whole)
# ... where figures do not fit, and where what ranks did since they were together does not
(TMPDIR=$work/nowhere && export TMPDIR && refused 'No such file' 64M apart)
(TMPDIR=$work && export TMPDIR && ulimit -f 100 && refused 'File too large' 1M whole)
(TMPDIR=$work && export TMPDIR && ulimit -f 1000 && refused 'File too large' 64M apart)

# Two of three steps are on WORLD; the third is one instance of the even ranks and one of the odd rank: 4 instances for 9 events. The count
# shows that nothing is lost between slices.
# The run's own counts come before those of its groups.
"$SYNCOPATE_CLI" report --format json whole |
    sed -n 's/^ *"\(instances\|incomplete\)": \([0-9]*\),$/\1 \2/p' | head -2 >got
printf 'instances %d\nincomplete 0\n' $((EVENTS / 9 * 4)) | cmp - got
