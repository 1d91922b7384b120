! tests/mpi/messages_fortran.F90 - messages as Fortran calls them: by mpif.h, or with -DUSE_MPI_F08 by mpi_f08, there
! with and without ierror. Most arguments are passed on as addresses whatever they are, so that one call of each
! list of parameters shows the wrappers right; messages.c has every function.
program messages_fortran
#ifdef USE_MPI_F08
  use mpi_f08
  implicit none
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Message) :: message
  type(MPI_Win) :: window
#else
  implicit none
  include 'mpif.h'
  integer :: requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), message, window
#endif
  integer :: rank, size, left, right, ierror, out, in, done, indices(2), position
  integer, asynchronous :: base(4)
  integer(kind=MPI_ADDRESS_KIND) :: bytes, displacement
  logical :: flag

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  left = mod(rank + size - 1, size)
  right = mod(rank + 1, size)
  out = 1000 + rank
  call MPI_Barrier(MPI_COMM_WORLD, ierror)

  if (rank == 0) then
    call sleep(1)
    call MPI_Ssend(out, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, ierror)
    call MPI_Send(out, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, ierror)
  else if (rank == 1) then
    call MPI_Recv(in, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, status, ierror)
    call MPI_Probe(0, 1, MPI_COMM_WORLD, status, ierror)
    call MPI_Recv(in, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, status, ierror)
    if (in /= 1000) error stop 'received something else'
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierror)

  call MPI_Sendrecv(out, 1, MPI_INTEGER, right, 2, in, 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, status, ierror)
  if (in /= 1000 + left) error stop 'received something else'
  in = out
  call MPI_Sendrecv_replace(in, 1, MPI_INTEGER, right, 3, left, 3, MPI_COMM_WORLD, status, ierror)
  if (in /= 1000 + left) error stop 'received something else'
  call MPI_Irecv(in, 1, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Isend(out, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_Waitall(2, requests, statuses, ierror)
  call MPI_Irecv(in, 1, MPI_INTEGER, left, 5, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Issend(out, 1, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(2), ierror)
  flag = .false.
  do while (.not. flag)
    call MPI_Testall(2, requests, flag, statuses, ierror)
  end do
  call MPI_Waitany(2, requests, position, status, ierror)
  call MPI_Testany(2, requests, position, flag, status, ierror)
  call MPI_Waitsome(2, requests, done, indices, statuses, ierror)
  call MPI_Testsome(2, requests, done, indices, statuses, ierror)
  call MPI_Test(requests(1), flag, status, ierror)
  call MPI_Wait(requests(1), status, ierror)
  call MPI_Send_init(out, 1, MPI_INTEGER, right, 6, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Recv_init(in, 1, MPI_INTEGER, left, 6, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_Startall(2, requests, ierror)
  call MPI_Waitall(2, requests, statuses, ierror)
  call MPI_Start(requests(1), ierror)
  call MPI_Start(requests(2), ierror)
  call MPI_Request_get_status(requests(1), flag, status, ierror)
  call MPI_Waitall(2, requests, statuses, ierror)
  call MPI_Request_free(requests(1), ierror)
  call MPI_Request_free(requests(2), ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)

  call MPI_Isend(out, 1, MPI_INTEGER, right, 7, MPI_COMM_WORLD, requests(1), ierror)
  flag = .false.
  do while (.not. flag)
    call MPI_Iprobe(left, 7, MPI_COMM_WORLD, flag, status, ierror)
  end do
  call MPI_Mprobe(left, 7, MPI_COMM_WORLD, message, status, ierror)
  call MPI_Mrecv(in, 1, MPI_INTEGER, message, status, ierror)
  call MPI_Wait(requests(1), status, ierror)
  call MPI_Isend(out, 1, MPI_INTEGER, right, 8, MPI_COMM_WORLD, requests(1), ierror)
  flag = .false.
  do while (.not. flag)
    call MPI_Improbe(left, 8, MPI_COMM_WORLD, flag, message, status, ierror)
  end do
  call MPI_Imrecv(in, 1, MPI_INTEGER, message, requests(2), ierror)
  call MPI_Waitall(2, requests, statuses, ierror)
  if (in /= 1000 + left) error stop 'received something else'

  bytes = 16
  displacement = 0
  base = 0
  call MPI_Win_create(base, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
  call MPI_Win_lock_all(0, window, ierror)
  call MPI_Put(out, 1, MPI_INTEGER, right, displacement, 1, MPI_INTEGER, window, ierror)
  call MPI_Win_flush(right, window, ierror)
  displacement = 1
  call MPI_Accumulate(out, 1, MPI_INTEGER, right, displacement, 1, MPI_INTEGER, MPI_SUM, window, ierror)
  call MPI_Win_flush_all(window, ierror)
  call MPI_Get_accumulate(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, right, displacement, 1, MPI_INTEGER, MPI_SUM, window, ierror)
  call MPI_Win_flush_local(right, window, ierror)
  call MPI_Fetch_and_op(out, in, MPI_INTEGER, right, displacement, MPI_SUM, window, ierror)
  call MPI_Win_flush(right, window, ierror)
  if (in /= 2 * out) error stop 'fetched something else'
  call MPI_Rget(in, 1, MPI_INTEGER, right, displacement, 1, MPI_INTEGER, window, requests(1), ierror)
  call MPI_Wait(requests(1), status, ierror)
  if (in /= 3 * out) error stop 'got something else'
  displacement = 2
  call MPI_Rget_accumulate(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, right, displacement, 1, MPI_INTEGER, MPI_SUM, window, &
                           requests(1), ierror)
  call MPI_Wait(requests(1), status, ierror)
  call MPI_Win_unlock_all(window, ierror)
  call MPI_Win_free(window, ierror)

#ifdef USE_MPI_F08
  call MPI_Sendrecv(out, 1, MPI_INTEGER, right, 9, in, 1, MPI_INTEGER, left, 9, MPI_COMM_WORLD, status)
  call MPI_Irecv(in, 1, MPI_INTEGER, left, 10, MPI_COMM_WORLD, requests(1))
  call MPI_Send(out, 1, MPI_INTEGER, right, 10, MPI_COMM_WORLD)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
#endif
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
end program messages_fortran
