# SPDX-License-Identifier: BSD-3-Clause
"""What `ssh` is on the head of `./dev nodes`: runs a command on a node, as after a login.

ssh [OPTIONS OF SSH] [USER@]NODE [COMMAND...]
"""

import os
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nodes import cluster, kernel, processes  # noqa: E402

OPTIONS_WITH_A_WORD = "BbcDEeFIiJLlmOoPpQRSWw"
FAILED = 255  # as ssh's own failures
KEPT_AT_LOGIN = ("HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "PATH")


class Call(NamedTuple):
    node: str
    command: str  # "" for a shell


def understand(words: List[str]) -> Optional[Call]:
    """None where no node is named."""
    place = 0
    while place < len(words) and words[place].startswith("-"):
        option = words[place]
        with_a_word = [at for at, letter in enumerate(option) if letter in OPTIONS_WITH_A_WORD]
        # `-p 22` and `-xp 22` have it in the next word, `-p22` in the same.
        place += 2 if with_a_word and with_a_word[0] == len(option) - 1 else 1
    if place >= len(words):
        return None
    return Call(words[place].rpartition("@")[2], " ".join(words[place + 1:]))


def first_processes() -> Dict[str, int]:
    rows = (line.split() for line in cluster.FIRST_PROCESSES.read_text().splitlines())
    return {name: int(process) for name, process in rows}


def environment_of_login() -> Dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT_AT_LOGIN if name in os.environ}
    folders = kept.get("PATH", os.defpath).split(os.pathsep)
    kept["PATH"] = os.pathsep.join(name for name in folders if name != str(cluster.PROGRAMS))
    return kept


def log_in(process: int) -> None:
    kernel.enter_namespaces_of(process)
    try:
        os.chdir(os.environ.get("HOME", "/"))
    except OSError:
        os.chdir("/")


def main(words: List[str]) -> int:
    call = understand(words)
    if call is None:
        print("ssh (of ./dev nodes): no node is named", file=sys.stderr)
        return FAILED
    nodes = first_processes()
    if call.node not in nodes:
        print("ssh (of ./dev nodes): no node %s; there are %s" % (call.node, ", ".join(nodes)),
              file=sys.stderr)
        return FAILED
    log_in(nodes[call.node])
    processes.hold_signals()
    shell = os.environ.get("SHELL", "/bin/sh")
    command = [shell, "-c", call.command] if call.command else [shell, "-l"]
    return processes.stand_for(processes.start_or_exit("ssh", command, environment_of_login()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
