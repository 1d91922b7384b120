#!/bin/sh
# team_instructions.sh - what processes of a report by several processes compute, in instructions: they do not depend
# on what else the machine does, nor on how many processors it has.
#
#     [WHICH="0 1"] team_instructions.sh TEAM MPIRUN TRACE PROCESSES...
#
# TEAM is the front end of the MPI (syncopate-openmpi, syncopate-mpich). Each process has one thread; those that WHICH names
# run under callgrind. A line for each number of processes and process: millions of instructions of all, of the report
# without the MPI, and of what process 0 takes in from others and does alone.
set -eu
team=$1 run=$2 trace=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/counted" <<'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK}}
case " $WHICH " in
*" $rank "*) exec valgrind -q --tool=callgrind --callgrind-out-file="$COUNTS.$rank" "$@" ;;
*) exec "$@" ;;
esac
END
chmod +x "$work/counted"
export WHICH="${WHICH:-0 1}" COUNTS

# inclusive FILE FUNCTION: millions, 0 where it was not called.
inclusive() {
    callgrind_annotate --inclusive=yes --threshold=100 --auto=no "$1" |
        awk -v name=":$2( |\$)" '$0 ~ name && !found { gsub(",", "", $1); printf "%.0f", $1 / 1e6; found = 1 }
                                 END { if (!found) printf "0" }'
}

echo "processes  process      all   report  matching  taking in  exchange  causes' tree  figures  the run's figures"
for processes; do
    COUNTS=$work/counts.$processes
    "$run" -n "$processes" "$work/counted" "$team" report --threads 1 -o "$work/report" "$trace"
    for rank in $WHICH; do
        file=$COUNTS.$rank
        [ -f "$file" ] || continue
        taken=$(($(inclusive "$file" syn_match_receive) + $(inclusive "$file" end_part)))
        printf '%9d  %7d  %7d  %7d  %8d  %9d  %8d  %12d  %7d  %17d\n' "$processes" "$rank" "$(inclusive "$file" main)" \
            "$(inclusive "$file" syn_team_report)" "$(inclusive "$file" syn_slice_read)" "$taken" \
            "$(inclusive "$file" syn_outbox_exchange)" "$(inclusive "$file" syn_team_gather_causes)" \
            "$(inclusive "$file" syn_figures_compute)" \
            $(($(inclusive "$file" syn_facts_end) + $(inclusive "$file" syn_findings_make) + $(inclusive "$file" syn_causes_end)))
    done
done
