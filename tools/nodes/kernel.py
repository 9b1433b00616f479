# SPDX-License-Identifier: BSD-3-Clause
"""What the kernel gives to a process: namespaces, mounts, and an end with its parent's end."""

import ctypes
import errno
import os
import struct
from pathlib import Path

NEW_MOUNTS, NEW_NAMES, NEW_IPC = 0x00020000, 0x04000000, 0x08000000
NEW_PIDS, NEW_NETWORK, NEW_USER = 0x20000000, 0x40000000, 0x10000000
NEW_TIME = 0x00000080
NODE = NEW_MOUNTS | NEW_NAMES | NEW_IPC | NEW_PIDS | NEW_NETWORK
# Names below /proc/PID/ns, in an order in which all can be entered.
NAMES_OF_NODE = ("net", "uts", "ipc", "pid", "time", "mnt")

MOUNT_NOSUID, MOUNT_NODEV, MOUNT_NOEXEC = 0x2, 0x4, 0x8
MOUNT_BIND, MOUNT_MOVE, MOUNT_RECURSIVE, MOUNT_PRIVATE = 0x1000, 0x2000, 0x4000, 0x40000

SET_DEATH_SIGNAL, SET_SECCOMP = 1, 22  # of prctl
ADMINISTRATOR = 21    # CAP_SYS_ADMIN
NOT_ALLOWED = (errno.EPERM, errno.EACCES, errno.ENOSPC, errno.EINVAL, errno.ENOSYS)

# Where a filter of system calls finds the architecture and the number of a call; its instructions.
FILTER_ARCHITECTURE, FILTER_NUMBER = 4, 0
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ANSWER_WITH_ERROR, ALLOW = 0x00050000, 0x7fff0000
SETGROUPS = {"x86_64": (0xc000003e, 116), "aarch64": (0xc00000b7, 159)}

libc = ctypes.CDLL(None, use_errno=True)


class Forbidden(Exception):
    """What this machine does not allow or does not have, as a sentence."""


def succeed(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (what, os.strerror(number)))


def die_with_parent(signal_number: int) -> None:
    succeed(libc.prctl(SET_DEATH_SIGNAL, signal_number, 0, 0, 0), "prctl")


def mount(what: str, place: Path, kind: str = "", flags: int = 0, options: str = "") -> None:
    try:
        succeed(libc.mount(what.encode(), os.fsencode(place), kind.encode() or None,
                           ctypes.c_ulong(flags), options.encode() or None),
                "mount of %s on %s" % (kind or what, place))
    except OSError as error:
        if error.errno not in NOT_ALLOWED:
            raise
        raise Forbidden("the kernel refuses a %s" % error.strerror) from error


def mount_memory(place: Path) -> None:
    mount("tmpfs", place, "tmpfs", MOUNT_NOSUID | MOUNT_NODEV, "mode=1777")


def bind(what: Path, place: Path) -> None:
    mount(str(what), place, "", MOUNT_BIND | MOUNT_RECURSIVE)


def mount_processes() -> None:
    """/proc of the namespace of PIDs in which this process is."""
    mount("proc", Path("/proc"), "proc", MOUNT_NOSUID | MOUNT_NODEV | MOUNT_NOEXEC)


def is_administrator() -> bool:
    """Root of a container often is not."""
    status = Path("/proc/self/status").read_text()
    effective = next(line.split()[1] for line in status.splitlines() if line.startswith("CapEff"))
    return bool(int(effective, 16) >> ADMINISTRATOR & 1)


def hint_on_user_namespaces() -> str:
    """Which setting keeps an ordinary user from namespaces, as far as settings say so."""
    for name, forbidding in (("user/max_user_namespaces", "0"),
                             ("kernel/unprivileged_userns_clone", "0"),
                             ("kernel/apparmor_restrict_unprivileged_userns", "1")):
        try:
            value = (Path("/proc/sys") / name).read_text().strip()
        except OSError:
            continue
        if value == forbidding:
            return " (%s is %s)" % (name.replace("/", "."), value)
    return ""


def become_root_of_own_users() -> None:
    """Root in a user namespace, where only this user exists."""
    user, group = os.geteuid(), os.getegid()
    try:
        succeed(libc.unshare(NEW_USER), "unshare")
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text("0 %d 1" % user)
        Path("/proc/self/gid_map").write_text("0 %d 1" % group)
    except OSError as error:
        raise Forbidden("this user may make no namespaces, nor a user namespace in which it "
                        "might: %s%s" % (error.strerror, hint_on_user_namespaces())) from error


def leave_for_new_mounts() -> None:
    """This process and its children. Their mounts show nowhere else."""
    leave_for(NEW_MOUNTS)


def leave_for_new_namespaces() -> None:
    """This process, but for its PID, which only its children's differ in. Its mounts show nowhere
    else."""
    leave_for(NODE)


def leave_for(namespaces: int) -> None:
    try:
        succeed(libc.unshare(namespaces), "unshare")
    except OSError as error:
        if error.errno not in NOT_ALLOWED:
            raise
        raise Forbidden("the kernel allows no namespaces: %s%s"
                        % (error.strerror, hint_on_user_namespaces())) from error
    mount("none", Path("/"), "", MOUNT_RECURSIVE | MOUNT_PRIVATE)


def start_clocks_earlier(seconds: int) -> None:
    """Of this process's children, as if their system had started so long before this one. Kernels
    before 5.6 have one clock for all."""
    if not Path("/proc/self/ns/time").exists():
        return
    try:
        succeed(libc.unshare(NEW_TIME), "unshare")
        Path("/proc/self/timens_offsets").write_text("monotonic %d 0\nboottime %d 0\n"
                                                     % (seconds, seconds))
    except OSError as error:
        if error.errno not in NOT_ALLOWED:
            raise


def ignore_setgroups_where_refused() -> None:
    """A program that lets go of groups then hears that it did. The kernel refuses this call in a
    user namespace that was made without root, and Slurm ends there."""
    if Path("/proc/self/setgroups").read_text().strip() != "deny":
        return
    architecture, number = SETGROUPS.get(os.uname().machine, (0, 0))
    if not number:
        raise Forbidden("Slurm needs root on %s" % os.uname().machine)
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in (
        (LOAD, 0, 0, FILTER_ARCHITECTURE), (JUMP_IF_EQUAL, 0, 3, architecture),
        (LOAD, 0, 0, FILTER_NUMBER), (JUMP_IF_EQUAL, 0, 1, number),
        (RETURN, 0, 0, ANSWER_WITH_ERROR), (RETURN, 0, 0, ALLOW)))
    instructions = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(instructions))
    succeed(libc.prctl(SET_SECCOMP, 2, program, 0, 0), "seccomp")


def enter_namespaces_of(process: int) -> None:
    """Children of this process then begin in the namespaces of `process`."""
    theirs, mine = Path("/proc/%d/ns" % process), Path("/proc/self/ns")
    # A kernel may have given the node no clock of its own; then a user may not enter the system's.
    opened = [os.open(theirs / name, os.O_RDONLY) for name in NAMES_OF_NODE
              if (theirs / name).exists()
              and os.readlink(theirs / name) != os.readlink(mine / name)]
    for file in opened:
        succeed(libc.setns(file, 0), "setns")
        os.close(file)
