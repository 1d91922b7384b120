# Sourced by what starts MPI programs in the tests: Open MPI refuses to run as root, and more ranks than processors, unless told; and
# its ranks that wait let others have their processors, for there are more of them, and often several tests at once.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

# own_sessions DIRECTORY: a test's launchers keep there what their ranks meet by. Open MPI's have one directory for all of a user's, which
# one that ends takes away while another one, of a test beside it, makes it ("mkdir: File exists").
own_sessions() {
    mkdir -p "$1/.sessions"
    export OMPI_MCA_orte_tmpdir_base="$1/.sessions" PRTE_MCA_prte_tmpdir_base="$1/.sessions"
}
