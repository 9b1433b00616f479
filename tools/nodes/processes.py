# SPDX-License-Identifier: BSD-3-Clause
"""Processes that stand for another: they hand signals on to it, reap what ends, and end as it does.
"""

import os
import select
import signal
import sys
from typing import Dict, List, Optional

HANDED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1,
             signal.SIGUSR2)
WATCHED = HANDED_ON + (signal.SIGCHLD,)
FROM_THE_KERNEL = 0x80  # SI_KERNEL: of a terminal, which tells all processes of the job by itself
NOT_FOUND, NOT_STARTED = 127, 126  # as shells say it


def hold_signals() -> None:
    """Before the first child is made: `stand_for` wants to see them all."""
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)


def start(command: List[str], environment: Dict[str, str]) -> int:
    """The PID of a process with the signals as they were before this program began."""
    return os.posix_spawnp(command[0], command, environment, setsigmask=[],
                           setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])


def start_or_exit(who: str, command: List[str], environment: Dict[str, str]) -> int:
    try:
        return start(command, environment)
    except OSError as error:
        print("%s: %s: %s" % (who, command[0], error.strerror), file=sys.stderr)
        sys.exit(NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_STARTED)


def exit_status(wait_status: int) -> int:
    """As shells have it: 128 and its number for a signal."""
    if os.WIFSIGNALED(wait_status):
        return 128 + os.WTERMSIG(wait_status)
    return os.WEXITSTATUS(wait_status)


def reap(child: int) -> Optional[int]:
    """All that have ended; the status of `child`, if it is among them."""
    status = None
    while True:
        try:
            ended, wait_status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status
        if ended == 0:
            return status
        if ended == child:
            status = exit_status(wait_status)


def stand_for(child: int) -> int:
    """Its exit status, when it has ended. Signals are held (`hold_signals`)."""
    while True:
        heard = signal.sigwaitinfo(WATCHED)
        if heard.si_signo == signal.SIGCHLD:
            status = reap(child)
            if status is not None:
                return status
        elif heard.si_code != FROM_THE_KERNEL:
            os.kill(child, heard.si_signo)


def reap_for_ever() -> None:
    """The first process of a node, whose end would be the node's."""
    while True:
        signal.sigwaitinfo([signal.SIGCHLD])
        reap(0)


def is_closed(pipe: int) -> bool:
    """Whether nobody can write to it any more, though nothing was written."""
    asked = select.poll()
    asked.register(pipe, 0)
    return bool(asked.poll(0))
