# SPDX-License-Identifier: BSD-3-Clause
"""The MPIs that measurements compare with: how each compiles, and how it starts ranks."""

import os
import signal
import subprocess
import sys

import answers

PEERS = answers.ROOT / ".peers"
NAMES = {"openmpi": "Open MPI 5", "mpich": "MPICH 5", "impi": "Intel MPI 2021"}
ROOT_MAY = {prefix + "_ALLOW_RUN_AS_ROOT" + suffix: "1"
            for prefix in ("OMPI", "PRTE") for suffix in ("", "_CONFIRM")}
INTEL = PEERS / "impi"
INTEL_RUNS = {"I_MPI_ROOT": str(INTEL), "I_MPI_FABRICS": "shm",
              "LD_LIBRARY_PATH": str(INTEL / "lib")}


def environment(mpi, variables=None):
    return dict(os.environ, **ROOT_MAY, **(INTEL_RUNS if mpi == "impi" else {}),
                **(variables or {}))


def compiled(mpi, source, more=(), march="native", folder=None):
    """The program for one MPI's ABI; None where that MPI is not installed."""
    compiler = PEERS / mpi / "bin" / "mpicc"
    if answers.PACKED.exists():
        return packed("%s-%s" % (source.stem, mpi))
    if not compiler.exists():
        print("%s is not in .peers (./dev setup installs it): left out" % mpi, file=sys.stderr)
        return None
    folder = folder or answers.program().parent / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / ("%s-%s" % (source.stem, mpi))
    subprocess.run([str(compiler), "-O3", "-march=" + march, "-Wall", str(source), *more, "-o",
                    str(program)], env=environment(mpi), check=True)
    return program


def packed(name):
    """A program that was compiled for a campaign (campaign/run.py)."""
    program = answers.program().parent / "bench" / name
    return program if program.exists() else None


def compiled_for_threads(source, more=(), march="native", folder=None):
    """The program for ranks that are threads; None where the build has no MPI for them."""
    if answers.PACKED.exists():
        return packed("%s-threads" % source.stem)
    build = answers.program().parent
    library = build / "lib" / "terrace" / "ranks"
    if not (library / "libmpi_abi.so").exists():
        print("this build has no MPI of thread ranks: left out", file=sys.stderr)
        return None
    program = (folder or build / "bench") / ("%s-threads" % source.stem)
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-O3", "-march=" + march, "-Wall", "-fPIE", "-pie",
                    "-I%s" % (answers.ROOT / "include" / "terrace" / "mpi"), str(source),
                    "-L%s" % library, "-lmpi_abi", "-Wl,-rpath,%s" % library, *more, "-o",
                    str(program)], check=True)
    return program


def communicators():
    """Words for a compiler, to build what calls the library of communicators."""
    folder = answers.program().parent / "lib"
    return ["-I%s" % (answers.ROOT / "include"), str(folder / "libterrace-communicators.so"),
            "-Wl,-rpath,%s" % folder]


def starter(mpi, ranks, crowded):
    """The words before a program."""
    name = "mpiexec.hydra" if mpi == "impi" else "mpirun"
    words = [str(PEERS / mpi / "bin" / name), "-np", str(ranks)]
    if mpi == "openmpi":
        words += (["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
                  if crowded else ["--bind-to", "core"])
    elif mpi == "mpich" and not crowded:
        words += ["-bind-to", "core"]
    return words


def with_terrace(program):
    return [str(answers.program("terrace")), "exec", str(program)]


def output_of(words, variables, patience, name, folder=None):
    """What a launch prints; one that takes too long has also said something."""
    return ended(words, variables, patience, name, folder)[0]


def ended(words, variables, patience, name, folder=None):
    """What a launch prints, and whether it ended well and in time."""
    text, complaint, is_late = "", "", False
    with subprocess.Popen(words, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, start_new_session=True, cwd=folder) as job:
        try:
            text, complaint = job.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGTERM)
            text, _ = job.communicate()
            complaint, is_late = "stopped after %d s" % patience, True
    is_well = job.returncode == 0 and not is_late
    if not is_well:
        print("%s: status %d: %s" % (name, job.returncode, complaint[-400:]), file=sys.stderr)
    return text, is_well
