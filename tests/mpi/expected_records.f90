! tests/mpi/expected_records.f90 - what a Fortran test program says of itself.
!
! Before each collective the program calls expect with the record that the trace must hold; the lines go to
! $EXPECTED_RECORDS/rank-R ("operation comm_size bytes root", root -1 where there is none), and records.sh compares
! them with the trace. After it, check compares the program's own result with the known answer, with and
! without the profiler. Knows no MPI: it serves mpif.h, use mpi and use mpi_f08 alike.
module expected_records
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: expect_begin, expect, check, failure_count

  integer :: records_unit = -1
  integer :: own_rank = -1
  integer :: failure_count = 0

contains

  subroutine expect_begin(rank)
    integer, intent(in) :: rank
    character(len=4096) :: directory
    character(len=16) :: digits
    integer :: status
    own_rank = rank
    call get_environment_variable('EXPECTED_RECORDS', directory, status=status)
    if (status /= 0) return
    write (digits, '(i0)') rank
    open (newunit=records_unit, file=trim(directory)//'/rank-'//trim(digits), action='write', status='replace')
  end subroutine expect_begin

  subroutine expect(operation, comm_size, bytes, root)
    character(len=*), intent(in) :: operation
    integer, intent(in) :: comm_size, bytes
    integer, intent(in), optional :: root
    integer :: shown_root
    if (records_unit == -1) return
    shown_root = -1
    if (present(root)) shown_root = root
    write (records_unit, '(a, 3(1x, i0))') operation, comm_size, bytes, shown_root
    flush (records_unit)
  end subroutine expect

  subroutine check(is_right, what)
    logical, intent(in) :: is_right
    character(len=*), intent(in) :: what
    if (is_right) return
    failure_count = failure_count + 1
    write (error_unit, '(a, i0, 2a)') 'rank ', own_rank, ': wrong result of ', what
  end subroutine check

end module expected_records
