#!/bin/sh
# Writes into DIR what a build for another processor finds in place of this machine's: the MPIs' drivers mpicc.X, mpif90.X and
# mpirun.X (X: mpich, openmpi), and `emulated`, which runs one of its programs.
# usage: drivers.sh CPU ROOT DIR        CPU as in CPU-linux-gnu-gcc; ROOT made by sysroot.sh
# The launcher is this machine's own: the same version, the same wire. Only the ranks are emulated.
set -eu
[ $# -eq 3 ] || { sed -n '4s/^# //p' "$0" >&2; exit 2; }
cpu=$1 root=$2 directory=$3
triplet=$cpu-linux-gnu
libraries=$root/usr/lib/$triplet
modules=$libraries/fortran/gfortran-mod-15
case $cpu in
powerpc64le) emulator=qemu-ppc64le ;;
*) emulator=qemu-$cpu ;;
esac
emulator=$(command -v $emulator-static || command -v $emulator) || { echo "drivers.sh: no $emulator" >&2; exit 1; }

script() { # NAME TEXT
    printf '#!/bin/sh\n%s\n' "$2" >"$directory/$1"
    chmod +x "$directory/$1"
}

compiler() { # NAME COMPILER FLAGS LIBRARIES; what it links is shown as MPI's own drivers do
    script "$1" "case \${1-} in -show) echo $triplet-$2 $3 $4; exit ;; esac
exec $triplet-$2 --sysroot=$root -Wl,-rpath-link,$libraries $3 \"\$@\" $4"
}

launcher() { # MPI: the emulator goes before the program, behind "-n RANKS" and "env NAME=VALUE..."
    script "mpirun.$1" "seen=no
for argument; do
    shift
    case \$seen\$argument in
    no-n) seen=number ;;
    number*) seen=no ;;
    no-* | noenv | no*=*) ;;
    no*) seen=yes; set -- \"\$@\" $emulator -L $root ;;
    esac
    set -- \"\$@\" \"\$argument\"
done
exec mpirun.$1 \"\$@\""
}

mkdir -p "$directory"
"$triplet-gcc" --sysroot="$root" -D_GNU_SOURCE -O1 -Wall -Wextra -fPIC -c -o "$directory/exec_shim.o" \
    "$(dirname "$0")/exec_shim.c"
script emulated "SYN_EMULATOR=$emulator SYN_EMULATOR_ROOT=$root exec $emulator -L $root \"\$@\""
compiler mpicc.mpich gcc "-I$root/usr/include/$triplet/mpich -L$libraries" -lmpich
compiler mpif90.mpich gfortran "-I$modules/mpich -I$root/usr/include/$triplet/mpich" "-lmpichfort -lmpich"
compiler mpicc.openmpi gcc "-I$libraries/openmpi/include -L$libraries/openmpi/lib" -lmpi
compiler mpif90.openmpi gfortran "-I$modules/openmpi -I$libraries/openmpi/include -L$libraries/openmpi/lib" \
    "-lmpi_usempif08 -lmpi_usempi_ignore_tkr -lmpi_mpifh -lmpi"
launcher mpich
launcher openmpi
