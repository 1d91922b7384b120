! tests/mpi/sessions_fortran.F90 - a program of MPI Sessions alone in mpif.h, or in mpi_f08 (USE_MPI_F08). Above each
! call from its first communicator of all processes on, the record that it must give. Any number of ranks >= 2.
program sessions_fortran
#ifdef USE_MPI_F08
  use mpi_f08
#define HANDLE(kind) type(MPI_/**/kind)
#endif
  use expected_records
  implicit none
#ifndef USE_MPI_F08
  include 'mpif.h'
#define HANDLE(kind) integer
#endif

  integer :: rank, size, ierror, side, half_size, ranges(3, 1), sums(1)
  HANDLE(Session) :: session
  HANDLE(Group) :: everyone, half, other
  HANDLE(Comm) :: all, part, both
  HANDLE(Request) :: request

  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session, ierror)
  call MPI_Group_from_session_pset(session, 'mpi://WORLD', everyone, ierror)
  call MPI_Group_rank(everyone, rank, ierror)
  call MPI_Group_size(everyone, size, ierror)
  call expect_begin(rank)
  call MPI_Comm_create_from_group(everyone, 'all', MPI_INFO_NULL, MPI_ERRORS_RETURN, all, ierror)
  call sum_on(all, size, size)

  side = mod(rank, 2)
  half_size = (size + 1 - side)/2
  ranges(:, 1) = [side, size - 1, 2]
  call MPI_Group_range_incl(everyone, 1, ranges, half, ierror)
  ranges(:, 1) = [1 - side, size - 1, 2]
  call MPI_Group_range_incl(everyone, 1, ranges, other, ierror)
  call expect('MPI_Comm_create_from_group', half_size, 0)
  call MPI_Comm_create_from_group(half, 'half  ', MPI_INFO_NULL, MPI_ERRORS_RETURN, part, ierror)
  call sum_on(part, half_size, half_size)
  call expect('MPI_Intercomm_create_from_groups', size, 0)
  call MPI_Intercomm_create_from_groups(half, 0, other, 0, 'between', MPI_INFO_NULL, MPI_ERRORS_RETURN, both, ierror)
  call sum_on(both, size, size - half_size)

  call expect('MPI_Ibarrier', size, 0)
  call MPI_Ibarrier(all, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call expect('MPI_Comm_free', size, 0)
  call MPI_Comm_free(both, ierror)
  call expect('MPI_Comm_free', half_size, 0)
  call MPI_Comm_free(part, ierror)
  call expect('MPI_Comm_free', size, 0)
  call MPI_Comm_free(all, ierror)
  call MPI_Group_free(half, ierror)
  call MPI_Group_free(other, ierror)
  call MPI_Group_free(everyone, ierror)
  call MPI_Session_finalize(session, ierror)
  if (failure_count > 0) error stop 1

contains

  subroutine sum_on(comm, comm_size, wanted)
    HANDLE(Comm), intent(in) :: comm
    integer, intent(in) :: comm_size, wanted
    call expect('MPI_Allreduce', comm_size, 4)
    call MPI_Allreduce([1], sums, 1, MPI_INTEGER, MPI_SUM, comm, ierror)
    call check(sums(1) == wanted, 'Allreduce')
  end subroutine sum_on

end program sessions_fortran
