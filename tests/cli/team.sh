#!/bin/sh
# team.sh - a report by several processes is that of one, byte for byte, in every format: of a whole
# trace, of one that was cut and damaged, of two runs, by rank. TEAM is the front end of the MPI, RUN its mpirun, YIELDING what
# makes its ranks yield, or empty; SYNCOPATE_CLI, MAKE_TRACE and EVENTS (of three ranks) are given.
set -e
. "$(dirname "$0")/../launchers.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
own_sessions "$work"
cd "$work"

"$MAKE_TRACE" whole ranks=3 "events=$EVENTS" groups=5 late=1 late_share=0.3 split=1 bound_ns=3 paused=1000 >/dev/null
cp -r whole cut
truncate -s $(($(stat -c %s whole/rank-000002.syn) * 6 / 10)) cut/rank-000002.syn
size=$(stat -c %s cut/rank-000001.syn)
for percent in 6 21 45; do
    printf '\377\377\377' | dd of=cut/rank-000001.syn bs=1 seek=$((size / 100 * percent)) conv=notrunc 2>/dev/null
done
"$MAKE_TRACE" many ranks=3 "events=$EVENTS" groups=700 late=1 late_share=0.2 split=1 >/dev/null
# Ranks that are never all together: what each did is kept. (Two slices, for that takes long.)
"$MAKE_TRACE" apart ranks=3 events=280000 groups=70 late=1 late_share=0.2 split=2 >/dev/null
# Operations that take longer from a call on: a text says so of groups that are not light, whoever computes them.
"$MAKE_TRACE" changed ranks=3 events=60000 groups=5 late=1 late_share=0.3 jump_at=2000 jump_ratio=1.5 >/dev/null
mkdir runs
"$MAKE_TRACE" runs/run-0001 ranks=4 events=40000 run=1 seed=3 >/dev/null
"$MAKE_TRACE" runs/run-0002 ranks=4 events=40000 run=2 seed=4 site_shift=64 warmup=30 >/dev/null

team() { # PROCESSES ARGUMENT...
    processes=$1
    shift
    "$RUN" -n "$processes" env ${YIELDING:+"LD_PRELOAD=$YIELDING"} "$TEAM" report "$@" >team 2>team.err
}

# same PROCESSES ARGUMENT...: what the front end prints and says is what the command does.
same() {
    processes=$1
    shift
    "$SYNCOPATE_CLI" report --threads 1 "$@" >one 2>one.err
    team "$processes" "$@" || { cat team.err; exit 1; }
    cmp one team
    grep '^syncopate' team.err | cmp one.err -
}

same 2 --format json --threads 2 whole
same 2 --format json --by comm,bytes,rank --threads 2 apart # efficiencies by sums of their own
same 3 --format csv --threads 1 cut
same 2 --format text --top 0 --threads 1 cut
same 2 --format text --by op --threads 1 changed
grep -q 'times as long as before' one
same 2 --format json --by op,rank --pairs --memory 1M runs
same 3 --format html --by op,node,run --skip-warmup --ci block runs
same 4 --format text --by site,bytes runs # more processes than slices
same 5 --format markdown --memory 1M --threads 1 many

# Errors are reported once, and the exit status is the command's.
for arguments in '--format nothing whole' 'nowhere'; do
    status=0
    team 2 $arguments || status=$?
    [ "$status" -eq 2 ]
    [ "$(grep -c '^syncopate' team.err)" -eq 1 ]
done
