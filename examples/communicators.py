# SPDX-License-Identifier: BSD-3-Clause
"""Divides MPI_COMM_WORLD along the hardware, level by level, and shows each rank's way: what
communicators.c does, with mpi4py."""

from mpi4py import MPI
from terrace import mpix

world = MPI.COMM_WORLD
line = ""
comm = world
while True:
    finer = mpix.split_type(comm, mpix.PHYSICAL_TOPOLOGY, world.rank)
    if comm != world:
        comm.Free()
    if finer == MPI.COMM_NULL:
        break
    part = mpix.get_hlevel_info(finer)
    line += "  %s %d/%d" % (part.type, part.index, part.num_comms)
    comm = finer

for rank, text in enumerate(world.gather(line) or []):
    print("rank %d:%s" % (rank, text), flush=True)
