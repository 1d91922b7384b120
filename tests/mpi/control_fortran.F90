! tests/mpi/control_fortran.F90 - MPI_Pcontrol from Fortran: three barriers, of which the first and the last are
! recorded, the last in phase 2.
program control_fortran
#ifdef USE_MPI_F08
  use mpi_f08
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: ierror
  call MPI_Init(ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Pcontrol(0)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Pcontrol(2)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
end program control_fortran
