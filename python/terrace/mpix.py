# SPDX-License-Identifier: BSD-3-Clause
"""The functions of <terrace/mpix.h> for objects of mpi4py, under whichever MPI that was built for.

Arguments and results are those of C, which the header describes, in Python's manner: what C puts at
an address is returned, an error raises mpi4py's exception. Communicators that are returned belong
to the caller, who frees them; there is none where C has MPI_COMM_NULL, so MPI.COMM_NULL.

    from mpi4py import MPI
    from terrace import mpix

    comm = mpix.split_type(MPI.COMM_WORLD, mpix.PHYSICAL_TOPOLOGY)
"""

import ctypes
from pathlib import Path
from typing import List, NamedTuple, Optional, Sequence, Tuple

from mpi4py import MPI

PHYSICAL_TOPOLOGY = 7301
HW_GUIDED = 7302
HW_UNGUIDED = 7303
RESOURCE_GUIDED = 7304

_FILE = "libterrace-communicators.so.1"
_MOST_LEVELS = 64


class Level(NamedTuple):
    """One level of a hierarchy, as this rank sees it."""

    comm: MPI.Comm
    roots: MPI.Comm
    type: str


class Part(NamedTuple):
    """Which part of its parent a communicator is."""

    num_comms: int
    index: int
    type: str


class Coordinate(NamedTuple):
    """Where a rank is at one level."""

    size: int
    index: int
    type: str


def _load() -> ctypes.CDLL:
    """The library of the installation that this module is part of, else the loader's."""
    for folder in list(Path(__file__).resolve().parents)[:5]:
        for place in (folder, *folder.glob("lib*"), *folder.glob("lib/*-linux-gnu")):
            if (place / _FILE).exists():
                return ctypes.CDLL(str(place / _FILE))
    return ctypes.CDLL(_FILE)


_library = _load()


def _word(handle) -> ctypes.c_void_p:
    """A handle as C passes it: an integer, or an address."""
    size = MPI._sizeof(handle)
    return ctypes.c_void_p(int.from_bytes(ctypes.string_at(MPI._addressof(handle), size), "little"))


def _call(name: str, *arguments) -> None:
    function = getattr(_library, name)
    function.restype = ctypes.c_int
    error = function(*arguments)
    if error != MPI.SUCCESS:
        raise MPI.Exception(error)


def _place(made) -> ctypes.c_void_p:
    return ctypes.c_void_p(MPI._addressof(made))


def _given(made: MPI.Comm) -> MPI.Comm:
    return made if made != MPI.COMM_NULL else MPI.COMM_NULL


def _text(string: ctypes.c_char_p) -> str:
    return (string.value or b"").decode()


def split_type(comm: MPI.Comm, split_type: int = PHYSICAL_TOPOLOGY, key: int = 0,
               info: MPI.Info = MPI.INFO_NULL) -> MPI.Comm:
    """MPIX_Comm_split_type. Collective."""
    made = MPI.Intracomm()
    _call("MPIX_Comm_split_type", _word(comm), split_type, key, _word(info), _place(made))
    return _given(made)


def hsplit_with_roots(comm: MPI.Comm,
                      info: MPI.Info = MPI.INFO_NULL) -> Tuple[MPI.Comm, MPI.Comm]:
    """MPIX_Comm_hsplit_with_roots: the new communicator and that of the roots. Collective."""
    made, roots = MPI.Intracomm(), MPI.Intracomm()
    _call("MPIX_Comm_hsplit_with_roots", _word(comm), _word(info), _place(made), _place(roots))
    return _given(made), _given(roots)


def hsplit_all(comm: MPI.Comm, info: MPI.Info = MPI.INFO_NULL,
               most_levels: int = _MOST_LEVELS) -> List[Level]:
    """MPIX_Comm_hsplit_all: this rank's levels, the outermost first. Collective."""
    size = MPI._sizeof(MPI.COMM_NULL)
    count = ctypes.c_int()
    comms, roots = (ctypes.create_string_buffer(max(most_levels, 1) * size) for _ in range(2))
    types = (ctypes.c_char_p * max(most_levels, 1))()
    _call("MPIX_Comm_hsplit_all", _word(comm), _word(info), most_levels, ctypes.byref(count), comms,
          roots, types)
    return [Level(_from(comms, i), _from(roots, i), (types[i] or b"").decode())
            for i in range(count.value)]


def _from(array: ctypes.Array, index: int) -> MPI.Comm:
    """The handle at a place of an array."""
    made = MPI.Intracomm()
    size = MPI._sizeof(made)
    ctypes.memmove(MPI._addressof(made), ctypes.addressof(array) + index * size, size)
    return _given(made)


def get_hlevel_info(comm: MPI.Comm) -> Part:
    """MPIX_Comm_get_hlevel_info. Local."""
    count, index, kind = ctypes.c_int(), ctypes.c_int(), ctypes.c_char_p()
    _call("MPIX_Comm_get_hlevel_info", _word(comm), ctypes.byref(count), ctypes.byref(index),
          ctypes.byref(kind))
    return Part(count.value, index.value, _text(kind))


def get_info(comm: MPI.Comm) -> MPI.Info:
    """MPIX_Comm_get_info. Local; the caller frees the object."""
    made = MPI.Info()
    _call("MPIX_Comm_get_info", _word(comm), _place(made))
    return made


def get_hw_resource_info() -> MPI.Info:
    """MPIX_Get_hw_resource_info. Local; the caller frees the object."""
    made = MPI.Info()
    _call("MPIX_Get_hw_resource_info", _place(made))
    return made


def get_min_hlevel(comm: MPI.Comm, ranks: Sequence[int]) -> str:
    """MPIX_Comm_get_min_hlevel: the type of the innermost resource that the ranks share."""
    listed = (ctypes.c_int * len(ranks))(*ranks)
    kind = ctypes.c_char_p()
    _call("MPIX_Comm_get_min_hlevel", _word(comm), len(ranks), listed, ctypes.byref(kind))
    return _text(kind)


def distance(comm: MPI.Comm, rank_a: int, rank_b: int) -> int:
    """MPIX_Comm_distance: levels up to the smallest group that has both."""
    levels = ctypes.c_int()
    _call("MPIX_Comm_distance", _word(comm), rank_a, rank_b, ctypes.byref(levels))
    return levels.value


def get_hcoords(comm: MPI.Comm, rank: Optional[int] = None) -> List[Coordinate]:
    """MPIX_Comm_get_hcoords: a rank's way through the hierarchy; by default, the caller's."""
    levels = ctypes.c_int()
    sizes, indices = ((ctypes.c_int * _MOST_LEVELS)() for _ in range(2))
    types = (ctypes.c_char_p * _MOST_LEVELS)()
    _call("MPIX_Comm_get_hcoords", _word(comm), comm.rank if rank is None else rank, _MOST_LEVELS,
          ctypes.byref(levels), sizes, indices, types)
    return [Coordinate(sizes[i], indices[i], (types[i] or b"").decode())
            for i in range(min(levels.value, _MOST_LEVELS))]
