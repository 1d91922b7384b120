#!/bin/sh
# What an event costs in a report as ranks, call sites and communicators grow: made traces of EVENTS events each, with 2 to 65,536 ranks
# (12 sites, from 128 ranks on in node files of 128), of 8 ranks with 10 to 10^5 sites, and
# of 8 ranks with 1 to 10^4 communicators of all of them.
# usage: [TURNS=3] [RANKS="2 8 ..."] [SITES="10 100 ..."] [COMMS="1 10 ..."] analysis_growth.sh MAKE_TRACE DIRECTORY EVENTS SYNCOPATE... >growth.csv
# Several SYNCOPATE (versions) take turns, one thread each; the report of each is to be the first one's, byte for byte.
# A trace that DIRECTORY has already is used as it is.
set -eu
make_trace=$1 directory=$2 events=$3
shift 3
mkdir -p "$directory"

measure() { # WHAT VALUE TRACE SYNCOPATE...
    what=$1 value=$2 trace=$3
    shift 3
    for turn in $(seq "${TURNS:-3}"); do
        version=0
        for syncopate; do
            env time -f '%e %U %S %M' -o "$directory/cost" \
                "$syncopate" report --threads 1 -o "$directory/report.$version" "$trace"
            cmp "$directory/report.0" "$directory/report.$version" >&2
            awk -v w="$what" -v n="$value" -v e="$events" -v v="$version" -v t="$turn" \
                '{ printf "%s,%d,%d,%d,%d,%.2f,%.2f,%.0f,%.0f\n", w, n, e, v, t, $1, $2 + $3, ($2 + $3) / e * 1e9, $4 / 1024 }' \
                "$directory/cost"
            version=$((version + 1))
        done
    done
}

echo "what,count,events,version,turn,wall_s,cpu_s,ns_an_event,peak_mb"
for ranks in ${RANKS-2 8 32 128 512 2048 8192 32768 65536}; do
    trace=$directory/ranks$ranks
    [ -d "$trace" ] || "$make_trace" "$trace" ranks=$ranks events="$events" groups=12 nodes=$((ranks / 128))
    measure ranks $ranks "$trace" "$@"
done
for sites in ${SITES-10 100 1000 10000 100000}; do
    trace=$directory/sites$sites
    [ -d "$trace" ] || "$make_trace" "$trace" ranks=8 events="$events" groups=$sites
    measure sites $sites "$trace" "$@"
done
for comms in ${COMMS-1 10 100 1000 10000}; do
    trace=$directory/comms$comms
    [ -d "$trace" ] || "$make_trace" "$trace" ranks=8 events="$events" groups=12 comms=$comms
    measure comms $comms "$trace" "$@"
done
