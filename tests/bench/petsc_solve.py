"""petsc_solve.py [PETSC OPTION...] - a Poisson problem in a cube, solved by PETSc (petsc4py): its pipelined solvers let
MPI_Iallreduce run beside the product with the matrix."""

import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc

EDGE = 24
NEIGHBOURS = ((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1))


def fill(matrix, grid):
    row, column = PETSc.Mat.Stencil(), PETSc.Mat.Stencil()
    (x0, x1), (y0, y1), (z0, z1) = grid.getRanges()
    for cell in ((x, y, z) for z in range(z0, z1) for y in range(y0, y1) for x in range(x0, x1)):
        row.index = cell
        matrix.setValueStencil(row, row, 6.0)
        for step in NEIGHBOURS:
            beside = tuple(at + by for at, by in zip(cell, step))
            if all(0 <= at < EDGE for at in beside):
                column.index = beside
                matrix.setValueStencil(row, column, -1.0)
    matrix.assemble()


grid = PETSc.DMDA().create([EDGE] * 3, stencil_width=1)
matrix = grid.createMatrix()
fill(matrix, grid)
x, b = matrix.createVecs()
b.set(1.0)
solver = PETSc.KSP().create()
solver.setOperators(matrix)
solver.setFromOptions()
solver.solve(b, x)
if PETSc.COMM_WORLD.rank == 0:
    print("iterations", solver.getIterationNumber())
