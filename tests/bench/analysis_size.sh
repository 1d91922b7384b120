#!/bin/sh
# What a report costs as traces grow: made traces of 4 ranks and 12 groups, from 10^5 events to 10^LARGEST.
# usage: [THREADS="1 2"] analysis_size.sh SYNCOPATE MAKE_TRACE DIRECTORY [LARGEST=8] [MEMORY=1G] >analysis_size.csv
# A trace that DIRECTORY has already is used as it is; 10^9 events take 3.1 GB there, and the report's temporary file
# a few more in TMPDIR. CPU seconds are those of all threads; peak memory is that of the process.
set -eu
syncopate=$1 make_trace=$2 directory=$3 largest=${4:-8} memory=${5:-1G}
mkdir -p "$directory"
echo "events,threads,memory,wall_s,cpu_s,peak_mb"
for power in $(seq 5 "$largest"); do
    events=1$(printf "%0${power}d" 0)
    trace=$directory/t$events
    [ -d "$trace" ] || "$make_trace" "$trace" ranks=4 events="$events" groups=12
    for threads in ${THREADS:-1 2}; do
        env time -f '%e %U %S %M' -o "$directory/cost" \
            "$syncopate" report --threads "$threads" --memory "$memory" -o "$directory/report" "$trace"
        awk -v e="$events" -v t="$threads" -v m="$memory" \
            '{ printf "%s,%d,%s,%.2f,%.2f,%.0f\n", e, t, m, $1, $2 + $3, $4 / 1024 }' "$directory/cost"
    done
done
