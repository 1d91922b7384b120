"""tests/mpi/plants.py - hangs of Python programs: one plant PLANT:RANKS, as plants.c."""
import os
import sys
import time
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD


def ready():
    open(os.path.join(os.environ["SYNCOPATE_TEST_READY"], str(world.rank)), "w").close()


def step(i):
    if world.rank == 1 and i == 40:
        raise ValueError("a rank of its own mind")
    total = array("d", [0])
    if i == 40:
        ready()
    world.Allreduce(array("d", [i]), total)


def exception():
    """An exception of one rank: its interpreter ends, and MPI_Finalize waits for the others."""
    try:
        for i in range(50):
            step(i)
    finally:
        ready()


def pickled():
    """One rank does not come to a broadcast of an object, of which the length goes first."""
    for i in range(10):
        world.bcast({"step": i}, root=0)
    ready()
    if world.rank == 0:
        time.sleep(1000)
    world.bcast({"step": 10}, root=0)


{"exception": exception, "pickled": pickled}[sys.argv[1].split(":")[0]]()
