# SPDX-License-Identifier: BSD-3-Clause
"""Makes the packages in build/packages and tries them where nothing else of Terrace is.

./dev packages [deb] [rpm]   these, else all

deb, rpm   by CPack. Installed, tried and removed in a small Debian that mmdebstrap makes and then
           throws away; the RPM by rpm itself, so that its dependencies are only looked at.

The first build compiles all of the library and the command again, in minutes; with ccache, it finds
most of it. Debian's packages come from their registry.
"""

import argparse
import os
import platform
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import List

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
NEEDED = {"deb": {"dpkg-shlibdeps": "dpkg-dev"}, "rpm": {"rpmbuild": "rpm"}}
IN_DEBIAN = "apt-utils,cmake,g++,make,mpich,libmpich-dev,pkg-config,python3,rpm"


def build_options() -> List[str]:
    """Those of ./dev build, so that ccache finds most of what that has compiled."""
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DTERRACE_WERROR=ON", "-DTERRACE_TESTS=OFF"]
    if shutil.which("ccache"):
        os.environ.setdefault("CCACHE_BASEDIR", str(ROOT))
        os.environ.setdefault("CCACHE_NOHASHDIR", "1")
        options += ["-DCMAKE_%s_COMPILER_LAUNCHER=ccache" % language for language in ("C", "CXX")]
    return options


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


def lacks(kind: str) -> str:
    missing = ["%s (Debian: %s)" % pair for pair in NEEDED[kind].items()
               if not shutil.which(pair[0])]
    return ", ".join(missing)


def main(words: List[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev packages", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", help="deb, rpm [all]")
    kinds = parser.parse_args(words).kinds or list(NEEDED)
    for kind in kinds:
        if kind not in NEEDED:
            parser.error("'%s' given, expected deb or rpm" % kind)
    PLACE.mkdir(parents=True, exist_ok=True)
    phases = Phases()
    made = []
    for kind in kinds:
        if lacks(kind):
            print("== %s: skipped: no %s here" % (kind, lacks(kind)), flush=True)
        elif make_by_cpack(phases, kind):
            made.append(kind)
    if made:
        try_in_debian(phases, made)
    return phases.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
