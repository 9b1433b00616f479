# SPDX-License-Identifier: BSD-3-Clause
"""Nodes on this machine, as namespaces of the kernel: a head, on which a command runs, and nodes.

The head's namespace of PIDs holds those of all nodes, so its first process ends all others when it
ends, and with them networks and mounts, which have no names outside. It dies with the process that
made it, if that is killed.
"""

import os
import re
import shlex
import signal
import socket
import sys
import uuid
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence

from nodes import kernel, network, processes, slurm

PROGRAM = "nodes"
# What a command follows on a node to have core n for itself on node n, as far as there are cores:
# nodes that share a core would wait for each other's time slices.
ON_OWN_CORE = ("sh", "-c", 'exec taskset -c $(($(hostname | tr -dc 0-9) % $(nproc))) "$@"', "sh")
SECONDS_BETWEEN_STARTS = 1000  # of nodes: monotonic clocks count from there
NOT_POSSIBLE = 125  # like `timeout` and `env`, for what is their own
AGENT = Path(__file__).resolve().parent / "on_node.py"
NAMES_OF_AGENT = ("ssh", "rsh")

# On the head alone, in memory of its own.
STATE = Path("/dev/shm/nodes")
FIRST_PROCESSES = STATE / "first_processes"
HOSTS = STATE / "hosts"
HOSTS_WITH_COLONS, HOSTS_WITH_SLOTS = STATE / "hosts.hydra", STATE / "hosts.openmpi"
PROGRAMS = STATE / "bin"

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
OF_ANOTHER_JOB = re.compile(r"^(PMI|PMIX|OMPI_COMM_WORLD|SLURM)_|^TMPDIR$")
# To Open MPI: root of a user namespace can do no harm that its user could not.
ROOT_OF_OWN_USERS = {name + "_ALLOW_RUN_AS_ROOT" + suffix: "1"
                     for name in ("OMPI", "PRTE") for suffix in ("", "_CONFIRM")}


class Shape(NamedTuple):
    """What is asked for."""

    slots: Sequence[int]  # ranks that launchers put on each node, if they are not told otherwise
    rate: str = ""        # of each wire, in both directions
    shared: Sequence[Path] = ()  # folders below /tmp that all nodes see
    with_slurm: bool = False

    def names(self) -> List[str]:
        return [network.name_of(node) for node in range(len(self.slots))]

    def lines(self, pattern: str) -> str:
        return "".join(pattern % row + "\n" for row in zip(self.names(), self.slots))


def environment_of_command(shape: Shape, given: Dict[str, str]) -> Dict[str, str]:
    """What tells launchers of our nodes, and that all nodes' cores are the same ones."""
    kept = {name: value for name, value in given.items() if not OF_ANOTHER_JOB.match(name)}
    path = kept.get("PATH", os.defpath)
    kept.update({
        "PATH": str(PROGRAMS) + os.pathsep + path, "NODES": ",".join(shape.names()),
        "HYDRA_HOST_FILE": str(HOSTS_WITH_COLONS), "I_MPI_HYDRA_HOST_FILE": str(HOSTS_WITH_COLONS),
        "OMPI_MCA_orte_default_hostfile": str(HOSTS_WITH_SLOTS),
        "PRTE_MCA_prte_default_hostfile": str(HOSTS_WITH_SLOTS),
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "PRTE_MCA_hwloc_default_binding_policy": "none", "I_MPI_PIN": "0",
        # Intel MPI takes no numbers from such a file, only from that of its -machinefile.
        "I_MPI_PERHOST": str(shape.slots[0])})
    if sum(shape.slots) > len(os.sched_getaffinity(0)):
        # What launchers cannot see: on each node there are cores enough.
        kept.update({"OMPI_MCA_mpi_yield_when_idle": "1", "I_MPI_THREAD_YIELD": "3"})
    return kept


def below_temporary(folders: Sequence[Path]) -> List[Path]:
    """Those that a /tmp of its own would hide; none that is below another."""
    hidden = sorted({folder for folder in folders if Path("/tmp") in folder.parents})
    return [folder for folder in hidden if not set(folder.parents) & set(hidden)]


def give_own_memory(shared: Sequence[Path]) -> None:
    """/tmp and /dev/shm of its own. Of the former /tmp, `shared` stays."""
    stage = Path("/dev/shm")
    kernel.mount_memory(stage)
    for folder in shared:
        place = stage / folder.relative_to("/tmp")
        place.mkdir(parents=True)
        kernel.bind(folder, place)
    kernel.mount(str(stage), Path("/tmp"), "", kernel.MOUNT_MOVE)
    kernel.mount_memory(stage)


class Head:
    """The first process of all. Makes the nodes, then runs the command."""

    def __init__(self, shape: Shape):
        self.shape = shape
        self.shared = below_temporary(list(shape.shared) + [Path.cwd(), AGENT.parent.parent])

    def make(self) -> None:
        kernel.mount_processes()
        socket.sethostname(network.HEAD)
        here = Path.cwd()
        give_own_memory(self.shared)
        os.chdir(here)  # the same folder, by the mount that is to be seen
        self.write_state()
        if self.shape.with_slurm:
            slurm.FOLDER.mkdir()
            self.shared.append(slurm.FOLDER)
        kernel.bind(HOSTS, Path("/etc/hosts"))
        network.add_bridge()
        for node in range(len(self.shape.slots)):
            self.add(node)

    def prepare(self) -> None:
        """The environment, and what runs next to the command."""
        for name in [name for name in os.environ if OF_ANOTHER_JOB.match(name)]:
            del os.environ[name]
        os.environ.update(environment_of_command(self.shape, dict(os.environ)))
        if self.shape.with_slurm:
            kernel.ignore_setgroups_where_refused()
            os.environ.update(slurm.environment())
            slurm.start(self.shape.slots)

    def write_state(self) -> None:
        PROGRAMS.mkdir(parents=True)
        for name in NAMES_OF_AGENT:
            (PROGRAMS / name).write_text("#!/bin/sh\nexec %s %s \"$@\"\n" % (
                shlex.quote(sys.executable), shlex.quote(str(AGENT))))
            (PROGRAMS / name).chmod(0o755)
        HOSTS.write_text(network.hosts(len(self.shape.slots)))
        HOSTS_WITH_COLONS.write_text(self.shape.lines("%s:%d"))
        HOSTS_WITH_SLOTS.write_text(self.shape.lines("%s slots=%d"))

    def add(self, node: int) -> None:
        told, tell = os.pipe()
        heard, say = os.pipe()
        holder = os.fork()
        if holder == 0:
            os.close(tell)
            Node(node, self.shape.rate, self.shared).live(told, say)
        os.close(told)
        os.close(say)
        with os.fdopen(heard) as answers, os.fdopen(tell, "w") as orders:
            process = read_or_forbid(answers, "PID ")
            with FIRST_PROCESSES.open("a") as file:
                file.write("%s %s\n" % (network.name_of(node), process))
            network.add_wire(node, int(process), self.shape.rate)
            orders.write("wired\n")
            orders.flush()
            read_or_forbid(answers, "up")
        os.waitpid(holder, 0)


def read_or_forbid(answers, expected: str) -> str:
    """The rest of a line that begins as expected; another one is why there is no node."""
    line = answers.readline().rstrip("\n")
    if not line.startswith(expected):
        raise kernel.Forbidden(line or "a node ended while it was made; its last words are above")
    return line[len(expected):]


class Node:
    """Made by a child of the head, whose child is the node's first process."""

    def __init__(self, number: int, rate: str, shared: Sequence[Path]):
        self.number = number
        self.rate = rate
        self.shared = shared

    def live(self, told: int, say: int) -> None:
        """Does not return."""
        with os.fdopen(say, "w", buffering=1) as answers:
            try:
                kernel.leave_for_new_namespaces()
                kernel.start_clocks_earlier(SECONDS_BETWEEN_STARTS * self.number)
                first = os.fork()
                if first:
                    answers.write("PID %d\n" % first)
                    os._exit(0)
                self.make(told)
            except kernel.Forbidden as forbidden:
                answers.write("%s: %s\n" % (network.name_of(self.number), forbidden))
                os._exit(NOT_POSSIBLE)
            answers.write("up\n")
        os.close(told)
        processes.reap_for_ever()

    def make(self, told: int) -> None:
        socket.sethostname(network.name_of(self.number))
        kernel.mount_processes()
        own_boot_id = STATE / ("boot_id-%d" % self.number)
        own_boot_id.write_text("%s\n" % uuid.uuid4())
        kernel.bind(own_boot_id, BOOT_ID)
        os.chdir("/")
        give_own_memory(self.shared)
        os.read(told, 1)  # the wire is there
        network.join_network(self.number, self.rate)
        self.let_go_of_input_and_output()

    @staticmethod
    def let_go_of_input_and_output() -> None:
        """So that nobody who reads what the command prints waits for us."""
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.close(nothing)


def not_possible(why: kernel.Forbidden) -> int:
    print("%s: not possible here: %s" % (PROGRAM, why), file=sys.stderr)
    return NOT_POSSIBLE


def leave_for_new_namespaces() -> None:
    if not kernel.is_administrator():
        kernel.become_root_of_own_users()
        os.environ.update(ROOT_OF_OWN_USERS)
    kernel.leave_for_new_namespaces()


def become_head(shape: Shape, command: List[str], starter_is_alive: int) -> int:
    """In the first process of the new namespace of PIDs."""
    kernel.die_with_parent(signal.SIGKILL)
    if processes.is_closed(starter_is_alive):  # it was killed before it could be our death
        return NOT_POSSIBLE
    head = Head(shape)
    try:
        head.make()
        head.prepare()
    except kernel.Forbidden as forbidden:
        return not_possible(forbidden)
    return processes.stand_for(processes.start_or_exit(PROGRAM, command, dict(os.environ)))


def run(shape: Shape, command: List[str]) -> int:
    """The command's exit status, or NOT_POSSIBLE after a sentence. This process ends up in the
    head's network and mounts, so it should end."""
    try:
        leave_for_new_namespaces()
    except kernel.Forbidden as forbidden:
        return not_possible(forbidden)
    starter_is_alive, held = os.pipe()
    processes.hold_signals()
    head = os.fork()
    if head == 0:
        os.close(held)
        os._exit(become_head(shape, command, starter_is_alive))
    os.close(starter_is_alive)
    return processes.stand_for(head)
