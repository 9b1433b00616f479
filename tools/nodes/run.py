# SPDX-License-Identifier: BSD-3-Clause
"""./dev nodes [OPTIONS] [--] COMMAND...: runs a command next to nodes that the kernel makes.

Each node has its own host name, network, processes, /tmp and /dev/shm, and is gone when the command
ends. On the head, where the command runs, `ssh n0` reaches the first node, and mpirun finds all of
them. Root is not needed where the kernel lets users make namespaces.

Exit status: the command's; 125 where this machine allows no nodes, after a sentence that says why.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import List

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nodes import cluster, network, slurm  # noqa: E402

MOST_SLOTS = 4096  # launchers hang or complain where there are billions


def slots_of_nodes(text: str, nodes: int) -> List[int]:
    """`2` for each node, or `2,1` one by one."""
    slots = [int(word) for word in text.split(",")]
    if len(slots) == 1:
        slots = slots * nodes
    if len(slots) != nodes or not all(1 <= ranks <= MOST_SLOTS for ranks in slots):
        raise ValueError("expected a number of ranks up to %d, or one for each of %d nodes"
                         % (MOST_SLOTS, nodes))
    return slots


def parsed(words: List[str]) -> argparse.Namespace:
    description, _, ending = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="./dev nodes", description=description.partition(": ")[2].capitalize(), epilog=ending,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="./dev nodes [OPTIONS] [--] [COMMAND...]")
    parser.add_argument("-n", "--nodes", type=int, default=2, help="how many nodes (2)")
    parser.add_argument("--slots", default="", metavar="RANKS",
                        help="ranks per node, `2` or `2,1`; otherwise nodes share the cores out")
    parser.add_argument("--rate", default="", metavar="RATE",
                        help="of each node's wire, as 1gbit or 100mbit; otherwise as memory has it")
    parser.add_argument("--share", action="append", default=[], metavar="FOLDER",
                        help="a folder below /tmp that all nodes see; they see the current one")
    parser.add_argument("--slurm", action="store_true",
                        help="with Slurm on all nodes, for srun; fetches it when it is missing")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="otherwise a shell")
    chosen = parser.parse_args(words)
    if not 1 <= chosen.nodes <= network.MOST_NODES:
        parser.error("-n: expected 1 to %d nodes" % network.MOST_NODES)
    each = max(1, len(os.sched_getaffinity(0)) // chosen.nodes)
    try:
        chosen.slots = slots_of_nodes(chosen.slots or str(each), chosen.nodes)
    except ValueError as error:
        parser.error("--slots: %s" % error)
    try:
        if chosen.rate:
            network.bits_per_second(chosen.rate)
    except ValueError as error:
        parser.error("--rate: %s" % error)
    return chosen


def main(words: List[str]) -> int:
    chosen = parsed(words)
    command = chosen.command[1:] if chosen.command[:1] == ["--"] else chosen.command
    shared = [Path(folder).resolve() for folder in chosen.share]
    missing = [folder for folder in shared if not folder.is_dir()]
    if missing:
        print("nodes: --share: no folder %s" % missing[0], file=sys.stderr)
        return 2
    if chosen.slurm and not slurm.fetch():
        print("nodes: not possible here: there is no Slurm", file=sys.stderr)
        return cluster.NOT_POSSIBLE
    shape = cluster.Shape(chosen.slots, chosen.rate, shared, chosen.slurm)
    return cluster.run(shape, command or [os.environ.get("SHELL", "/bin/sh")])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
