! tests/mpi/spawn_fortran.F90 - MPI_Comm_spawn and MPI_Comm_spawn_multiple from mpif.h, or from mpi_f08 (USE_MPI_F08), with
! the records that they must give; the started processes are this program, and say theirs as ranks from 100 on. An even
! number of them is started each time. Exit status 3 where this MPI cannot start processes.
program spawn_fortran
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

  integer :: rank, size, ierror, errors(4)
  character(len=4096) :: program_name
  character(len=4096) :: commands(2)
  character(len=8) :: arguments(2, 2)
  HANDLE(Comm) :: parent, others
  HANDLE(Info) :: infos(2)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call MPI_Comm_get_parent(parent, ierror)
  call get_command_argument(0, program_name)
  if (parent /= MPI_COMM_NULL) then
    call expect_begin(rank + 100)
    call together(parent, size + 2)
  else
    call expect_begin(rank)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
    call MPI_Comm_spawn(program_name, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, others, errors, ierror)
    if (ierror == MPI_SUCCESS) then
      call expect('MPI_Comm_spawn', size, 0)
      call together(others, size + 2)
      commands = program_name
      arguments = ' '
      arguments(1, 1) = 'one'
      infos = MPI_INFO_NULL
      call expect('MPI_Comm_spawn_multiple', size, 0)
      call MPI_Comm_spawn_multiple(2, commands, arguments, [1, 1], infos, 0, MPI_COMM_WORLD, others, errors, ierror)
      call together(others, size + 2)
      ierror = MPI_SUCCESS
    end if
  end if
  if (ierror /= MPI_SUCCESS) failure_count = -1
  call MPI_Finalize(ierror)
  if (failure_count < 0) stop 3
  if (failure_count > 0) error stop 1

contains

  subroutine together(inter, both_sizes)
    HANDLE(Comm), intent(inout) :: inter
    integer, intent(in) :: both_sizes
    HANDLE(Comm) :: merged
    integer :: sums(1)
    call expect('MPI_Barrier', both_sizes, 0)
    call MPI_Barrier(inter, ierror)
    call expect('MPI_Intercomm_merge', both_sizes, 0)
    call MPI_Intercomm_merge(inter, parent /= MPI_COMM_NULL, merged, ierror)
    call expect('MPI_Allreduce', both_sizes, 4)
    call MPI_Allreduce([1], sums, 1, MPI_INTEGER, MPI_SUM, merged, ierror)
    call check(sums(1) == both_sizes, 'Allreduce')
    call expect('MPI_Comm_free', both_sizes, 0)
    call MPI_Comm_free(merged, ierror)
    call expect('MPI_Comm_disconnect', both_sizes, 0)
    call MPI_Comm_disconnect(inter, ierror)
  end subroutine together

end program spawn_fortran
