#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A command where this machine runs programs for AArch64 as well: tools/aarch64_machine.py COMMAND.

What a program starts, the kernel then gives to qemu's user mode (binfmt_misc), the loader and
libraries lie where programs for AArch64 expect them, and `cc` and `c++` make such programs. Nobody
else sees that: the command has namespaces of its own, for which nobody need be root, and they end
with it. Linux 6.7 or newer.
Exit status: the command's; 77 where the machine does not allow it or lacks something.
"""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "nodes"), str(ROOT / "tests")]

import kernel  # noqa: E402
import provision  # noqa: E402
from rows import SKIPPED  # noqa: E402

SYSTEM = Path("/usr/aarch64-linux-gnu/lib")  # libc and its kin, of the cross compiler
LOADER = "ld-linux-aarch64.so.1"
PLACE = Path("/mnt")  # becomes the root
HANDLERS = Path("/proc/sys/fs/binfmt_misc")
# The first bytes of a program or library for AArch64, and which of their bits matter.
MAGIC = bytes.fromhex("7f454c460201010000000000000000000200b700")
MASK = bytes.fromhex("ffffffffffffff00fffffffffffffffffeffffff")


def escaped(text: bytes) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in text)


def let_kernel_start_emulator(emulator: str) -> None:
    """The emulator is opened now (F), and gets the program's own first word (P)."""
    kernel.mount("binfmt_misc", HANDLERS, "binfmt_misc")
    line = b":aarch64:M::%s:%s:%s:PF" % (escaped(MAGIC), escaped(MASK), emulator.encode())
    (HANDLERS / "register").write_bytes(line)


def make_folder_of_libraries(place: Path) -> None:
    """/lib of this machine, with that of AArch64."""
    place.mkdir()
    for name in os.listdir("/usr/lib"):
        if name != provision.AARCH64_TRIPLET:
            (place / name).symlink_to("/usr/lib/" + name)
    (place / LOADER).symlink_to(SYSTEM / LOADER)
    folder = place / provision.AARCH64_TRIPLET
    folder.mkdir()
    for libraries in (SYSTEM, provision.AARCH64_LIBRARIES / "usr/lib" / provision.AARCH64_TRIPLET):
        for name in os.listdir(libraries):
            if not (folder / name).is_symlink():
                (folder / name).symlink_to(libraries.resolve() / name)


def make_folder_of_compilers(place: Path) -> None:
    place.mkdir()
    for name, kind in (("cc", "gcc"), ("gcc", "gcc"), ("c++", "g++"), ("g++", "g++")):
        compiler = shutil.which("%s-%s" % (provision.AARCH64_TRIPLET, kind))
        if compiler:
            (place / name).symlink_to(compiler)
    os.environ["PATH"] = "/%s:%s" % (place.name, os.environ["PATH"])


def make_root(place: Path) -> None:
    """Folders of this machine's root, but for /lib, which is often a link to /usr/lib."""
    kernel.mount_memory(place)
    for entry in Path("/").iterdir():
        here = place / entry.name
        if entry == PLACE or entry.name == "lib":
            continue
        if entry.is_symlink():
            here.symlink_to(os.readlink(entry))
        elif entry.is_dir():
            here.mkdir()
            kernel.bind(entry, here)
    make_folder_of_libraries(place / "lib")
    make_folder_of_compilers(place / "compilers")


def become_that_machine() -> None:
    lacks = provision.lacks_for_aarch64()
    if lacks:
        raise kernel.Forbidden(lacks)
    if os.path.realpath("/lib") != "/usr/lib" or not PLACE.is_dir():
        raise kernel.Forbidden("this system's root has no /mnt, or a /lib beside /usr/lib")
    folder = os.getcwd()
    kernel.become_root_of_own_users()
    kernel.leave_for_new_mounts()
    let_kernel_start_emulator(str(shutil.which(provision.AARCH64_EMULATOR)))
    make_root(PLACE)
    os.chroot(PLACE)
    os.chdir(folder)


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    try:
        become_that_machine()
    except kernel.Forbidden as reason:
        print("skipped: no programs for AArch64 here: %s" % reason)
        return SKIPPED
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
