#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the module mpi_f08 of `terrace fc`, and the list of the functions behind it. Types come
from the header for C, names of arguments from a list of our own, constants from mpif.h. The build
calls it with the files to write.
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

from fortran_names import LIST, PROJECT, ROW, SPECIAL

FOLDER = PROJECT / "src/threadranks/fortran/mpich"
ARGUMENTS = FOLDER / "arguments.txt"
HEAD = FOLDER / "mpi_f08_head.f90"
CONSTANTS = PROJECT / "include/terrace/mpi/fortran/mpif.h"

# No functions of mpi_f08: those that MPI 2.0 has replaced, of tools, and of C.
NOT_THERE = re.compile(r"T_|.*_(c2f|f2c|toint|fromint)$|Abi_|(Attr|Keyval)_|Status_(c2f|f2c)$")
# Their interfaces are in the head.
IN_HEAD = set("""Init Init_thread Comm_spawn Comm_spawn_multiple Info_create_env Wtick Wtime
    Aint_add Aint_diff""".split())
# Their large counts have a name of their own, for nothing else tells a call of one from the other.
APART = {"Op_create_c", "Register_datarep_c"}

KINDS = {"int": "integer", "MPI_Count": "integer(MPI_COUNT_KIND)",
         "MPI_Aint": "integer(MPI_ADDRESS_KIND)", "MPI_Offset": "integer(MPI_OFFSET_KIND)"}
POINTERS = {"baseptr": "type(c_ptr)", "buffer_addr": "type(c_ptr)",
            "extra_state": "integer(MPI_ADDRESS_KIND)",
            "attribute_val": "integer(MPI_ADDRESS_KIND)"}

# How a function uses a buffer (mpich/sections.hpp), by its name.
ADDRESS = re.compile(r"Get_address|Free_mem|Win_detach|File_.*_end|Fetch_and_op|Compare_and_swap")
WHOLE = re.compile(r".*attach(_buffer)?(_c)?$|Win_create(_c)?$|P(send|recv)_init$")
ELEMENTS = re.compile(r"I?[bsr]?send(_init)?$|I?m?recv(_init)?$|I?sendrecv(_replace)?$|I?bcast$|"
                      r"Bcast_init$|File_|R?(put|get|accumulate|get_accumulate)$", re.IGNORECASE)


class Parameter(NamedTuple):
    name: str
    declaration: str  # all before `::`
    shape: str = ""

    def is_buffer(self) -> bool:
        return self.declaration.startswith("type(*)")


class Function(NamedTuple):
    name: str
    parameters: List[Parameter]
    has_request: bool

    def base(self) -> str:
        return re.sub(r"_c$", "", self.name)

    def has_buffer(self) -> bool:
        return any(one.is_buffer() for one in self.parameters)

    def has_text(self) -> bool:
        return any(one.declaration.startswith("character") for one in self.parameters)

    def specific(self) -> str:
        return "MPI_%s_f08%s" % (self.name, "ts" if self.has_buffer() else "")

    def call(self) -> Tuple[Tuple[str, bool], ...]:
        """What a compiler tells functions of one name apart by. Counts are as long as addresses."""
        return tuple((one.declaration.split(",")[0].replace("COUNT", "ADDRESS"), one.shape != "")
                     for one in self.parameters)


def arguments() -> Dict[str, List[str]]:
    rows: Dict[str, List[str]] = {}
    for line in ARGUMENTS.read_text().splitlines():
        if line.startswith(" "):
            rows[name] += line.split()
        elif not line.startswith("#"):
            name, _, words = line.partition(":")
            rows[name] = words.split()
    return rows


def kind_of(c_type: str, name: str, is_logical: bool) -> str:
    if c_type == "void":
        return POINTERS.get(name, "type(*), dimension(..)")
    if c_type == "char":
        return "character(len=*)"
    if c_type.endswith("_function") or c_type.endswith("_function_c"):
        return "procedure(%s)" % c_type
    if is_logical:
        return "logical"
    return KINDS.get(c_type, "type(%s)" % c_type)


def intent_of(c_type: str, kind: str, marks: str, function: str, name: str) -> str:
    if kind.startswith("procedure") or "&" in marks:
        return ""
    if "=" in marks:
        return "inout"
    if "const " in c_type or "*" not in c_type or "<" in marks or "(*)[" in c_type \
            or name == "extra_state" or (name == "attribute_val" and "_set_" in function):
        return "in"
    # Constants that are addresses may stand for buffers and statuses.
    return "" if kind.startswith("type(*)") or kind == "type(MPI_Status)" else "out"


def parameter(function: str, c_type: str, word: str) -> Parameter:
    marks, name, tail = re.fullmatch(r"([~=<&]*)(\w+)([?()]*)", word).groups()
    base = re.sub(r"const |[*]|\(.*", "", c_type).strip()
    kind = kind_of(base, name, "?" in tail)
    intent = intent_of(c_type, kind, marks, function, name)
    shape = "(*)" if "()" in tail else ""
    if "(*)[3]" in c_type:
        shape = "(3, *)"
    declaration = kind + (", intent(%s)" % intent if intent else "")
    return Parameter(name, declaration + (", asynchronous" if "~" in marks else ""), shape)


def functions() -> List[Function]:
    rows = arguments()
    found = []
    for name, parameters in ROW.findall(LIST.read_text()):
        if NOT_THERE.match(name) or name in IN_HEAD:
            continue
        words = rows.get(name, rows.get(re.sub(r"_c$", "", name)))
        types = [one.strip() for one in re.sub(r"\s+", " ", parameters.strip()[1:-1]).split(",")]
        types = [] if types == ["void"] else types
        if words is None or len(words) != len(types):
            sys.exit("%s: %s has other arguments for %s" % (ARGUMENTS, LIST, name))
        found.append(Function(name, [parameter(name, *one) for one in zip(types, words)],
                              types[-1:] == ["MPI_Request*"]))
    return found


def use_of(function: Function) -> str:
    for use, names in (("address", ADDRESS), ("whole", WHOLE), ("elements", ELEMENTS)):
        if names.match(function.base() if use == "elements" else function.name):
            return use
    return "copies"


def names(found: List[Function]) -> str:
    lines = ["// SPDX-License-Identifier: BSD-3-Clause\n// Functions of the module mpi_f08, and how"
             " they use their buffers. Written by\n// tools/fortran_module.py.\n"]
    for function in found:
        both = "%s, %s" % (function.name, function.name.lower())
        if function.has_buffer():
            lines.append("TERRACE_F08_BUFFERS%s(%s, %s, %s)\n" % (
                "_AND_TEXT" if function.has_text() else "", both, use_of(function),
                "true" if function.has_request else "false"))
        elif function.name not in SPECIAL:
            lines.append("TERRACE_F08(%s)\n" % both)
    return "".join(lines)


def wrapped(text: str, indent: str) -> str:
    lines = textwrap.wrap(text, 94 - len(indent), break_long_words=False, break_on_hyphens=False)
    return (" &\n%s    " % indent).join([indent + lines[0]] + lines[1:]) + "\n"


def interface_of(function: Function) -> str:
    all_names = [one.name for one in function.parameters] + ["ierror"]
    text = wrapped("subroutine %s(%s)" % (function.specific(), ", ".join(all_names)), "    ")
    text += "      import\n"
    grouped: Dict[str, List[str]] = {}
    for one in function.parameters:
        grouped.setdefault(one.declaration, []).append(one.name + one.shape)
    for declaration, declared in grouped.items():
        text += wrapped("%s :: %s" % (declaration, ", ".join(declared)), "      ")
    return text + "      integer, optional, intent(out) :: ierror\n    end subroutine\n"


def interfaces(found: List[Function]) -> str:
    by_name: Dict[str, List[Function]] = {}
    for function in found:
        name = function.name if function.name in APART else function.base()
        known = by_name.setdefault(name, [])
        if all(function.call() != other.call() for other in known):
            known.append(function)
    text = ""
    for name, alike in by_name.items():
        text += "\n  interface MPI_%s\n%s  end interface\n" % (
            name, "".join(interface_of(one) for one in alike))
        for one in alike:
            text += "  procedure(%s) :: P%s\n" % (one.specific(), one.specific())
        text += "  interface PMPI_%s\n%s  end interface\n" % (
            name, "".join("    procedure P%s\n" % one.specific() for one in alike))
    return text


def type_of(name: str, section: str) -> str:
    """Of a constant of mpif.h."""
    if section == "Types":
        return "MPI_Datatype"
    if section == "Operators":
        return "MPI_Op"
    if section.startswith("Handles") and name != "MPI_PROC_NULL":
        word = name.split("_")[1].capitalize()
        return "MPI_" + {"Errors": "Errhandler"}.get(word, word)
    return ""


def constants() -> str:
    text, section = "", ""
    for line in CONSTANTS.read_text().splitlines():
        title = re.fullmatch(r"! (.*)\.", line)
        section = title[1] if title else section
        found = re.match(r" +integer ?, ?parameter ?:: ?(\w+) ?= ?(\S+)", line)
        if not found:
            continue
        kind = type_of(found[1], section)
        value = "%s(%s)" % (kind, found[2]) if kind else found[2]
        text += "  %s, parameter :: %s = %s\n" % ("type(%s)" % kind if kind else "integer",
                                                  found[1], value)
    return text


def module(found: List[Function]) -> str:
    begin, end = HEAD.read_text().split("! (The constants.)\n")
    return begin + constants() + end + interfaces(found) + "\nend module\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", type=Path, help="the list to write: names_f08.h")
    parser.add_argument("module", type=Path, help="the module to write: mpi_f08.f90")
    files = parser.parse_args()
    found = functions()
    files.names.write_text(names(found))
    files.module.write_text(module(found))


if __name__ == "__main__":
    main()
