#!/bin/sh
# Real programs: is every collective counted once, and are their results the same bits with and without us?
# usage: [BUILT=DIR] real_programs.sh BUILD
#
# Takes those that are there, says which are not: hpcc, lmp, mocassin and python3 with mpi4py as Debian has them, each for
# one MPI; and from the directory BUILT, where it is given, programs that were built for an MPI of their own, as NAME.MPI:
#   hpcc.MPI                         the HPC Challenge
#   cg.MPI ft.MPI mg.MPI lu.MPI      NAS Parallel Benchmarks (mpif.h), for 4 ranks
#   transpose-a2a.MPI nstream.MPI    Parallel Research Kernels (mpi_f08)
#   mpi4py.MPI                       a directory with the package mpi4py
# Times are taken out of what is compared. Results: docs/programs.md.
build=$(cd "${1:?usage: real_programs.sh BUILD}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
cd "$work" || exit 2

counts() { # MPI RANKS [OPTION...] -- PROGRAM [ARG...]
    mpi=$1 ranks=$2
    shift 2
    "$here/counts.sh" -m "$mpi" -n "$ranks" -b "$build" "$@" || failed=1
}

there() {
    command -v "$1" >/dev/null || { echo "$1: not here" && return 1; }
}

links() { # PROGRAM: the MPI that it is linked with
    if ldd "$(command -v "$1")" | grep -q libmpich; then echo mpich; else echo openmpi; fi
}

built() { # NAME MPI: its path, or a word that it is not there
    program=${BUILT:-/nowhere}/$1.$2
    [ -e "$program" ] || { echo "$1 for $2: not here" && return 1; }
}

# The program draws the rank that measures: so calls are counted in one run, and the verified results are compared over two.
hpc_challenge() { # MPI PROGRAM
    counts "$1" 4 -t -x 'rm -f hpccoutf.txt' -- "$2"
    counts "$1" 4 -r -x 'rm -f hpccoutf.txt' -f 'grep -E "Ax-b.*=|PASSED|FAILED|Vector size|errors" hpccoutf.txt |
        sed -E "s/^(WALL|CPU).* (PASSED|FAILED).*/\1 \2/"' -- "$2"
}

cp "$here/../demo/hpccinf.txt" .
there hpcc && hpc_challenge "$(links hpcc)" hpcc
for mpi in openmpi mpich; do
    [ "$mpi" = "$(links hpcc)" ] || { built hpcc "$mpi" && hpc_challenge "$mpi" "$program"; }
done

if there lmp; then
    cat >in.lj <<'LJ'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 10
thermo_modify format float %22.15e
run 200
LJ
    counts "$(links lmp)" 4 -f 'grep -E "^ *[0-9]+ +[-0-9.e+]+ "' -- lmp -in in.lj -log none
fi

if there mocassin; then
    # Its one-dimensional dust benchmark, on a grid that takes seconds. Its random numbers, and so its results, are
    # others in every run.
    mkdir input output
    cp /usr/share/mocassin/benchmarks/dust/1D/p0tau1/* input/
    cat >input/input.in <<'DUST'
autoPackets 0.20 2. 10000000
output
symmetricXYZ
contShape  blackbody
nebComposition noGas
maxIterateMC  2 95.
nPhotons 20000
nx 16
ny 16
nz 16
LStar 38.26
Rin 0.
Rout 2.1800001e17
TStellar 2500.
Ndust file 'input/p0tau1.ndust'
dustFile 'input/p0tau1_grainspecies.dat' 'input/p0tau1_grainsizes.dat'
writeGrid 80.
convLimit 0.05
DUST
    counts "$(links mocassin)" 2 -x 'rm -f output/*' -- mocassin
fi

for mpi in openmpi mpich; do
    command -v "mpirun.$mpi" >/dev/null || continue
    for kernel in cg ft mg lu; do
        built "$kernel" "$mpi" && counts "$mpi" 4 -f 'grep -viE "time|mop/s|date"' -- "$program"
    done
    for kernel in transpose-a2a nstream; do
        built "$kernel" "$mpi" && counts "$mpi" 2 -f 'grep -vE "Rate"' -- "$program" 50 1024
    done
done

python=/usr/bin/python3
for mpi in openmpi mpich; do
    command -v "mpirun.$mpi" >/dev/null || continue
    mpi4py=$($python -c 'import mpi4py; print(mpi4py.__path__[0])' 2>/dev/null)
    path=
    if [ -z "$mpi4py" ] || [ "$(links "$mpi4py"/MPI.*.so)" != "$mpi" ]; then
        built mpi4py "$mpi" || continue
        path=$program
    fi
    counts "$mpi" 3 -o -- env "PYTHONPATH=$path" $python "$here/mpi4py_all.py"
done
exit "$failed"
