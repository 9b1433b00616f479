# SPDX-License-Identifier: BSD-3-Clause
"""The preload libraries need nothing but libc and libgcc_s, through which exceptions of the program
pass, and export what they stand before, nothing else.

dynamic_section.py LIBRARY ALLOWED_SYMBOL...
"""

import re
import subprocess
import sys

ALLOWED_LIBRARIES = re.compile(r"^(libc\.so\.6|libgcc_s\.so\.1|ld-linux.*\.so\.\d+)$")


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def complaints(library: str, allowed: set) -> list:
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", library))
    found = ["needs %s" % name for name in needed if not ALLOWED_LIBRARIES.match(name)]
    exported = set()
    for line in output_of("nm", "-D", "--defined-only", library).splitlines():
        exported.add(line.split()[-1].split("@")[0])
    found += ["exports %s" % name for name in sorted(exported - allowed)]
    found += ["does not export %s" % name for name in sorted(allowed - exported)]
    return found


def main() -> int:
    library, allowed = sys.argv[1], set(sys.argv[2:])
    found = complaints(library, allowed)
    for complaint in found:
        print("%s %s" % (library, complaint))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
