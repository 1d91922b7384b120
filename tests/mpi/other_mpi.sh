#!/bin/sh
# The programs of the tests under another MPI than those of the build, recorded with the build's library as it is: what a user
# with an MPI of his own gets. One line a program; not part of ctest.
# usage: other_mpi.sh BUILD MPICC MPIRUN [MPIFORT]
set -u
[ $# -ge 3 ] || { echo "usage: other_mpi.sh BUILD MPICC MPIRUN [MPIFORT]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) cc=$2 fc=${4:-}
export MPIRUN=$3 SYNCOPATE=$build/lib/libsyncopate.so DUMP=$build/tests/mpi/dump_trace ASAN="" MPI=other
PROGRAMS=$(mktemp -d) failed=0
export PROGRAMS COUNTER=$PROGRAMS/libcount_pmpi.so
trap 'rm -rf "$PROGRAMS"' EXIT

# Open MPI 5 has what MPI 4 has, but calls itself 3.1.
has() { "$cc" -x c -o /dev/null - 2>/dev/null <<END
#include <mpi.h>
int main(void) { return (int)(long)(void *)$1; }
END
}

# Checks for an extension of Open MPI: declared elsewhere. (MPICH 4 declares some, and aborts in them.)
has_extension() {
    printf 'int %s(void); int main(void) { return %s(); }\n' "$1" "$1" | "$cc" -x c -o /dev/null - 2>/dev/null
}

# build_c NAME SOURCE FLAG...
build_c() {
    name=$1 source=$2
    shift 2
    "$cc" -std=gnu11 -D_GNU_SOURCE -g -O2 -w "$@" -o "$PROGRAMS/$name" "$here/$source" -lpthread -ldl
}

build_fortran() {
    name=$1 source=$2
    shift 2
    mkdir -p "$PROGRAMS/$name.modules"
    "$fc" -g -O1 "-J$PROGRAMS/$name.modules" "$@" -o "$PROGRAMS/$name" "$here/expected_records.f90" "$here/$source"
}

# verdict LANGUAGE PROGRAM SCRIPT ARGUMENT...
verdict() {
    language=$1 program=$2 script=$3
    shift 3
    if "$here/$script" "$@" >"$PROGRAMS/log" 2>&1; then
        echo "$language	$program	$script	$(grep -c '^ok' "$PROGRAMS/log") checks, all as expected"
    else
        echo "$language	$program	$script	FAILED"
        sed 's/^/    /' "$PROGRAMS/log" | grep -A8 FAILED | head -24
        failed=1
    fi
}

# The counter beside the profiler: each call once, the same output.
counted() { # LANGUAGE PROGRAM
    if "$here/counts.sh" -o -n 3 "$PROGRAMS/$2" >"$PROGRAMS/log" 2>&1; then
        echo "$1	$2	counts.sh	$(tail -1 "$PROGRAMS/log" | sed 's/^[^ ]*: //')"
    else
        echo "$1	$2	counts.sh	FAILED"
        sed 's/^/    /' "$PROGRAMS/log" | head -12
        failed=1
    fi
}

"$cc" -std=gnu11 -g -O2 -fPIC -shared -w -o "$COUNTER" "$here/count_pmpi.c" -ldl -lpthread || exit 2
build_c collectives collectives.c && verdict C collectives expected.sh collectives 1 3 && counted C collectives
build_c collectives_NONBLOCKING collectives.c -DNONBLOCKING && verdict C collectives_NONBLOCKING expected.sh collectives_NONBLOCKING 3
build_c collectives_PERSISTENT collectives.c -DPERSISTENT && verdict C collectives_PERSISTENT expected.sh collectives_PERSISTENT 3
if has MPI_Bcast_c; then
    build_c collectives_LARGE collectives.c -DLARGE && verdict C collectives_LARGE expected.sh collectives_LARGE 3
fi
build_c communicators communicators.c && verdict C communicators expected.sh communicators 1 4 && counted C communicators
build_c windows_files windows_files.c && verdict C windows_files expected.sh windows_files 2 3 && counted C windows_files
if has_extension MPIX_Comm_iagree; then
    build_c agree agree.c && verdict C agree expected.sh agree 1 3 && counted C agree
fi
build_c nonblocking nonblocking.c && verdict C nonblocking expected.sh nonblocking 1 3
build_c complete_at_once complete_at_once.c && verdict C complete_at_once complete_at_once.sh
build_c threads threads.c && counted C threads
if has MPI_Session_init; then
    build_c sessions sessions.c && verdict C sessions sessions.sh 1 3
fi
if [ -n "$fc" ]; then
    idup=""
    has MPI_Comm_idup_with_info && idup=-DHAVE_IDUP_WITH_INFO
    build_fortran mpifh_all mpifh_all.F90 -fallow-argument-mismatch -w $idup && verdict mpif.h mpifh_all records.sh mpifh_all 3 &&
        counted mpif.h mpifh_all
    build_fortran usempi_all mpifh_all.F90 -DUSE_MPI_MODULE -fallow-argument-mismatch -w $idup &&
        verdict "use mpi" usempi_all records.sh usempi_all 3 && counted "use mpi" usempi_all
    build_fortran f08_all f08_all.f90 -cpp -std=f2018 $idup && verdict mpi_f08 f08_all records.sh f08_all 3 && counted mpi_f08 f08_all
    build_fortran payload_f08 payload.F90 -DUSE_MPI_F08 && verdict mpi_f08 payload_f08 records.sh payload_f08 3
    has MPI_Session_init && build_fortran sessions_f08 sessions_fortran.F90 -DUSE_MPI_F08 &&
        verdict mpi_f08 sessions_f08 records.sh sessions_f08 3
fi
exit $failed
