"""tests/mpi/mpi4py_all.py - collectives as Python programs make them, each with its known answer.

For counts.sh. mpi4py loads its libmpi privately, and pickled objects make calls of their own (lengths first, then data).
"""
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size


def doubles(count, value=0.0):
    return array("d", [value] * count)


def objects():
    assert world.bcast({"a": 7} if rank == 0 else None) == {"a": 7}
    assert world.allgather(rank) == list(range(size))
    assert world.gather(rank) == (list(range(size)) if rank == 0 else None)
    assert world.scatter(list(range(size)) if rank == 0 else None) == rank
    assert world.alltoall([rank] * size) == list(range(size))
    assert world.allreduce(1) == size
    assert world.reduce(rank, MPI.MAX) == (size - 1 if rank == 0 else None)
    assert world.scan(1) == rank + 1
    assert world.exscan(1) == (rank if rank > 0 else None)
    world.barrier()


def buffers():
    part, result, whole, other = doubles(4, 1.0), doubles(4), doubles(4 * size), doubles(4 * size)
    counts = [4] * size
    offsets = [4 * i for i in range(size)]
    byte_offsets = [8 * at for at in offsets]
    types = [MPI.DOUBLE] * size
    world.Barrier()
    world.Bcast(part, 0)
    world.Allreduce(MPI.IN_PLACE, part)
    assert part[0] == size
    world.Reduce(part, result, root=0)
    assert rank != 0 or result[3] == size * size
    world.Scan(part, result)
    assert result[0] == size * (rank + 1)
    world.Exscan(part, result)
    world.Allgather(part, whole)
    assert whole[-1] == size
    world.Gather(part, whole if rank == 0 else None)
    world.Scatter(whole, part)
    world.Allgatherv(part, [whole, counts, offsets, MPI.DOUBLE])
    world.Gatherv(part, [whole, counts, offsets, MPI.DOUBLE], root=0)
    world.Scatterv([whole, counts, offsets, MPI.DOUBLE], part)
    world.Alltoall(whole, other)
    world.Alltoallv([whole, counts, offsets, MPI.DOUBLE], [other, counts, offsets, MPI.DOUBLE])
    world.Alltoallw([whole, counts, byte_offsets, types], [other, counts, byte_offsets, types])
    assert other == whole
    world.Reduce_scatter_block(whole, part)
    world.Reduce_scatter(whole, part, counts)
    assert part[0] == size * size


def nonblocking():
    part, whole, other = doubles(4, 1.0), doubles(4 * size), doubles(4 * size)
    requests = [world.Ibarrier(), world.Ibcast(part), world.Iallgather(part, whole)]
    MPI.Request.Waitall(requests)
    requests = [world.Iallreduce(MPI.IN_PLACE, part), world.Ialltoall(whole, other)]
    for request in requests:
        while not request.Test():
            pass
    assert part[0] == size and other == whole


def total(comm):
    result = array("i", [0])
    comm.Allreduce(array("i", [1]), result)
    assert result[0] == comm.size


def communicators():
    ring = world.Create_cart([size], [True])
    left, right = (rank - 1) % size, (rank + 1) % size
    beside = array("i", [0, 0])
    ring.Neighbor_allgather(array("i", [rank]), beside)
    assert list(beside) == [left, right]
    ring.Neighbor_alltoall(array("i", [rank, rank]), beside)
    ring.Ineighbor_allgather(array("i", [rank]), beside).Wait()
    assert list(beside) == [left, right]
    for comm in (ring, world.Split(rank % 2, rank), world.Dup()):
        total(comm)
        comm.Free()
    total(MPI.COMM_SELF)


objects()
buffers()
nonblocking()
communicators()
if rank == 0:
    print("mpi4py: every answer is right")
