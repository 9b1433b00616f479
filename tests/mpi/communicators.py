# SPDX-License-Identifier: BSD-3-Clause
"""terrace.mpix on two pretended nodes of an L3 and two cores each, 4 ranks."""

from mpi4py import MPI
from terrace import mpix

world = MPI.COMM_WORLD
node = world.rank // 2


def members(comm: MPI.Comm) -> list:
    return [] if comm == MPI.COMM_NULL else comm.allgather(world.rank)


levels = mpix.hsplit_all(world)
assert [level.type for level in levels] == ["L3Cache", "Core"], levels
assert members(levels[0].comm) == [2 * node, 2 * node + 1]
assert members(levels[0].roots) == ([0, 2] if world.rank % 2 == 0 else [])
assert members(levels[1].comm) == [world.rank]
assert mpix.hsplit_all(world, most_levels=0) == []

made, roots = mpix.hsplit_with_roots(world)
assert members(made) == [2 * node, 2 * node + 1]
assert (roots == MPI.COMM_NULL) == (world.rank % 2 == 1)
assert mpix.get_hlevel_info(made) == (2, node, "L3Cache")
assert mpix.get_hlevel_info(MPI.COMM_SELF).type == "Unknown"
info = mpix.get_info(made)
assert info.Get("MPI_COMM_HLEVEL_RANK") == str(node)
info.Free()

info = MPI.Info.Create()
info.Set("mpi_hw_resource_type", "Core")
core = mpix.split_type(world, mpix.HW_GUIDED, info=info)
assert members(core) == [world.rank]
info.Free()
assert mpix.split_type(world, MPI.UNDEFINED) == MPI.COMM_NULL

assert mpix.get_min_hlevel(world, range(4)) == "System - Cluster"
assert mpix.get_min_hlevel(world, [2 * node, 2 * node + 1]) == "L3Cache"
assert mpix.distance(world, 0, 1) == 1 and mpix.distance(world, 0, 2) == 2
assert mpix.get_hcoords(world, 3) == [(2, 1, "L3Cache"), (2, 1, "Core")]
assert mpix.get_hcoords(world)[0].index == node
resources = mpix.get_hw_resource_info()
assert resources.Get("hwloc://Core") == "true"
resources.Free()
try:
    mpix.distance(world, 0, 4)
    raise AssertionError("there is no rank 4")
except MPI.Exception as error:
    assert error.Get_error_class() == MPI.ERR_RANK, error
for comm in (made, roots, core, *(one for level in levels for one in level[:2])):
    if comm != MPI.COMM_NULL:
        comm.Free()
world.Barrier()
if world.rank == 0:
    print("all right 0")
