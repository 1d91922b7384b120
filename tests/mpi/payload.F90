! tests/mpi/payload.F90 - what `bytes` is of every operation that a Fortran program calls: with a type that has holes,
! with nothing at all, and with MPI_IN_PLACE where it may stand; above each call its expected record. With mpif.h, or
! with mpi_f08 (USE_MPI_F08). tests/mpi/collectives.c is the same from C.
program payload
#ifdef USE_MPI_F08
  use mpi_f08
#define TYPE_HANDLE type(MPI_Datatype)
#define COMM_HANDLE type(MPI_Comm)
#endif
  use expected_records
  implicit none
#ifndef USE_MPI_F08
  include 'mpif.h'
#define TYPE_HANDLE integer
#define COMM_HANDLE integer
#endif

  integer, parameter :: HOLEY_BYTES = 12, HOLEY_EXTENT = 5 ! three integers of five
  integer :: rank, size, ierror, total, n
  integer, allocatable :: ints(:), other(:), counts(:), displs(:), byte_displs(:)
  TYPE_HANDLE :: holey
  TYPE_HANDLE, allocatable :: types(:)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call expect_begin(rank)
  call MPI_Type_vector(3, 1, 2, MPI_INTEGER, holey, ierror)
  call MPI_Type_commit(holey, ierror)
  allocate (ints(64*size), other(64*size), counts(size), displs(size), byte_displs(size), types(size))
  ints = rank
  other = 0
  types = holey

  do n = 0, 2, 2
    call lay_out(n, HOLEY_EXTENT)
    call rooted(HOLEY_BYTES*n, size - 1)
    call exchanged(HOLEY_BYTES*n)
    call reduced(8*n, size - 1)
    call neighbors(HOLEY_BYTES*n)
  end do
  call at_the_bottom()

  call MPI_Type_free(holey, ierror)
  call expect('MPI_Allreduce', size, 4)
  call MPI_Allreduce(failure_count, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a, i0, a)', 'payload: ', total, ' wrong results'
  call MPI_Finalize(ierror)

contains

  subroutine lay_out(count, extent)
    integer, intent(in) :: count, extent
    integer :: i
    counts = count
    displs = [(count*i, i=0, size - 1)]
    byte_displs = [(4*extent*count*i, i=0, size - 1)]
  end subroutine lay_out

  subroutine rooted(bytes, root)
    integer, intent(in) :: bytes, root
    call expect('MPI_Bcast', size, bytes, root=root)
    call MPI_Bcast(ints, n, holey, root, MPI_COMM_WORLD, ierror)
    if (n > 0) call check(ints(1) == root, 'Bcast')
    call expect('MPI_Gather', size, bytes, root=root)
    call MPI_Gather(ints, n, holey, other, n, holey, root, MPI_COMM_WORLD, ierror)
    call expect('MPI_Gatherv', size, bytes, root=root)
    call MPI_Gatherv(ints, n, holey, other, counts, displs, holey, root, MPI_COMM_WORLD, ierror)
    call expect('MPI_Scatter', size, bytes, root=root)
    call MPI_Scatter(ints, n, holey, other, n, holey, root, MPI_COMM_WORLD, ierror)
    call expect('MPI_Scatterv', size, bytes, root=root)
    call MPI_Scatterv(ints, counts, displs, holey, other, n, holey, root, MPI_COMM_WORLD, ierror)
    ! In place at the root: what it gives for its own block means nothing.
    call expect('MPI_Gather', size, bytes, root=root)
    if (rank == root) then
      call MPI_Gather(MPI_IN_PLACE, 7, MPI_INTEGER, other, n, holey, root, MPI_COMM_WORLD, ierror)
    else
      call MPI_Gather(ints, n, holey, other, 7, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
    end if
    call expect('MPI_Gatherv', size, bytes, root=root)
    if (rank == root) then
      call MPI_Gatherv(MPI_IN_PLACE, 7, MPI_INTEGER, other, counts, displs, holey, root, MPI_COMM_WORLD, ierror)
    else
      call MPI_Gatherv(ints, n, holey, other, counts, displs, holey, root, MPI_COMM_WORLD, ierror)
    end if
    call expect('MPI_Scatter', size, bytes, root=root)
    if (rank == root) then
      call MPI_Scatter(ints, n, holey, MPI_IN_PLACE, 7, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
    else
      call MPI_Scatter(ints, 7, MPI_INTEGER, other, n, holey, root, MPI_COMM_WORLD, ierror)
    end if
    call expect('MPI_Scatterv', size, bytes, root=root)
    if (rank == root) then
      call MPI_Scatterv(ints, counts, displs, holey, MPI_IN_PLACE, 7, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
    else
      call MPI_Scatterv(ints, counts, displs, holey, other, n, holey, root, MPI_COMM_WORLD, ierror)
    end if
  end subroutine rooted

  subroutine exchanged(bytes)
    integer, intent(in) :: bytes
    call expect('MPI_Allgather', size, bytes)
    call MPI_Allgather(ints, n, holey, other, n, holey, MPI_COMM_WORLD, ierror)
    call expect('MPI_Allgather', size, bytes)
    call MPI_Allgather(MPI_IN_PLACE, 7, MPI_INTEGER, other, n, holey, MPI_COMM_WORLD, ierror)
    call expect('MPI_Allgatherv', size, bytes)
    call MPI_Allgatherv(ints, n, holey, other, counts, displs, holey, MPI_COMM_WORLD, ierror)
    call expect('MPI_Allgatherv', size, bytes)
    call MPI_Allgatherv(MPI_IN_PLACE, 7, MPI_INTEGER, other, counts, displs, holey, MPI_COMM_WORLD, ierror)
    call expect('MPI_Alltoall', size, bytes)
    call MPI_Alltoall(ints, n, holey, other, n, holey, MPI_COMM_WORLD, ierror)
    call expect('MPI_Alltoall', size, bytes)
    call MPI_Alltoall(MPI_IN_PLACE, 7, MPI_INTEGER, other, n, holey, MPI_COMM_WORLD, ierror)
    call expect('MPI_Alltoallv', size, bytes)
    call MPI_Alltoallv(ints, counts, displs, holey, other, counts, displs, holey, MPI_COMM_WORLD, ierror)
    call expect('MPI_Alltoallv', size, bytes)
    call MPI_Alltoallv(MPI_IN_PLACE, counts, displs, holey, other, counts, displs, holey, MPI_COMM_WORLD, ierror)
    call expect('MPI_Alltoallw', size, bytes)
    call MPI_Alltoallw(ints, counts, byte_displs, types, other, counts, byte_displs, types, MPI_COMM_WORLD, ierror)
    call expect('MPI_Alltoallw', size, bytes)
    call MPI_Alltoallw(MPI_IN_PLACE, counts, byte_displs, types, other, counts, byte_displs, types, MPI_COMM_WORLD, &
                       ierror)
  end subroutine exchanged

  ! Pairs of integers, 8 bytes.
  subroutine reduced(bytes, root)
    integer, intent(in) :: bytes, root
    call expect('MPI_Reduce', size, bytes, root=root)
    call MPI_Reduce(ints, other, n, MPI_2INTEGER, MPI_MAXLOC, root, MPI_COMM_WORLD, ierror)
    call expect('MPI_Reduce', size, bytes, root=root)
    if (rank == root) then
      call MPI_Reduce(MPI_IN_PLACE, other, n, MPI_2INTEGER, MPI_MAXLOC, root, MPI_COMM_WORLD, ierror)
    else
      call MPI_Reduce(ints, other, n, MPI_2INTEGER, MPI_MAXLOC, root, MPI_COMM_WORLD, ierror)
    end if
    call expect('MPI_Allreduce', size, bytes)
    call MPI_Allreduce(ints, other, n, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    call expect('MPI_Allreduce', size, bytes)
    call MPI_Allreduce(MPI_IN_PLACE, other, n, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    call expect('MPI_Scan', size, bytes)
    call MPI_Scan(ints, other, n, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    call expect('MPI_Scan', size, bytes)
    call MPI_Scan(MPI_IN_PLACE, other, n, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    call expect('MPI_Exscan', size, bytes)
    call MPI_Exscan(ints, other, n, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    call expect('MPI_Exscan', size, bytes)
    call MPI_Exscan(MPI_IN_PLACE, other, n, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    call expect('MPI_Reduce_scatter_block', size, bytes*size)
    call MPI_Reduce_scatter_block(ints, other, n, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    call expect('MPI_Reduce_scatter_block', size, bytes*size)
    call MPI_Reduce_scatter_block(MPI_IN_PLACE, other, n, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    call expect('MPI_Reduce_scatter', size, bytes*size)
    call MPI_Reduce_scatter(ints, other, counts, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
    call expect('MPI_Reduce_scatter', size, bytes*size)
    call MPI_Reduce_scatter(MPI_IN_PLACE, other, counts, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
  end subroutine reduced

  subroutine neighbors(bytes)
    integer, intent(in) :: bytes
    COMM_HANDLE :: ring
    TYPE_HANDLE :: both(2)
    integer :: each(2), at(2), around(2)
    integer(kind=MPI_ADDRESS_KIND) :: at_bytes(2)
    both = [holey, holey]
    each = n
    at = [0, n]
    at_bytes = [0, 4*HOLEY_EXTENT*n]
    ! A graph, not a grid: MPICH 4.0.2's mpi_f08 asks every communicator for its graph in Neighbor_alltoallw.
    around = [mod(rank + size - 1, size), mod(rank + 1, size)]
    call expect('MPI_Dist_graph_create_adjacent', size, 0)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around, MPI_UNWEIGHTED, 2, around, MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., ring, ierror)
    call expect('MPI_Neighbor_allgather', size, bytes)
    call MPI_Neighbor_allgather(ints, n, holey, other, n, holey, ring, ierror)
    call expect('MPI_Neighbor_allgatherv', size, bytes)
    call MPI_Neighbor_allgatherv(ints, n, holey, other, each, at, holey, ring, ierror)
    call expect('MPI_Neighbor_alltoall', size, bytes)
    call MPI_Neighbor_alltoall(ints, n, holey, other, n, holey, ring, ierror)
    call expect('MPI_Neighbor_alltoallv', size, bytes)
    call MPI_Neighbor_alltoallv(ints, each, at, holey, other, each, at, holey, ring, ierror)
    call expect('MPI_Neighbor_alltoallw', size, bytes)
    call MPI_Neighbor_alltoallw(ints, each, at_bytes, both, other, each, at_bytes, both, ring, ierror)
    call expect('MPI_Comm_free', size, 0)
    call MPI_Comm_free(ring, ierror)
  end subroutine neighbors

  ! Buffers whose addresses are in their type.
  subroutine at_the_bottom()
    TYPE_HANDLE :: absolute
    integer(kind=MPI_ADDRESS_KIND) :: at(1)
    integer, asynchronous :: sent(2)
    sent = [rank, rank + 7]
    call MPI_Get_address(sent, at(1), ierror)
    call MPI_Type_create_hindexed(1, [2], at, MPI_INTEGER, absolute, ierror)
    call MPI_Type_commit(absolute, ierror)
    call expect('MPI_Bcast', size, 8, size - 1)
    call MPI_Bcast(MPI_BOTTOM, 1, absolute, size - 1, MPI_COMM_WORLD, ierror)
    call check(all(sent == [size - 1, size + 6]), 'Bcast at MPI_BOTTOM')
    call expect('MPI_Allgather', size, 8)
    call MPI_Allgather(MPI_BOTTOM, 1, absolute, other, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call check(all(other(1:2*size:2) == size - 1), 'Allgather from MPI_BOTTOM')
    call MPI_Type_free(absolute, ierror)
  end subroutine at_the_bottom

end program payload
