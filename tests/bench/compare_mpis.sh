#!/bin/sh
# MPI_Allreduce from 1 B to 32 KiB, Open MPI against MPICH (Hunold & Carpen-Amarie 2015, Fig. 26 and 28), and its picture.
# usage: compare_mpis.sh BUILD_DIRECTORY [RUNS] [ROUNDS]        (default 20 runs a side of 1000 rounds, 2 ranks)
# Writes mpis/ (the traces), mpis.txt, mpis.csv and mpis.png into the current directory. mpirun.openmpi and mpirun.mpich are
# Debian's names; OPENMPI_RUN and MPICH_RUN name others.
set -eu
build=$1 runs=${2:-20} rounds=${3:-1000}
syncopate=$build/bin/syncopate
export SYNCOPATE_ALIGN="${SYNCOPATE_ALIGN:-barrier}"
"$syncopate" compare -q --runs "$runs" --seed 1 -o mpis --report /dev/null \
    -a "${OPENMPI_RUN:-mpirun.openmpi -n 2} $build/tests/bench/openmpi/collective_sizes $rounds 32768 allreduce" \
    -b "${MPICH_RUN:-mpirun.mpich -n 2} $build/tests/bench/mpich/collective_sizes $rounds 32768 allreduce"
"$syncopate" diff --sort bytes --metric local_max --top 0 mpis/a -- mpis/b | tee mpis.txt
"$syncopate" diff --sort bytes --metric local_max --format csv -o mpis.csv mpis/a -- mpis/b
. "$(dirname "$0")/../plain_tmpdir.sh"
Rscript "$(dirname "$0")/compare_mpis.R" mpis.csv mpis.png "Open MPI" "MPICH"
