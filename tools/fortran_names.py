#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes names.h: the functions of MPI that Fortran calls with the arguments of C, and their names
there. The list is that of the header for C. The build calls it with the file to write.
"""

import argparse
import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
LIST = PROJECT / "include/terrace/mpi/functions.h"
ROW = re.compile(r"^TERRACE_MPI_FUNCTION\(int, (\w+),(.*?)\)\n(?=TERRACE|//|\n|#|$)",
                 re.MULTILINE | re.DOTALL)

# Large counts are for mpi_f08; tools and conversions of handles for C.
NOT_THERE = re.compile(r"T_|.*_c$|.*_(c2f|f2c|toint|fromint)$|Abi_|Pcontrol")
# Written by hand (special.cpp).
SPECIAL = set("""Init Init_thread Waitany Testany Waitsome Testsome Buffer_detach
    Comm_buffer_detach Session_buffer_detach Grequest_start Info_create_env Info_get_string
    Comm_create_keyval Comm_set_attr Comm_get_attr Type_create_keyval Type_set_attr Type_get_attr
    Win_create_keyval Win_set_attr Win_get_attr Keyval_create Attr_put Attr_get
    Request_get_status_any Request_get_status_some Request_get_status_all Waitall Testall Startall
    Type_create_struct Type_get_contents Alltoallw Ialltoallw Alltoallw_init Neighbor_alltoallw
    Ineighbor_alltoallw Neighbor_alltoallw_init Op_create Comm_create_errhandler
    Win_create_errhandler File_create_errhandler Session_create_errhandler""".split())
HEAD = """// SPDX-License-Identifier: BSD-3-Clause
// Functions of MPI, by their names in C and in Fortran. Written by tools/fortran_names.py.
"""


def text() -> str:
    lines = []
    for name, parameters in ROW.findall(LIST.read_text()):
        # Arrays of strings: only functions that are missing have them.
        if not NOT_THERE.match(name) and name not in SPECIAL and "char*[" not in parameters \
                and "char**" not in parameters and "char* const*" not in parameters:
            # Collectives of Open MPI have other names before they became standard.
            kind = "_PERSISTENT" if name.endswith("_init") else ""
            lines.append("TERRACE_FORTRAN%s(%s, %s)\n" % (kind, name, name.lower()))
    return HEAD + "".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", type=Path, help="the file to write")
    parser.parse_args().names.write_text(text())


if __name__ == "__main__":
    main()
