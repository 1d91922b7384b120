#!/bin/bash
# lab.sh - several "hosts" on one machine, and an MPI program run over TCP between them.
#
# usage: lab.sh [OPTION...] openmpi|mpich PROGRAM [ARG...]
#
#   -k HOSTS    how many hosts (2)
#   -p RANKS    ranks on each host (1)
#   -d US       delay of the network, one way, in microseconds
#   -j US       jitter: up to so much more, uniformly, for every frame
#   -a US       asymmetry: so much more on the way from a higher host to a lower one
#   -s US       spike: so much more for one frame in a hundred
#   -t SECONDS  shift CLOCK_MONOTONIC of host i by i * SECONDS (whole seconds; 0: by nothing)
#   -P FILE     preload FILE into the program (and not into mpirun); may be given again
#   -T SECONDS  kill everything after so long (120)
#   -B DIR      where the built helpers are (default: beside this script)
#   -h          this text
#
# A host has its own network (10.77.0.1, .2, ...), host name (host0, host1, ...), boot id and
# /dev/shm, and with -t its own time namespace: to MPI and to a profiler it is another machine. The
# file system is shared, as on a cluster. Without -d, -j, -a, -s the hosts hang on a kernel bridge;
# with any of them on delaysw, a switch in user space. No frame leaves the machine: the network is
# made inside a namespace that has no way out.
#
# Everything lives in one PID and one mount namespace whose first process is this script: however it
# ends, the kernel ends and removes all of it. Works as root, or where users may make namespaces.
#
# Exit status: the program's; 2 wrong usage; 77, with one line, where namespaces (or the programs it
# needs) are not to be had; 124 out of time.
set -u

self=$(readlink -f "$0")
here=$(dirname "$self")

say() { printf 'lab: %s\n' "$*" >&2; }
die() { say "$*"; exit 2; }
skip() { printf 'skipped: %s\n' "$*" >&2; exit 77; }
help() { sed -n '2,/^set -u/{/^set -u/d;s/^# \{0,1\}//;p}' "$self"; }

# ---- outside: options, and whether this machine permits it ----

# number NAME VALUE: VALUE must be a number without a sign.
number() {
    [[ $2 =~ ^[0-9]+(\.[0-9]+)?$ ]] || die "-$1 wants a number, not '$2' (-h for help)"
}

# whole NAME VALUE LOW HIGH: VALUE must be an integer within those.
whole() {
    if ! [[ $2 =~ ^(0|[1-9][0-9]{0,8})$ ]] || (($2 < $3 || $2 > $4)); then
        die "-$1 wants an integer from $3 to $4, not '$2' (-h for help)"
    fi
}

parse() {
    hosts=2 ranks_per_host=1 limit_s=120 shift_s='' preload='' tools=$here
    switch=()
    while getopts k:p:d:j:a:s:t:P:T:B:h option; do
        case $option in
        k) whole k "$OPTARG" 1 64; hosts=$OPTARG ;;
        p) whole p "$OPTARG" 1 1024; ranks_per_host=$OPTARG ;;
        d | j | a | s) number "$option" "$OPTARG"; switch+=("-$option" "$OPTARG") ;;
        t) whole t "$OPTARG" 0 1000000; shift_s=$OPTARG ;;
        P)
            [[ -r $OPTARG ]] || die "no such file: $OPTARG"
            preload+=${preload:+:}$(readlink -f "$OPTARG")
            ;;
        T) whole T "$OPTARG" 1 86400; limit_s=$OPTARG ;;
        B) tools=$(readlink -e "$OPTARG") || die "no such directory: $OPTARG" ;;
        h) help; exit 0 ;;
        *) die "-h for help" ;;
        esac
    done
    shift $((OPTIND - 1))
    (($# >= 2)) || die "which MPI (openmpi or mpich) and which program? -h for help"
    mpi=$1
    [[ $mpi == openmpi || $mpi == mpich ]] || die "openmpi or mpich, not '$mpi'"
    shift
    command=("$@")
}

# Sets mpirun: LAB_MPIRUN, Debian's name for it, or a plain one.
find_mpirun() {
    local name
    for name in "${LAB_MPIRUN-}" "mpirun.$mpi" mpirun; do
        [[ -n $name ]] && mpirun=$(command -v "$name") && return
    done
    skip "no mpirun of $mpi"
}

check_tools() {
    local tool
    for tool in ip unshare nsenter setpriv timeout; do
        command -v "$tool" >/dev/null || skip "there is no program '$tool'"
    done
    find_mpirun
    if ((${#switch[@]} > 0)); then
        [[ -x $tools/delaysw ]] || die "$tools/delaysw is not there: build it, or say where with -B"
        [[ -r /dev/net/tun && -w /dev/net/tun ]] || skip "/dev/net/tun may not be used"
    fi
    if [[ $mpi == mpich && ! -r $tools/libucp_no_disconnect.so ]]; then
        die "$tools/libucp_no_disconnect.so is not there: build it, or say where with -B"
    fi
}

# The way into the lab's own namespaces: as root, or as root of a namespace of users.
find_way_in() {
    local probe="mount -t tmpfs lab /run && mount -t tmpfs lab /dev/shm && ip link set lo up"
    [[ -n $shift_s ]] && probe+=" && unshare --time --monotonic 1 --fork true"
    way_in=(unshare --mount --net --pid --fork --kill-child --mount-proc)
    "${way_in[@]}" sh -c "$probe" 2>/dev/null && return
    way_in+=(--user --map-root-user)
    "${way_in[@]}" sh -c "$probe" 2>/dev/null && return
    skip "namespaces${shift_s:+ (of time, too)} are not permitted here, or / is not a mount point (a chroot)"
}

enter() {
    export LAB_INSIDE=$BASHPID.$RANDOM
    export lab_hosts=$hosts lab_ranks_per_host=$ranks_per_host lab_limit_s=$limit_s lab_shift_s=$shift_s
    export lab_preload=$preload lab_tools=$tools lab_switch="${switch[*]}" lab_mpi=$mpi lab_mpirun=$mpirun
    # Should this process be killed, the kernel passes it on down the line. The timeout is the last
    # resort: inside, one that says something comes first.
    exec timeout --foreground -s KILL $((limit_s + 60)) setpriv --pdeathsig KILL \
        "${way_in[@]}" bash "$self" "${command[@]}"
}

# ---- inside: process 1 of the lab ----

address() { printf '10.77.0.%d' $(($1 + 1)); }

# Wait for a condition on a file; up to 10 s.
await() {
    local tries
    for ((tries = 0; tries < 500; tries++)); do
        grep -qs "$2" "$1" && return
        sleep 0.02
    done
    die "waited in vain for $1"
}

# The first process of a host, which holds its namespaces; it makes it look like a machine of its own.
host_life() {
    local host=$1
    hostname "host$host"
    cat /proc/sys/kernel/random/uuid >"$work/boot_id.$host"
    mount --bind "$work/boot_id.$host" /proc/sys/kernel/random/boot_id
    mount -t tmpfs -o mode=1777 lab /dev/shm
    ip link set lo up
    echo "pid $BASHPID" >"$work/host.$host"
    exec sleep infinity
}

start_host() {
    local host=$1 time=()
    if [[ -n $lab_shift_s ]]; then
        local offset_s=$((host * lab_shift_s))
        time=(--time --monotonic "$offset_s" --boottime "$offset_s")
    fi
    unshare --net --uts --mount "${time[@]}" --fork --kill-child \
        bash -c "$(declare -f host_life); host_life \$1" host_life "$host" &
    await "$work/host.$host" pid
    host_pid[host]=$(cut -d ' ' -f 2 "$work/host.$host")
}

# on_host HOST COMMAND...
on_host() {
    local host=$1
    shift
    nsenter --target "${host_pid[host]}" --net --uts --mount ${lab_shift_s:+--time} --wdns="$PWD" "$@"
}

start_bridge() {
    local host
    ip link add lab0 up type bridge || skip "the kernel has no bridge"
    for ((host = 0; host < lab_hosts; host++)); do
        ip link add "lab0.$host" master lab0 up type veth peer name eth0 netns "${host_pid[host]}" ||
            skip "the kernel has no veth"
    done
}

start_switch() {
    local namespaces=() host words
    for ((host = 0; host < lab_hosts; host++)); do
        namespaces+=("/proc/${host_pid[host]}/ns/net")
    done
    read -ra words <<<"$lab_switch"
    # In a real-time class, where that is permitted: a delay is then what it says, whatever else runs.
    local urgent=(chrt -f 20)
    "${urgent[@]}" true 2>/dev/null || urgent=()
    "${urgent[@]}" "$lab_tools/delaysw" "${words[@]}" "${namespaces[@]}" >"$work/switch" &
    await "$work/switch" ready
}

# The agent by which both MPIs' launchers reach another host, in the place of ssh: AGENT [-OPTION...] ADDRESS COMMAND...
write_agent() {
    {
        printf '#!/bin/bash\n'
        declare -p host_pid lab_shift_s
        declare -f on_host
        printf 'cd %q || exit\n' "$PWD"
        cat <<'AGENT'
while [[ $1 == -* ]]; do shift; done
host=$((${1##*.} - 1))
shift
on_host "$host" bash -c "$*"
AGENT
    } >"$work/agent"
    chmod +x "$work/agent"
}

run_openmpi() {
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_orte_tmpdir_base=$work
    on_host 0 timeout -k 5 "$lab_limit_s" "$lab_mpirun" \
        --mca plm rsh --mca plm_rsh_agent "$work/agent" --mca plm_rsh_no_tree_spawn 1 \
        --host "$1" -np "$2" --map-by slot --bind-to none --oversubscribe \
        --mca mpi_yield_when_idle 1 --mca pml ob1 --mca btl tcp,vader,self \
        --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 \
        ${lab_preload:+-x "LD_PRELOAD=$lab_preload"} "${@:3}"
}

run_mpich() {
    local preload=$lab_tools/libucp_no_disconnect.so
    on_host 0 timeout -k 5 "$lab_limit_s" "$lab_mpirun" \
        -launcher ssh -launcher-exec "$work/agent" -iface eth0 -localhost "$(address 0)" \
        -disable-hostname-propagation -hosts "$1" -np "$2" \
        -genv UCX_TLS tcp,self -genv UCX_NET_DEVICES eth0 \
        -genv LD_PRELOAD "${lab_preload:+$lab_preload:}$preload" "${@:3}"
}

live() {
    local host places=() status
    work=/run/lab
    host_pid=()
    export work
    # Over whatever is there, and seen by nobody else: there is nothing to clean up afterwards.
    mount -t tmpfs lab /run || die "cannot mount"
    mkdir "$work"
    ip link set lo up
    for ((host = 0; host < lab_hosts; host++)); do
        start_host "$host"
        places+=("$(address "$host"):$lab_ranks_per_host")
    done
    if [[ -n $lab_switch ]]; then start_switch; else start_bridge; fi
    for ((host = 0; host < lab_hosts; host++)); do
        on_host "$host" ip addr add "$(address "$host")/24" dev eth0
        on_host "$host" ip link set eth0 up
    done
    write_agent
    "run_$lab_mpi" "$(IFS=,; printf '%s' "${places[*]}")" $((lab_hosts * lab_ranks_per_host)) "$@"
    status=$?
    ((status == 124 || status == 137)) && say "still running after $lab_limit_s s: killed" && status=124
    return "$status"
}

if [[ -n ${LAB_INSIDE-} && $$ == 1 ]]; then
    unset LAB_INSIDE
    trap 'exit 130' INT TERM
    live "$@"
    exit
fi
parse "$@"
check_tools
find_way_in
enter
