! tests/mpi/message_events.F90 - the messages of message_events.c, by mpif.h, or with -DUSE_MPI_F08 by mpi_f08 without ierror.
#ifdef USE_MPI_F08
#define LAST
#define REQUESTS type(MPI_Request) :: requests(2)
#define STATUS_OF type(MPI_Status) :: status
#else
#define LAST , ierror
#define REQUESTS integer :: requests(2)
#define STATUS_OF integer :: status(MPI_STATUS_SIZE)
#endif
program message_events
#ifdef USE_MPI_F08
  use mpi_f08
  implicit none
  type(MPI_Comm) :: copy
  type(MPI_Message) :: message
#else
  implicit none
  include 'mpif.h'
  integer :: copy, message, ierror
#endif
  REQUESTS
  STATUS_OF
  integer, asynchronous :: in(25000), out(25000), buffer(100000)
  integer :: rank, other, i, index, indices(2), done, count
  logical :: flag

  call MPI_Init(i)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, i)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, i)
  other = 1 - rank
  if (rank == 0) then
    call MPI_Send(out, 8, MPI_BYTE, 1, 5, MPI_COMM_WORLD LAST)
    call MPI_Recv(in, 100, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE LAST)
    call MPI_Ssend(out, 2, MPI_INTEGER, 1, 10, MPI_COMM_WORLD LAST)
  else
    call MPI_Recv(in, 100, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE LAST)
    call MPI_Send(out, 9, MPI_INTEGER, 0, 6, MPI_COMM_WORLD LAST)
    call MPI_Mprobe(MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, message, status LAST)
    call MPI_Mrecv(in, 10, MPI_INTEGER, message, MPI_STATUS_IGNORE LAST)
  end if
  call MPI_Sendrecv(out, 3, MPI_INTEGER, other, 7, in, 10, MPI_INTEGER, other, 7, MPI_COMM_WORLD, status LAST)
  call MPI_Sendrecv(out, 3, MPI_INTEGER, MPI_PROC_NULL, 7, in, 10, MPI_INTEGER, MPI_PROC_NULL, 7, MPI_COMM_WORLD, status LAST)
  call MPI_Sendrecv_replace(out, 5, MPI_INTEGER, other, 8, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE LAST)

  call MPI_Irecv(in, 100000, MPI_BYTE, MPI_ANY_SOURCE, 9, copy, requests(1) LAST)
  call MPI_Isend(out, 70000, MPI_BYTE, other, 9, copy, requests(2) LAST)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE LAST)
  call MPI_Irecv(in, 100, MPI_BYTE, other, MPI_ANY_TAG, copy, requests(1) LAST)
  call MPI_Issend(out, 1, MPI_BYTE, other, 11, copy, requests(2) LAST)
  flag = .false.
  do while (.not. flag)
    call MPI_Testany(2, requests, index, flag, MPI_STATUS_IGNORE LAST)
  end do
  call MPI_Waitany(2, requests, index, MPI_STATUS_IGNORE LAST)
  call MPI_Irecv(in, 100, MPI_BYTE, other, 12, copy, requests(1) LAST)
  call MPI_Isend(out, 2, MPI_BYTE, other, 12, copy, requests(2) LAST)
  done = 0
  do while (done < 2)
    call MPI_Waitsome(2, requests, count, indices, MPI_STATUSES_IGNORE LAST)
    done = done + count
  end do
  call MPI_Irecv(in, 100, MPI_BYTE, other, 99, copy, requests(1) LAST)
  call MPI_Cancel(requests(1) LAST)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE LAST)

  call MPI_Send_init(out, 4, MPI_INTEGER, other, 13, MPI_COMM_WORLD, requests(1) LAST)
  call MPI_Recv_init(in, 5, MPI_INTEGER, MPI_ANY_SOURCE, 13, MPI_COMM_WORLD, requests(2) LAST)
  do i = 1, 2
    call MPI_Startall(2, requests LAST)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE LAST)
  end do
  call MPI_Request_free(requests(1) LAST)
  call MPI_Request_free(requests(2) LAST)

  ! Open MPI still holds a message of this size when its request is started again.
  call MPI_Buffer_attach(buffer, 400000 LAST)
  call MPI_Bsend_init(out, 100000, MPI_BYTE, other, 16, MPI_COMM_WORLD, requests(1) LAST)
  do i = 1, 3
    if (i == 1) then
      call MPI_Startall(1, requests LAST)
    else
      call MPI_Start(requests(1) LAST)
    end if
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE LAST)
  end do
  do i = 1, 3
    call MPI_Recv(in, 100000, MPI_BYTE, other, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE LAST)
  end do
  call MPI_Request_free(requests(1) LAST)

  ! Requests that are cancelled, started again, and freed before and after they are complete.
  call MPI_Recv_init(in, 5, MPI_BYTE, other, 17, MPI_COMM_WORLD, requests(1) LAST)
  call MPI_Start(requests(1) LAST)
  call MPI_Cancel(requests(1) LAST)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE LAST)
  call MPI_Barrier(MPI_COMM_WORLD LAST)
  call receive_started()
  call MPI_Start(requests(1) LAST)
  call MPI_Request_free(requests(1) LAST)
  call MPI_Barrier(MPI_COMM_WORLD LAST)
  call MPI_Send_init(out, 4, MPI_BYTE, other, 17, MPI_COMM_WORLD, requests(1) LAST)
  call MPI_Start(requests(1) LAST)
  call MPI_Request_free(requests(1) LAST)
  call MPI_Barrier(MPI_COMM_WORLD LAST)
  call MPI_Recv_init(in, 5, MPI_BYTE, other, 17, MPI_COMM_WORLD, requests(1) LAST)
  call MPI_Request_free(requests(1) LAST)
  call MPI_Recv_init(in, 5, MPI_BYTE, other, 17, MPI_COMM_WORLD, requests(1) LAST)
  call receive_started()
  call MPI_Request_free(requests(1) LAST)
  call MPI_Recv_init(in, 6, MPI_BYTE, other, 18, MPI_COMM_WORLD, requests(1) LAST)
  call MPI_Start(requests(1) LAST)
  call MPI_Cancel(requests(1) LAST)
  call MPI_Request_free(requests(1) LAST)
  call MPI_Barrier(MPI_COMM_WORLD LAST)
  do i = 1, 2
    call MPI_Sendrecv(out, 6, MPI_BYTE, other, 18, in, 6, MPI_BYTE, other, 18, MPI_COMM_WORLD, MPI_STATUS_IGNORE LAST)
  end do

  ! A send that is cancelled once it is started. Whether that came in time only MPI knows.
  call MPI_Send_init(out, 4, MPI_BYTE, other, 19, MPI_COMM_WORLD, requests(1) LAST)
  call MPI_Start(requests(1) LAST)
  call MPI_Cancel(requests(1) LAST)
  call MPI_Wait(requests(1), status LAST)
  call MPI_Test_cancelled(status, flag LAST)
  out(1) = merge(1, 0, flag)
  call MPI_Sendrecv(out, 1, MPI_INTEGER, other, 20, in, 1, MPI_INTEGER, other, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE LAST)
  if (in(1) == 0) then
    call MPI_Recv(in, 4, MPI_BYTE, other, 19, MPI_COMM_WORLD, MPI_STATUS_IGNORE LAST)
  end if
  call MPI_Request_free(requests(1) LAST)

  call MPI_Comm_free(copy, i)
  call MPI_Finalize(i)
contains
  subroutine receive_started()
    call MPI_Start(requests(1) LAST)
    call MPI_Send(out, 4, MPI_BYTE, other, 17, MPI_COMM_WORLD LAST)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE LAST)
  end subroutine
end program message_events
