! tests/mpi/f08_persistent.F90 - persistent collectives from mpi_f08, completed in every way there is.
!
! Which request Waitany and its kin completed they say by an index alone (the handle stays), and MPICH 4.0.2 counts it
! from 0. One persistent request is second among null ones: MPICH 4.0.2 returns an inactive one again and again.
#ifdef OPEN_MPI
#define ALLREDUCE_INIT MPIX_Allreduce_init
#define BCAST_INIT MPIX_Bcast_init
#else
#define ALLREDUCE_INIT MPI_Allreduce_init
#define BCAST_INIT MPI_Bcast_init
#endif
program f08_persistent
  use mpi_f08
#ifdef OPEN_MPI
  use mpi_f08_ext
#endif
  use expected_records
  implicit none

  integer, parameter :: COUNT = 3
  integer :: rank, size, total, index, indices(COUNT), done_count, i
  integer, asynchronous :: mine(2), sums(2), told(5)
  logical :: flag
  type(MPI_Request) :: requests(COUNT), both(2)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call expect_begin(rank)
  requests = [MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL]
  mine = 1
  call ALLREDUCE_INIT(mine, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))

  call begin_sum
  call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
  call end_sum('Wait')
  call begin_sum
  call MPI_Waitany(COUNT, requests, index, MPI_STATUS_IGNORE)
  call end_sum('Waitany')
  call begin_sum
  call MPI_Waitsome(COUNT, requests, done_count, indices, MPI_STATUSES_IGNORE)
  call end_sum('Waitsome')
  call begin_sum
  flag = .false.
  do while (.not. flag)
    call MPI_Test(requests(2), flag, MPI_STATUS_IGNORE)
  end do
  call end_sum('Test')
  call begin_sum
  flag = .false.
  do while (.not. flag)
    call MPI_Testany(COUNT, requests, index, flag, MPI_STATUS_IGNORE)
  end do
  call end_sum('Testany')
  call begin_sum
  done_count = 0
  do while (done_count == 0)
    call MPI_Testsome(COUNT, requests, done_count, indices, MPI_STATUSES_IGNORE)
  end do
  call end_sum('Testsome')

  ! Two started together. Testall of persistent collectives fails in MPICH 4.0.2.
  both(1) = requests(2)
  call BCAST_INIT(told, 5, MPI_INTEGER, size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, both(2))
  do i = 1, 2
    sums = 0
    told = merge(i, -1, rank == size - 1)
    call expect('MPI_Allreduce_init', size, 8)
    call expect('MPI_Bcast_init', size, 20, root=size - 1)
    call MPI_Startall(2, both)
#ifdef OPEN_MPI
    flag = i == 1
#else
    flag = .true.
#endif
    if (flag) call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
    do while (.not. flag)
      call MPI_Testall(2, both, flag, MPI_STATUSES_IGNORE)
    end do
    call check(all(sums == size) .and. all(told == i), 'Startall')
  end do
  call MPI_Request_free(both(1))
  call MPI_Request_free(both(2))

  call expect('MPI_Allreduce', size, 4)
  call MPI_Allreduce(failure_count, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a, i0, a)', 'f08_persistent: ', total, ' wrong results'
  call MPI_Finalize()
  if (total /= 0) error stop 1

contains

  subroutine begin_sum
    sums = 0
    call expect('MPI_Allreduce_init', size, 8)
    call MPI_Start(requests(2))
  end subroutine begin_sum

  subroutine end_sum(how)
    character(len=*), intent(in) :: how
    call check(all(sums == size), how)
  end subroutine end_sum

end program f08_persistent
