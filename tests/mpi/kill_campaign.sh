#!/bin/bash
# Programs killed with SIGKILL at random moments; what they had done by then is in the trace, event for event.
# usage: kill_campaign.sh N: N kills, by turns of one rank, of all at once and of the launcher, after MPI_Init, and of all at any
# moment of a short life, MPI_Init and MPI_Finalize among them; with small buffers (so that a kill meets a block being
# written away) and large ones, with one thread and several. Then the trace is recovered, and holds the same. KILL_SEED: of the
# moments, buffers and threads; drawn where it is not set, and printed.
. "$(dirname "$0")/lib.sh"
kills=${1:-20}
seed=${KILL_SEED:-$(($(date +%N | sed 's/^0*//') % 32768))}
RANDOM=$seed
echo "KILL_SEED=$seed"
command=$(dirname "$SYNCOPATE")/../bin/syncopate
# Open MPI's launcher would give the other ranks of a run that failed a second before it kills them.
export OMPI_MCA_odls_base_sigkill_timeout=0
export SYNCOPATE_QUIET=1 SYNCOPATE_SYNC=none
total=0 lost=0 worst=0 untold=0
declare -A ends

pids() { # of the ranks, as far as they have said
    for file in "$work"/truth/*; do
        [ -s "$file" ] && od -An -N8 -tu8 "$file" | tr -d ' '
    done | grep -vx 0 # (kill takes 0 for this script's own group)
}
# (Nothing is started but sleep: what the ranks do meanwhile is to be read again afterwards.)
begun() {
    for ((i = 0; i < 3000; i++)); do
        [[ -s $work/truth/0 && -s $work/truth/1 ]] && return
        kill -0 "$launcher" 2>/dev/null || return 1
        sleep 0.005
    done
    return 1
}
pause() { # up to $1 ms
    local us=$((RANDOM * $1 * 1000 / 32768))
    sleep "$((us / 1000000)).$(printf %06d $((us % 1000000)))"
}
one() { # WHOM LIFE: one kill
    rm -rf "$trace" "$trace.old" "$work/truth"
    mkdir "$work/truth"
    threads=$((RANDOM % 3 ? 1 : 3))
    buffer=$((RANDOM % 2)) && [ $buffer = 1 ] && buffer=64K || buffer=4M
    calls=18446744073709551615
    [ "$2" = whole ] && calls=$((RANDOM * 20))
    CALLS=$calls timeout -s KILL 60 "$MPIRUN" -n 2 env "LD_PRELOAD=${ASAN:+$ASAN }$SYNCOPATE" "SYNCOPATE_OUTPUT=$trace" \
        SYNCOPATE_BUFFER=$buffer "$PROGRAMS/kill" "$work/truth" $threads </dev/null >/dev/null 2>"$work/said" &
    launcher=$!
    has_begun=
    if [ "$2" = whole ]; then pause 700; else begun && has_begun=yes && pause 60; fi
    case $1 in
    rank) kill -KILL "$(pids | sed -n 2p)" ;;
    launcher) kill -KILL "$(pgrep -P $launcher | head -1)" && pause 20 && kill -KILL $(pids) ;;
    all) kill -KILL $(pids) ;;
    esac 2>/dev/null
    [ "$2" = whole ] || wait $launcher
    wait $launcher
} 2>/dev/null

judge() { # LIFE
    [ "$1$has_begun" != long ] || { echo "the ranks did not begin to work"; return 1; }
    "$PROGRAMS/../kill_check" "$trace" "$work/truth" >"$work/before"
    status=$?
    if [ $status = 3 ] && [ "$1" = whole ]; then # before anything was recorded
        untold=$((untold + 1))
        return 0
    fi
    while read -r _ how_lines; do
        set -- $how_lines
        n=${*: -1} in=${*: -3:1}
        how=${how_lines% * * *}
        ends[$how]=$((${ends[$how]:-0} + 1))
        total=$((total + in)) lost=$((lost + n))
        [ "$n" -gt $worst ] && worst=$n
    done < <(grep -E '^[0-9]+ ' "$work/before")
    [ $status = 0 ] || { cat "$work/before"; return 1; }
    "$command" report "$trace" >"$work/report" 2>"$work/why" || { cat "$work/why"; return 1; }
    recover_ended >"$work/why" || { cat "$work/why"; return 1; }
    "$PROGRAMS/../kill_check" "$trace" "$work/truth" >"$work/after" || { echo recovered; cat "$work/after"; return 1; }
    diff <(sed 's/^/x/' "$work/before") <(sed 's/^/x/' "$work/after") || return 1
    [ "$(grep -c . "$work/before")" = 2 ] || return 0
    [ -z "$(find "$trace" -name '*.raw')" ] || { ls "$trace"; return 1; }
}

for number in $(seq "$kills"); do
    case $((number % 4)) in
    0) whom=rank life=long ;;
    1) whom=all life=long ;;
    2) whom=launcher life=long ;;
    *) whom=all life=whole ;;
    esac
    one $whom $life
    check "kill $number, of $whom, $life" judge $life || true
done
echo "$MPI: $kills kills, $total events in the traces; lost in all: $lost, at most by one rank: $worst; killed before recording: $untold"
for how in "${!ends[@]}"; do echo "  ${ends[$how]} ranks: $how"; done
[ "$lost" = 0 ] || failed=1
finish
