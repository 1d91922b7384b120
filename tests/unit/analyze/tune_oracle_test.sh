#!/bin/sh
# tune_oracle_test.sh MAKE_TRACE SYNCOPATE ORACLE - promises of `tune` against R's out of the launches' medians in its own answer. A
# launcher that starts nothing answers with drawn times, and leaves some out of more than five launches. Exit status 77 (skipped) where R or its jsonlite is
# missing, or no Open MPI was there to build for.
. "$(dirname "$0")/oracle_lib.sh"
samples=$(dirname "$0")/../../../docs/samples
if [ ! -x "$(dirname "$syncopate")/../lib/syncopate-tune-openmpi" ]; then
    echo "skipped: tune has no program for Open MPI"
    exit 77
fi

# The answers of preload/tune/measure.c; each plan has another seed. SCALE: of all times.
cat >"$folder/launcher" <<'end'
#!/bin/sh
exec awk -v scale="$SCALE" -v mode="$MODE" 'function draw() {
    state = state * 16807 % 2147483647
    return state / 2147483647
}
NR == 1 {
    ranks = $1
    seed = $3
    state = 1000003 * (seed + 1)
}
NR > 1 && NF == 7 && $7 !~ /=/ {
    for (set = 0; set < 2; set++) {
        time = scale * (1 + $1) * (set ? 0.4 + 0.15 * $1 : 1) * (1 + 0.2 * draw())
        if (mode != "gaps" || seed < 7 || draw() > 0.4)
            printf "B\t%d\t%d\t40\t3\t%.0f\t%.0f\t%.0f\n", $1, set, time, time, time * (set ? 0.3 : 0.6 + 0.2 * draw())
    }
}
END {
    if (NR > 1)
        exit
    printf "N\t%d\nM\tOpen MPI v4.1.4\n", ranks
    for (i = 0; i < ranks; i++)
        print "H\there"
    print "V\tcoll_tuned_use_dynamic_rules\t0\t0\tSwitch\t0=false,1=true"
    split("allreduce barrier bcast gather reduce alltoall allgather", op, " ")
    for (i in op)
        printf "V\tcoll_tuned_%s_algorithm\t0\t1\tWhich\t0=ignore,1=linear\n", op[i]
}'
end
chmod +x "$folder/launcher"

# check NAME SAMPLE SCALE MODE TIME
check() {
    SCALE=$3 MODE=$4 "$syncopate" tune --for "$5" --format json "$samples/$2" -- "$folder/launcher" >"$folder/$1.json" 2>/dev/null
    judge "$folder/$1.json"
}

check faster chatty 2000 whole 1s
check slower chatty 2000000 whole 1s
check gaps slowing 20000 gaps 4s
judge_all
