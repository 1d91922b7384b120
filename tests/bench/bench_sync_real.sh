#!/bin/bash
# bench_sync_real.sh - the synchronization of clocks over real messages: what it costs, and how good it is.
#
# usage: bench_sync_real.sh [-q] [-r ROUNDS] [-o DIR] BUILD_DIRECTORY
#
#   -q         quick: 2 ranks, 2 hosts, 2 s between the two measurements (10 s without)
#   -r ROUNDS  repetitions (3)
#   -o DIR     where the tables go (sync-real)
#
# DIR/init.csv   what MPI_Init's synchronization takes (the default method) by MPI and ranks, on one host
#                and on several; limits: 0.2 s on one host, 1.5 s on several
# DIR/error.csv  every method with the same number of exchanges, on hosts of tests/lab with clocks up to
#                1 s and 20 ppm apart (see sync_real.c): seconds, messages, error of the worst rank
# and both, as medians over the rounds, on stdout. Where there can be no lab, one host only.
set -u

here=$(dirname "$(readlink -f "$0")")
lab=$here/../lab/lab.sh
ranks_on_one_host='2 8 16 64' hosts_of_lab='2 4' run_s=10 rounds=3 out=sync-real
while getopts qr:o: option; do
    case $option in
    q) ranks_on_one_host=2 hosts_of_lab=2 run_s=2 ;;
    r) rounds=$OPTARG ;;
    o) out=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(readlink -e "${1-}") || { echo "bench_sync_real.sh: which build directory?" >&2; exit 2; }
mkdir -p "$out" || exit
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

mpis=()
for mpi in openmpi mpich; do
    [[ -x $build/tests/bench/sync_real.$mpi ]] && mpis+=("$mpi")
done

progress() { printf '%s\n' "bench_sync_real: $*" >&2; }

# sync_ms COMMAND...: the figure of the line with which a recording begins: "(auto clock, 12 ms)".
sync_ms() {
    "$@" 2>&1 >/dev/null | sed -n 's/.*recording .*clock, \([0-9.]*\) ms).*/\1/p'
}

one_host() {
    local mpi=$1 ranks=$2 yield=()
    [[ $mpi == openmpi ]] && yield=(--oversubscribe)
    sync_ms timeout 300 "mpirun.$mpi" "${yield[@]}" -np "$ranks" \
        "$build/bin/syncopate" record -o "$scratch/trace" "$build/tests/lab/collective_loop.$mpi" 0
}

several_hosts() {
    local mpi=$1 hosts=$2
    sync_ms "$lab" -B "$build/tests/lab" -k "$hosts" -d 30 -j 10 -T 300 "$mpi" \
        "$build/bin/syncopate" record -o "$scratch/trace" "$build/tests/lab/collective_loop.$mpi" 0
}

measure_init() {
    local round mpi count
    echo "mpi,where,ranks,round,sync_ms"
    for ((round = 0; round < rounds; round++)); do
        for mpi in "${mpis[@]}"; do
            for count in $ranks_on_one_host; do
                progress "MPI_Init, $mpi, $count ranks on one host"
                echo "$mpi,one host,$count,$round,$(one_host "$mpi" "$count")"
            done
            for count in $hosts_of_lab; do
                progress "MPI_Init, $mpi, $count hosts"
                echo "$mpi,$count hosts,$count,$round,$(several_hosts "$mpi" "$count")"
            done
        done
    done
}

measure_error() {
    local mpi count
    echo "label,ranks,round,method,fitpoints,exchanges,begin_s,end_s,messages,error_0s_ns,error_5s_ns,error_10s_ns,bound_0s_ns,bound_10s_ns,error_mid_ns,bound_mid_ns,barrier_skew_ns"
    for mpi in "${mpis[@]}"; do
        for count in $hosts_of_lab; do
            progress "every method, $mpi, $count hosts"
            "$lab" -B "$build/tests/lab" -k "$count" -d 30 -j 10 -a 10 -T 900 "$mpi" \
                "$build/tests/bench/sync_real.$mpi" -r "$rounds" -w "$run_s" -l "$mpi"
        done
    done
}

# medians KEYS FIRST LAST FILE: by the first columns KEYS (a list such as 1,2,4), columns FIRST..LAST as medians.
medians() {
    awk -F, -v keys="$1" -v first="$2" -v last="$3" '
    function median(list,    values, count, i, j, held) {
        count = split(list, values, " ")
        for (i = 2; i <= count; i++) {
            held = values[i] + 0
            for (j = i - 1; j >= 1 && values[j] + 0 > held; j--) values[j + 1] = values[j]
            values[j + 1] = held
        }
        return count ? values[int((count + 1) / 2)] : "-"
    }
    BEGIN { key_count = split(keys, key_column, ",") }
    {
        key = ""
        for (i = 1; i <= key_count; i++) key = key $key_column[i] ","
        if (NR == 1) { line = key; for (i = first; i <= last; i++) line = line $i ","; print line; next }
        if (!(key in seen)) { seen[key] = ++group_count; name[group_count] = key }
        for (i = first; i <= last; i++) values_of[key, i] = values_of[key, i] " " $i
    }
    END {
        for (g = 1; g <= group_count; g++) {
            line = name[g]
            for (i = first; i <= last; i++) line = line median(values_of[name[g], i]) ","
            print line
        }
    }' "$4" | sed 's/,$//' | column -s, -t
}

measure_init >"$out/init.csv"
measure_error >"$out/error.csv"
medians 1,2,3 5 5 "$out/init.csv"
echo
medians 1,2,4 7 17 "$out/error.csv"
