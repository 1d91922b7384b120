# Sourced by what starts MPI programs in the tests: Open MPI refuses to run as root, and more ranks than processors, unless told; and
# its ranks that wait let others have their processors, for there are more of them, and often several tests at once.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
