# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py: loads its MPI by dlopen, and calls the variants with large counts where there are any."""

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
ranks = world.size
for call in range(50):
    given = numpy.arange(1000.0) * (world.rank + call)
    got = numpy.empty(1000)
    world.Allreduce(given, got)
    assert (got == numpy.arange(1000.0) * (ranks * (ranks - 1) / 2 + ranks * call)).all()
    world.Allreduce(MPI.IN_PLACE, given, op=MPI.MAX)
    assert (given == numpy.arange(1000.0) * (ranks - 1 + call)).all()
    root = call % ranks
    word = numpy.array([call if world.rank == root else -1])
    world.Bcast(word, root=root)
    assert word[0] == call
    total = numpy.zeros(1, dtype="i")
    world.Reduce(numpy.array([world.rank], dtype="i"), total, op=MPI.SUM, root=root)
    assert world.rank != root or total[0] == ranks * (ranks - 1) // 2
    assert world.bcast({"call": call} if world.rank == 0 else None, root=0) == {"call": call}
    row = numpy.empty(ranks, dtype="i")
    world.Allgather(numpy.array([world.rank + call], dtype="i"), row)
    assert (row == numpy.arange(ranks) + call).all()
    column = numpy.empty(ranks, dtype="i")
    world.Alltoall(row + 100 * world.rank, column)
    assert (column == 100 * numpy.arange(ranks) + world.rank + call).all()
    word = numpy.zeros(1, dtype="i")
    world.Scatter(row, word, root=root)
    assert word[0] == world.rank + call
    world.Gather(word, column, root=root)
    assert world.rank != root or (column == row).all()
    world.Reduce_scatter_block(row, word)
    assert word[0] == ranks * (world.rank + call)
    world.Scan(numpy.array([1], dtype="i"), word)
    assert word[0] == world.rank + 1
    counts = [r + 1 for r in range(ranks)]
    own = numpy.full(world.rank + 1, world.rank, dtype="i")
    whole = numpy.concatenate([numpy.full(r + 1, r, dtype="i") for r in range(ranks)])
    gathered = numpy.empty(sum(counts), dtype="i")
    world.Allgatherv(own, [gathered, counts])
    assert (gathered == whole).all()
    own[:] = -1
    world.Scatterv([gathered, counts], own, root=root)
    assert (own == world.rank).all()
    gathered[:] = -1
    world.Gatherv(own, [gathered, counts], root=root)
    assert world.rank != root or (gathered == whole).all()
    mine = numpy.repeat(numpy.arange(ranks, dtype="i"), counts)
    got = numpy.empty(ranks * counts[world.rank], dtype="i")
    world.Alltoallv([mine, counts], [got, [counts[world.rank]] * ranks])
    assert (got == world.rank).all()
    world.Reduce_scatter(whole, own, counts)
    assert (own == ranks * world.rank).all()
    world.Barrier()
if world.rank == 0:
    print("all right 0")
