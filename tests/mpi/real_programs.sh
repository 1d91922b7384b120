#!/bin/sh
# Real programs: is every collective counted once, and are their results the same bits with and without us?
# usage: real_programs.sh BUILD
#
# Takes those that are there, says which are not: hpcc, lmp and mocassin as Debian has them, python3 with mpi4py, and
# the Fortran kernels of the Parallel Research Kernels (mpi_f08), compiled as PRK/transpose-a2a.MPI and PRK/nstream.MPI
# where PRK names a directory of these. Times are taken out of what is compared. Results: docs/injection.md.
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

if there hpcc; then
    # Which rank measures is drawn: the counts are those of one run. Its checks of results are compared over two.
    cp "$here/../demo/hpccinf.txt" .
    counts "$(links hpcc)" 4 -t -x 'rm -f hpccoutf.txt' -- hpcc
    counts "$(links hpcc)" 4 -x 'rm -f hpccoutf.txt' -f 'grep -E "\|\|Ax-b|PASSED|FAILED|Vector size|errors" hpccoutf.txt' -- hpcc |
        sed 's/counts differ.*/(the counts of two runs differ, as they do without us)/' | grep -v '^[<>0-9]'
fi

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
    # Its one-dimensional dust benchmark, on a grid that takes seconds.
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
    counts "$(links mocassin)" 2 -x 'rm -f output/*' -f 'cat output/*.out | grep -vi time' -- mocassin
fi

for mpi in openmpi mpich; do
    command -v "mpirun.$mpi" >/dev/null || continue
    for kernel in transpose-a2a nstream; do
        program=${PRK:-/nowhere}/$kernel.$mpi
        [ -x "$program" ] || { echo "$program: not here" && continue; }
        counts "$mpi" 2 -f 'grep -vE "Rate"' -- "$program" 50 1024
    done
done

if [ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then
    for mpi in openmpi mpich; do
        mpi4py=$(/usr/bin/python3 -c 'import mpi4py.MPI; print(mpi4py.MPI.__file__)' 2>/dev/null)
        [ "$(links "$mpi4py")" = "$mpi" ] && counts "$mpi" 3 -o -- /usr/bin/python3 "$here/mpi4py_all.py"
    done
else
    echo "mpi4py: not here"
fi
exit "$failed"
