#!/bin/bash
# syncopate for another processor, cross-built and emulated: its unit tests, MPI programs of two ranks in every language that is there,
# recorded and counted, and reports of the same trace compared byte for byte with this machine's, in both directions.
# usage: cross.sh CPU BUILD WORK        CPU as in CPU-linux-gnu-gcc (aarch64, powerpc64le, riscv64); BUILD: this machine's, with tests
# WORK keeps what takes long: the other system's packages (some 200 MB from Debian's servers) and the build. SYN_CROSS_JOBS: how
# many at a time, default all processors. SYN_CROSS_AMONG_TESTS: of the unit tests only what a processor has a say in, and on fewer
# than four processors MPICH and C alone. Exit status 0, 1, or 77 where it cannot be tried, with the reason.
set -u
[ $# -eq 3 ] || { sed -n '4s/^# //p' "$0" >&2; exit 2; }
cpu=$1
here=$(cd "$(dirname "$0")" && pwd) source=$(cd "$(dirname "$0")/../.." && pwd) native=$(cd "$2" && pwd)
mkdir -p "$3" && work=$(cd "$3" && pwd)
root=$work/root tools=$work/tools build=$work/build stage=$work/stage jobs=${SYN_CROSS_JOBS:-$(nproc)}
failed=0
. "$here/../launchers.sh"

skip() { echo "skipped: $*"; exit 77; }
die() { echo "FAILED: $*"; exit 1; }

# ok TEXT COMMAND...
ok() {
    local text=$1
    shift
    if "$@" >"$work/log" 2>&1; then echo "ok: $text$([ -s "$work/told" ] && printf ' (%s)' "$(cat "$work/told")")"
    else echo "FAILED: $text"; tail -n 30 "$work/log" | sed 's/^/    /'; failed=1; fi
    rm -f "$work/told"
}

mpis="mpich openmpi" more="libcriterion-dev libopenmpi-dev libgfortran5 python3-minimal python3-mpi4py" suite= criterion=yes
case $cpu in
aarch64) debian=arm64 ;;
riscv64) # part of Debian since that release, but for Criterion; the launchers here are those of another
    debian=riscv64 suite=trixie mpis=mpich more="" criterion=
    ;;
powerpc64le)
    debian=ppc64el
    export UCX_TLS=self,posix,sysv # the emulator does not know the options of sockets that MPICH's UCX sets there
    ;;
*) skip "no Debian of $cpu is known here" ;;
esac
[ "$(uname -m)" = x86_64 ] || skip "this machine is not an x86-64"
for need in $cpu-linux-gnu-gcc cmake ninja pkg-config mpirun.mpich; do
    command -v "$need" >/dev/null || skip "no $need"
done
compgen -c "qemu-$(echo "$cpu" | sed s/powerpc/ppc/)" >/dev/null || skip "no emulator: qemu-user-static is not installed"

[ -z "${SYN_CROSS_AMONG_TESTS-}" ] || [ "$(nproc)" -ge 4 ] || { mpis=mpich more=${criterion:+libcriterion-dev}; }

# Install the packages of the other machine.
# shellcheck disable=SC2086
SYN_SYSROOT_SUITE=$suite "$here/sysroot.sh" "$debian" "$root" libc6-dev libmpich-dev libzstd-dev libxxhash-dev libunwind-dev libhwloc-dev libdw-dev r-mathlib \
    $more >"$work/log" 2>&1 || skip "$(tail -n 1 "$work/log")"
"$here/drivers.sh" "$cpu" "$root" "$tools" >"$work/log" 2>&1 || die "drivers: $(cat "$work/log")"

# ---- build ----

# Clocks, stacks, loops over whole columns, pages and mappings, floating point.
unit="test_clock preload_stacks_test test_trace_codes test_trace_writer test_trace_recover column_test stats_sort_test stats_equal_r_test"
# Four fifths of the emulator's time.
[ -n "${SYN_CROSS_AMONG_TESTS-}" ] || unit="$unit test_clock_skew test_model test_timeline test_tree test_trace_directory test_trace_raw
test_trace_roundtrip test_trace_segments symbols_label_test match_test match_slices_test clock_solve_test report_groups_test report_late_test
report_print_test"
[ -n "$criterion" ] || unit=""
fortran="" programs="" drivers=""
[ "$mpis" = mpich ] || ! command -v "$cpu-linux-gnu-gfortran" >/dev/null || fortran="mpifh_all usempi_all f08_all"
for mpi in $mpis; do
    drivers="$drivers;$tools/mpicc.$mpi"
    for program in collectives count_pmpi $fortran; do programs="$programs mpi_${mpi}_$program"; done
done
# Signed return addresses, and every indirect jump checked: what newer distributions compile with.
flags=""
[ "$cpu" = aarch64 ] && flags=-mbranch-protection=standard
# (Among the tests: compiling is half of what it takes. What is asked is whether it is right there. The thousands of wrappers are not
# optimized, and there is no backend of the standard ABI: no program of it is run here.)
type=RelWithDebInfo
without=
[ -z "${SYN_CROSS_AMONG_TESTS-}" ] || { type=None flags="$flags -O1" without="-DSYN_WITHOUT=abi -DSYN_WRAPPER_OPTIONS=-O0"; }
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" -DSYN_CROSS_CPU="$cpu" -DSYN_CROSS_ROOT="$root" \
    -DSYN_CROSS_TOOLS="$tools" -DSYN_MPI_CC="${drivers#;}" -DCMAKE_BUILD_TYPE=$type -DCMAKE_C_FLAGS="$flags" -DSYN_TESTS=ON $without \
    >"$work/log" 2>&1 || { tail -n 20 "$work/log"; die "cmake"; }
# shellcheck disable=SC2086
cmake --build "$build" -j "$jobs" -t syncopate syncopate_cli dump_trace $unit $programs >"$work/log" 2>&1 ||
    { grep -A5 -E 'FAILED|error:' "$work/log" | head -n 40; die "build"; }
echo "ok: it is built for $cpu"

# ---- unit tests ----

unit_tests() {
    ctest --test-dir "$build" --no-tests=error -j "$jobs" --output-on-failure -R "^($(echo $unit | tr ' ' '|'))\$" &&
        sed -n 's/^100% tests passed.* out of \([0-9]*\)$/\1 programs/p' "$work/log" >"$work/told"
}
[ -z "$criterion" ] || ok "unit tests, emulated" unit_tests

# ---- programs, recorded and counted ----

# As it would be installed: libraries, and a command that the scripts of tests/mpi can start.
mkdir -p "$stage/bin" "$stage/lib"
cp "$build"/lib/libsyncopate*.so "$stage/lib/"
printf '#!/bin/sh\nexec %s/emulated %s/bin/syncopate "$@"\n' "$tools" "$build" >"$stage/bin/syncopate"
printf '#!/bin/sh\nexec %s/emulated %s/tests/mpi/dump_trace "$@"\n' "$tools" "$build" >"$stage/bin/dump_trace"
chmod +x "$stage"/bin/*

counted() { # MPI PROGRAM...: every call of two ranks has its record
    local mpi=$1
    shift
    env MPI_TIMEOUT=240 MPI="$mpi" MPIRUN="$tools/mpirun.$mpi" SYNCOPATE="$stage/lib/libsyncopate.so" COUNTER="$build/tests/mpi/$mpi/libcount_pmpi.so" \
        DUMP="$stage/bin/dump_trace" PROGRAMS="$build/tests/mpi/$mpi" "$source/tests/mpi/counts.sh" -n 2 "$@" &&
        sed -n 's/.*: \([0-9]* calls of [0-9]* operations\).*/\1/p' "$work/log" >"$work/told"
}
expected() { # MPI PROGRAM: its records are what it says
    env MPI_TIMEOUT=240 MPI="$1" MPIRUN="$tools/mpirun.$1" SYNCOPATE="$stage/lib/libsyncopate.so" DUMP="$stage/bin/dump_trace" \
        PROGRAMS="$build/tests/mpi/$1" "$source/tests/mpi/expected.sh" "$2" 2
}
for mpi in $mpis; do
    ok "C, $mpi: each record is what the program says" expected $mpi collectives
    for program in collectives $fortran; do
        ok "$program, $mpi: each call is counted once" counted $mpi "$build/tests/mpi/$mpi/$program"
    done
done
[ -n "$fortran" ] || echo "skipped: Fortran: no $cpu-linux-gnu-gfortran, or fewer than four processors"
# Debian's mpi4py is for its default MPI.
[ "$mpis" = mpich ] ||
    ok "Python, openmpi: each call is counted once" counted openmpi "$root/usr/bin/python3" "$source/tests/mpi/mpi4py_all.py"

# ---- one trace, two readers ----

record() { # LAUNCHER LIBRARY PROGRAM TRACE
    rm -rf "$4"
    timeout 240 "$1" -n 2 env LD_PRELOAD="$2" SYNCOPATE_OUTPUT="$4" SYNCOPATE_QUIET=1 EXPECTED=/dev/null "$3" </dev/null
}
both() { # COMMAND...
    "$native/bin/syncopate" "$@" >"$work/native.out" && "$stage/bin/syncopate" "$@" >"$work/foreign.out" && [ -s "$work/native.out" ]
}
same() { # COMMAND...: the same bytes from both
    both "$@" && cmp "$work/native.out" "$work/foreign.out"
}
# JSON and csv have all 17 digits of a number; the last two of a probability or a distribution's quantile are those of the
# machine's libm. All else is the same.
same_numbers() {
    both "$@" && perl -e '
        my @sides = map { local (@ARGV, $/) = ($_); [split /(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)/, <>] } @ARGV;
        my ($a, $b) = @sides;
        @$a == @$b or die "not as many numbers";
        for (0 .. $#$a) {
            next if $$a[$_] eq $$b[$_];
            die "$$a[$_] and $$b[$_]" unless $_ % 2 && abs($$a[$_] - $$b[$_]) <= 1e-13 * abs($$a[$_]);
        }' "$work/native.out" "$work/foreign.out"
}
compare() { # WHOSE TRACE
    local format
    for format in text html; do
        ok "report --format $format of a trace of $1: the same bytes" same report --format $format "$2"
    done
    for format in json csv; do
        ok "report --format $format of a trace of $1: the same but for last digits" same_numbers report --format $format "$2"
    done
    ok "export of a trace of $1: the same bytes" same export --format csv "$2"
    ok "diff of a trace of $1: the same bytes" same diff "$2" -- "$2"
    ok "info of a trace of $1: the same bytes" same info "$2"
}
program=tests/mpi/mpich/collectives
ok "recorded on $cpu" record "$tools/mpirun.mpich" "$stage/lib/libsyncopate.so" "$build/$program" "$work/trace-$cpu"
compare "$cpu" "$work/trace-$cpu"
ok "recorded on x86-64" record mpirun.mpich "$native/lib/libsyncopate.so" "$native/$program" "$work/trace-x86_64"
compare x86-64 "$work/trace-x86_64"
exit $failed
