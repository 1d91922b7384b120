#!/bin/sh
# Recording under Slurm: a controller and two nodes on this machine, started for the test and ended with it. Steps, arrays, several
# programs in one step, and the command around srun. SRUN_MPI: how srun starts
# this MPI. Exit status 77 where Slurm's daemons cannot be had.
. "$(dirname "$0")/record_lib.sh"
PATH=$PATH:/usr/sbin:/sbin

skip() {
    echo "skipped: $*"
    exit 77
}
for command in slurmctld slurmd munged srun sbatch scontrol; do
    command -v $command >/dev/null || skip "$command is not installed"
done
[ "$(id -u)" = 0 ] || skip "slurmd starts jobs of root's only where it is root"

# ---- the cluster ----

base=$((20000 + $$ % 20000))
daemons=""
stop_cluster() {
    for pid in $daemons; do kill "$pid" 2>/dev/null; done
    for pid in $daemons; do wait "$pid" 2>/dev/null; done
    rm -rf "$work"
}
trap stop_cluster EXIT
chmod 755 "$work"
mkdir -p state munge spool.n1 spool.n2 tmp.n1 tmp.n2
chmod 700 munge
dd if=/dev/urandom of=munge/key bs=128 count=1 2>/dev/null
chmod 400 munge/key
cat >slurm.conf <<END
ClusterName=test$$
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$base
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
TmpFS=$work/tmp.%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.%n.log
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
NodeName=n1 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((base + 1)) CPUs=4 State=UNKNOWN
NodeName=n2 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((base + 2)) CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE OverSubscribe=YES:4
END
export SLURM_CONF=$work/slurm.conf
# Both nodes are this host, and Open MPI's shared memory takes the files of one for the other's.
export OMPI_MCA_btl=self,tcp

daemon() { # COMMAND...
    "$@" >>"$work/daemons.log" 2>&1 &
    daemons="$daemons $!"
}
daemon munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed"
for i in $(seq 50); do [ -S munge/socket ] && break; sleep 0.1; done
[ -S munge/socket ] || skip "munged does not start: $(tail -1 daemons.log)"
chmod 755 munge
daemon slurmctld -D -i
daemon slurmd -D -N n1
daemon slurmd -D -N n2
ready() { # both nodes
    [ "$(sinfo -h -N -o %t 2>/dev/null | grep -c idle)" = 2 ]
}
for i in $(seq 150); do ready && break; sleep 0.2; done
ready || skip "no cluster on this machine: $(tail -2 slurmctld.log slurmd.n1.log 2>/dev/null | tr '\n' ' ')"

# ---- recording ----

whole() { # TRACE RANKS
    run "$SYNCOPATE_CLI" check "$1"
    expect "status of check $1" "$status" 0
    expect "ranks of $1" "$(ls "$1" | grep -c '^rank-.*')" "$2"
}

run srun -N 2 -n 4 --mpi="$SRUN_MPI" "$SYNCOPATE_CLI" record -o 'step-%j-%s' "$PROGRAM"
expect "status of a step" "$status" 0
job=$(ls -d step-* 2>/dev/null | sed 's/step-//;s/-.*//')
whole "step-$job-0" 4

cat >array.sh <<END
#!/bin/sh
srun -n 2 --mpi=$SRUN_MPI $SYNCOPATE_CLI record -o 'array-%a' $PROGRAM
END
run sbatch --wait --array=3,5 -n 2 -o slurm-%A-%a.out array.sh
expect "status of an array" "$status" 0
whole array-3 2
whole array-5 2

cp "$PROGRAM" other_program
printf '0 %s record -o several %s\n1-3 %s record -o several ./other_program\n' "$SYNCOPATE_CLI" "$PROGRAM" "$SYNCOPATE_CLI" >several.conf
run srun -N 2 -n 4 --mpi="$SRUN_MPI" --multi-prog several.conf
expect "status of several programs" "$status" 0
whole several 4

run "$SYNCOPATE_CLI" record -o around -- srun -n 2 --mpi="$SRUN_MPI" "$PROGRAM"
expect "status around srun" "$status" 0
whole around 2
finish
