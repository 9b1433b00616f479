# SPDX-License-Identifier: BSD-3-Clause
"""Spack recipe: builds Terrace and what it needs below the user's home, without root.

    spack repo add packaging/spack/spack_repo/terrace
    spack install terrace-mpi          the newest release, by its tag in this clone
    spack install terrace-mpi@main     the newest commit
"""

import os

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *

# The clone in which this recipe lies.
CLONE = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 6))


class TerraceMpi(CMakePackage):
    """Collectives of MPI and threaded programs that follow the hardware: for unmodified MPI
    programs (preload), for thread teams (C library), and as a command."""

    git = "file://" + CLONE

    license("BSD-3-Clause")

    version("main", branch="main")
    version("1.0.0", tag="v1.0.0")

    variant("cli", default=True, description="Build the command terrace")
    variant("preload", default=True, description="Build the preload libraries (needs no MPI)")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")  # writes the interfaces of Fortran
    depends_on("hwloc@2.1:")
    depends_on("highway@1.0.3:")
    depends_on("cli11@2:", when="+cli")
    depends_on("nlohmann-json@3.9:")

    conflicts("%gcc@:9", msg="Terrace is written in C++20")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("TERRACE_CLI", "cli"),
            self.define_from_variant("TERRACE_PRELOAD", "preload"),
            self.define("TERRACE_TESTS", False),
        ]
