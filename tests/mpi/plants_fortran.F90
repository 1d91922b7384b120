! tests/mpi/plants_fortran.F90 - hangs and disagreements in Fortran: one plant PLANT:RANKS, as plants.c.
module plants
#ifdef USE_MPI_F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer :: rank, ranks, ierror
  double precision :: in(8) = 0, out(8)
contains
  subroutine ready()
    character(len=1024) :: directory, path
    integer :: unit
    call get_environment_variable('SYNCOPATE_TEST_READY', directory)
    write (path, '(a,a,i0)') trim(directory), '/', rank
    open (newunit=unit, file=trim(path))
    close (unit)
  end subroutine

  subroutine stay()
    interface
      function sleep(seconds) bind(c, name='sleep')
        use iso_c_binding, only: c_int
        integer(c_int), value :: seconds
        integer(c_int) :: sleep
      end function
    end interface
    call ready()
    ierror = sleep(1000)
  end subroutine

  subroutine rounds()
    integer :: i
    do i = 1, 30
      call MPI_Allreduce(in, out, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror) ! at: fortran_rounds
    end do
  end subroutine

  ! One rank does not come.
  subroutine late()
    call rounds()
    if (rank == 1) call stay()
    call ready()
    call MPI_Allreduce(in, out, 8, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror) ! at: fortran_late
  end subroutine

  ! Each receives first.
  subroutine ring()
    call rounds()
    call ready()
    call MPI_Recv(in, 1, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) ! at: fortran_ring
    call MPI_Send(in, 1, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 7, MPI_COMM_WORLD, ierror)
  end subroutine

  ! One rank finds another largest value.
  subroutine reduction()
    call rounds()
    if (rank == 2) then
      call MPI_Allreduce(in, out, 1, MPI_2DOUBLE_PRECISION, MPI_MINLOC, MPI_COMM_WORLD, ierror) ! at: fortran_minloc
    else
      call MPI_Allreduce(in, out, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD, ierror) ! at: fortran_maxloc
    end if
    call stay()
  end subroutine

  ! The root is each rank's own idea of it.
  subroutine root()
    call rounds()
    call MPI_Bcast(in, 1, MPI_DOUBLE_PRECISION, merge(1, 0, rank == 1), MPI_COMM_WORLD, ierror) ! at: fortran_root
    call stay()
  end subroutine
end module

program plants_fortran
  use plants
  character(len=64) :: plant
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call get_command_argument(1, plant)
  select case (plant(1:index(plant, ':') - 1))
  case ('late')
    call late()
  case ('ring')
    call ring()
  case ('reduction')
    call reduction()
  case ('root')
    call root()
  end select
  call MPI_Finalize(ierror)
end program
