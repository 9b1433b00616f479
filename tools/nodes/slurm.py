# SPDX-License-Identifier: BSD-3-Clause
"""Slurm on the nodes: its controller on the head, its daemon on each node. It is the system's, or
Debian's packages, unpacked and not installed."""

import os
import shlex
import shutil
import subprocess
import time
from pathlib import Path
from typing import Dict, List, Optional, Sequence

import provision
from nodes import network, processes
from nodes.kernel import Forbidden

UNPACKED = provision.ROOT / "build" / "slurm"
FOLDER = Path("/tmp/slurm")  # of the head; all nodes see it
CONFIGURATION = FOLDER / "slurm.conf"
SECONDS_TO_START = 20
SYSTEM_FOLDERS = os.pathsep.join(("/usr/local/sbin", "/usr/sbin", "/sbin"))

SETTINGS = """\
ClusterName=nodes
SlurmctldHost={head}({address})
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/linear
MpiDefault=pmi2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
"""


def unpacked_libraries() -> Optional[Path]:
    """The folder with Slurm's plugins, if Slurm was unpacked here."""
    return next(iter(UNPACKED.glob("usr/lib/*/slurm-wlm")), None)


def program(name: str) -> Optional[Path]:
    """Debian's packages have it under a name of their own until they are installed."""
    for place in (UNPACKED / "usr" / "sbin" / (name + "-wlm"), UNPACKED / "usr" / "bin" / name):
        if place.exists():
            return place
    found = shutil.which(name, path=os.environ.get("PATH", "") + os.pathsep + SYSTEM_FOLDERS)
    return Path(found) if found else None


def missing_programs() -> List[str]:
    return [name for name in ("slurmctld", "slurmd", "srun", "sinfo") if program(name) is None]


def fetch() -> bool:
    """True if Slurm is there in the end."""
    if missing_programs():
        provision.unpack_packages(provision.SLURM_PACKAGES, UNPACKED)
    return not missing_programs()


def configuration(slots: Sequence[int]) -> str:
    lines = SETTINGS.format(head=network.HEAD, address=network.ADDRESS_OF_HEAD, folder=FOLDER)
    if unpacked_libraries():
        lines += "PluginDir=%s\n" % unpacked_libraries()
    for node, count in enumerate(slots):
        lines += "NodeName=%s CPUs=%d State=UNKNOWN\n" % (network.name_of(node), count)
    return lines + "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"


def environment() -> Dict[str, str]:
    """What Slurm's commands want, and an MPI that takes the place of its own launcher by them."""
    variables = {"SLURM_CONF": str(CONFIGURATION)}
    libraries = unpacked_libraries()
    if libraries:
        folders = [str(libraries), str(libraries.parent), os.environ.get("LD_LIBRARY_PATH", "")]
        variables["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, folders))
        variables["PATH"] = str(UNPACKED / "usr" / "bin") + os.pathsep + os.environ["PATH"]
    for folder in [libraries.parent] if libraries else Path("/usr/lib").glob("*-linux-gnu"):
        if (folder / "libpmi2.so.0").exists():
            variables["I_MPI_PMI_LIBRARY"] = str(folder / "libpmi2.so.0")
    return variables


def start_daemon(words: List[str], log: str, before: Sequence[str] = ()) -> None:
    command = " ".join(shlex.quote(word) for word in words)
    variables = " ".join("%s=%s" % (name, shlex.quote(environment()[name]))
                         for name in ("SLURM_CONF", "LD_LIBRARY_PATH") if name in environment())
    line = "%s exec %s </dev/null >%s 2>&1" % (variables, command, FOLDER / log)
    processes.start(list(before or ["sh", "-c"]) + [line], dict(os.environ))


def start(slots: Sequence[int]) -> None:
    """On the head, when all nodes are up."""
    CONFIGURATION.write_text(configuration(slots))
    (FOLDER / "state").mkdir()
    start_daemon([str(program("slurmctld")), "-D"], "slurmctld.log")
    steps = program("slurmstepd")
    for node in range(len(slots)):
        name = network.name_of(node)
        words = [str(program("slurmd")), "-D", "-N", name] + (["-d", str(steps)] if steps else [])
        start_daemon(words, name + ".log", ("ssh", name))
    wait_until_idle(len(slots))


def wait_until_idle(nodes: int) -> None:
    limit = time.monotonic() + SECONDS_TO_START
    ask = [str(program("sinfo")), "--noheader", "--states", "idle", "--format", "%D"]
    while True:
        answer = subprocess.run(ask, env=dict(os.environ, **environment()), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if answer.stdout.strip() == str(nodes):
            return
        if time.monotonic() > limit:
            raise Forbidden("Slurm did not start in %d s\n%s" % (SECONDS_TO_START, last_words()))
        time.sleep(0.1)


def last_words() -> str:
    """Of each log."""
    return "\n".join("%s: %s" % (log.name, line) for log in sorted(FOLDER.glob("*.log"))
                     for line in log.read_text(errors="replace").splitlines()[-4:])
