# SPDX-License-Identifier: BSD-3-Clause
"""The network of the nodes: one bridge on the head, and a wire from it to each node."""

import re
import shutil
import subprocess
from typing import List, Sequence

from nodes.kernel import Forbidden

MOST_NODES = 250
HEAD = "head"
BRIDGE = "hub"
QUEUE_MILLISECONDS = 50
MOST_BITS_PER_SECOND = 1e11
UNITS = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}


def name_of(node: int) -> str:
    return "n%d" % node


def address_of(node: int) -> str:
    return "10.77.0.%d" % (node + 1)


ADDRESS_OF_HEAD = address_of(MOST_NODES)


def hosts(nodes: int) -> str:
    """The text of /etc/hosts, on all of them."""
    rows = [("127.0.0.1", "localhost"), (ADDRESS_OF_HEAD, HEAD)]
    rows += [(address_of(node), name_of(node)) for node in range(nodes)]
    return "".join("%s %s\n" % row for row in rows)


def bits_per_second(rate: str) -> float:
    """Of `100mbit` or `2.5gbit`, as tc writes them; ValueError otherwise."""
    parts = re.fullmatch(r"(\d+(?:\.\d+)?)(kbit|mbit|gbit)", rate)
    bits = float(parts.group(1)) * UNITS[parts.group(2)] if parts else 0.0
    if not 0 < bits <= MOST_BITS_PER_SECOND:
        raise ValueError("expected a rate like 100mbit or 2.5gbit, up to 100gbit")
    return bits


def shaping(device: str, rate: str) -> List[str]:
    """The words for tc that let `device` send so much and no more. The bucket holds a millisecond
    of the rate, and at least one piece of 64 KiB, as the kernel hands them down."""
    bucket = max(int(bits_per_second(rate) / 8 / 1000), 1 << 17)
    return ["qdisc", "add", "dev", device, "root", "tbf", "rate", rate, "burst", str(bucket),
            "latency", "%dms" % QUEUE_MILLISECONDS]


def run(program: str, words: Sequence[str]) -> None:
    """A program of iproute2. What it says is why there can be no network."""
    if not shutil.which(program):
        raise Forbidden("`%s` is missing: please install iproute2" % program)
    answer = subprocess.run([program] + list(words), text=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if answer.returncode != 0:
        said = " ".join(line for line in answer.stdout.splitlines()
                        if not line.startswith("Command failed"))
        raise Forbidden("`%s %s` fails: %s" % (program, " ".join(words), said))


def add_bridge() -> None:
    """On the head, whose address it has."""
    run("ip", ["link", "set", "lo", "up"])
    run("ip", ["link", "add", BRIDGE, "type", "bridge"])
    run("ip", ["address", "add", ADDRESS_OF_HEAD + "/24", "dev", BRIDGE])
    run("ip", ["link", "set", BRIDGE, "up"])


def add_wire(node: int, process: int, rate: str) -> None:
    """On the head, from the bridge to the network of a process of that node."""
    port = "port%d" % node
    run("ip", ["link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", str(process)])
    run("ip", ["link", "set", port, "master", BRIDGE, "up"])
    if rate:
        run("tc", shaping(port, rate))


def join_network(node: int, rate: str) -> None:
    """On a node, which has its end of the wire."""
    run("ip", ["link", "set", "lo", "up"])
    run("ip", ["address", "add", address_of(node) + "/24", "dev", "eth0"])
    run("ip", ["link", "set", "eth0", "up"])
    if rate:
        run("tc", shaping("eth0", rate))
