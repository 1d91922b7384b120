! tests/mpi/open_calls_fortran.F90 - open_calls.c in Fortran, with 6 ranks: 0 MPI_Allreduce, 1 MPI_Recv, 2 MPI_Wait of
! MPI_Ibarrier, 3 MPI_Comm_split, 4 MPI_Finalize, 5 nothing.
program open_calls
#ifdef USE_MPI_F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  interface
    function getpid() bind(c, name='getpid')
      use iso_c_binding, only: c_int
      integer(c_int) :: getpid
    end function
    function sleep(seconds) bind(c, name='sleep')
      use iso_c_binding, only: c_int
      integer(c_int), value :: seconds
      integer(c_int) :: sleep
    end function
  end interface
  integer, parameter :: last = 5
  integer :: rank, ierror, i, data, unit, pair(2), most(2)
  character(len=1024) :: directory, path
#ifdef USE_MPI_F08
  type(MPI_Comm) :: comms(0:last), made
  type(MPI_Request) :: request
#else
  integer :: comms(0:last), made, request
#endif
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  data = 1
  do i = 0, last
    call MPI_Comm_dup(MPI_COMM_WORLD, comms(i), ierror)
    call MPI_Bcast(data, 1, MPI_INTEGER, last, comms(i), ierror)
  end do
  call get_command_argument(1, directory)
  write (path, '(a,a,i0)') trim(directory), '/pid.', rank
  open (newunit=unit, file=trim(path))
  write (unit, '(i0)') getpid()
  close (unit)
  select case (rank)
  case (0)
    pair = 1
    call MPI_Allreduce(pair, most, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_SELF, ierror) ! its type is known from here on
    call MPI_Allreduce(pair, most, 1, MPI_2INTEGER, MPI_MAXLOC, comms(0), ierror)
  case (1)
    call MPI_Recv(data, 1, MPI_INTEGER, last, 5, comms(1), MPI_STATUS_IGNORE, ierror)
  case (2)
    call MPI_Ibarrier(comms(2), request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  case (3)
    call MPI_Comm_split(comms(3), 0, 0, made, ierror)
  case (4)
    call MPI_Finalize(ierror)
  end select
  i = sleep(60)
end program
