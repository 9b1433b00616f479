#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/reference/thread-ranks-functions.md: how many functions of MPI 5.0 thread ranks
have, and which they lack. The list is that of the header; the library tells the rest, as what is
missing in it is weak (src/threadranks/mpi/missing.cpp). With --check, compares instead.

    tools/thread_ranks_functions.py --library build/release/lib/terrace/ranks/libmpi_abi.so.1
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

PROJECT = Path(__file__).resolve().parents[1]
LIST = PROJECT / "include/terrace/mpi/functions.h"
PAGE = PROJECT / "docs/reference/thread-ranks-functions.md"
ROW = re.compile(r"^TERRACE_MPI_FUNCTION\(\w+, (\w+),", re.MULTILINE)

# In the order of the page; a function belongs to the first that matches.
SUBJECTS = [
    ("Tool interface", r"T_"),
    ("Files", r"File_|Register_datarep"),
    ("One-sided communication", r"Win_|(R?Put|R?Get|R?Accumulate|R?Get_accumulate|"
     r"Compare_and_swap|Fetch_and_op)(_c)?$"),
    ("Sessions and processes", r"Session_|Comm_(spawn|accept|connect|join|get_parent|"
     r"create_from_group)|Open_port|Close_port|Publish|Unpublish|Lookup|Intercomm_create_from|"
     r"Group_from_session"),
    ("Neighbourhood collectives", r"I?[Nn]eighbor_"),
    ("Nonblocking collectives", r"I(barrier|bcast|reduce|allreduce|scan|exscan|gather|scatter|"
     r"allgather|alltoall|comm_idup)|Comm_idup"),
    ("Persistent collectives", r"(Barrier|Bcast|Reduce|Allreduce|Scan|Exscan|Gather|Scatter|"
     r"Allgather|Alltoall)\w*_init"),
    ("Blocking collectives", r"(Barrier|Bcast|Reduce(?!_local)|Allreduce|Scan|Exscan|Gather|"
     r"Scatter|Allgather|Alltoall)"),
    ("Operators", r"Op_|Reduce_local"),
    ("Partitioned messages", r"P(send|recv|ready|arrived)"),
    ("Messages", r"[BSRI]*[Ss]end|I?[Rr]ecv|I?m?[Pp]robe|[IM]+(probe|recv)|Buffer_|"
     r"Comm_\w*buffer|Session_\w*buffer|Message_"),
    ("Requests and statuses", r"Wait|Test|Start|Cancel|Request_|Status_|Grequest_|Get_count|"
     r"Get_elements"),
    ("Datatypes", r"Type_|Pack|Unpack|Get_address|Aint_"),
    ("Groups", r"Group_"),
    ("Topologies", r"Cart|Graph|Dist_graph|Topo_|Dims_"),
    ("Attributes", r"Comm_\w*(attr|keyval)|Attr_|Keyval_"),
    ("Errors", r"Err|Add_error|Remove_error|Comm_\w*errhandler"),
    ("Communicators", r"Comm_|Intercomm_"),
    ("Info", r"Info_"),
    ("Environment", r""),
]


def functions() -> List[str]:
    return ROW.findall(LIST.read_text()) + ["Pcontrol"]


def is_there(library: Path) -> Dict[str, bool]:
    """By name: strong symbols are implemented, weak ones say that they are missing."""
    symbols = subprocess.run(["nm", "-D", "--defined-only", str(library)], check=True,
                             stdout=subprocess.PIPE, universal_newlines=True).stdout
    found = {}
    for line in symbols.splitlines():
        kind, name = line.split()[-2:]
        if name.startswith("PMPI_"):
            found[name[len("PMPI_"):]] = kind == "T"
    return found


def subject_of(function: str) -> str:
    return next(subject for subject, pattern in SUBJECTS if re.match(pattern, function))


def names(functions_: List[str]) -> str:
    return ", ".join("`MPI_%s`" % function for function in functions_)


def page(there: Dict[str, bool]) -> str:
    listed = functions()
    missing_symbols = [function for function in listed if function not in there]
    if missing_symbols:
        raise SystemExit("the library does not export %s" % missing_symbols)
    lines = ["# Functions of thread ranks", "",
             "Which of the functions that MPI 5.0 has in C, deprecated ones included ([all of them]"
             "(../../include/terrace/mpi/functions.h)), the MPI of [thread ranks]"
             "(../design/thread-ranks.md) has: %d of %d, all but those below. One that is missing "
             "reports `MPI_ERR_UNSUPPORTED_OPERATION` to the error handler, and names itself; one "
             "of the tool interface, which has no handlers, returns `MPI_T_ERR_NOT_SUPPORTED`. "
             "Besides, [`terrace/ownership.h`](../../include/terrace/ownership.h) has "
             "`MPIX_Give`, `MPIX_Take` and `MPIX_Itake`. "
             "`tools/thread_ranks_functions.py` writes this page." %
             (sum(there[function] for function in listed), len(listed)), "",
             "| subject | there | missing |", "|---|---|---|"]
    for subject, _ in SUBJECTS:
        mine = [function for function in listed if subject_of(function) == subject]
        lack = [function for function in mine if not there[function]]
        lines.append("| %s | %d of %d | %s |" % (subject, len(mine) - len(lack), len(mine),
                                                 names(lack) or "none"))
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text = page(is_there(arguments.library))
    if not arguments.check:
        PAGE.write_text(text)
        return 0
    if PAGE.read_text() == text:
        return 0
    print("%s is not what the library says: run tools/thread_ranks_functions.py" % PAGE)
    return 1


if __name__ == "__main__":
    sys.exit(main())
