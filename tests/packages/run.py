# SPDX-License-Identifier: BSD-3-Clause
"""What installations bring beside programs and libraries: manual pages, what shells complete, an
environment module; and what packages say of themselves. `./dev packages` installs and tries them.

run.py --build FOLDER TEST. Exit status: 0 passed, 1 failed, 77 skipped, with what is missing.
"""

import os
import pty
import re
import runpy
import select
import shutil
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Dict, List

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from rows import Skipped, expect, parser_of, run_named  # noqa: E402


def needed(program: str, package: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise Skipped("no %s here (Debian: %s)" % (program, package))
    return path


class Place:
    """An empty folder, and a build with its command."""

    def __init__(self, build: Path, folder: Path):
        self.build = build
        self.terrace = str(build / "bin" / "terrace")
        self.folder = folder

    def call(self, *words: str) -> str:
        answer = subprocess.run(words, cwd=str(self.folder), text=True, capture_output=True,
                                timeout=100)
        print("$ %s\n%s[%d]" % (" ".join(words), answer.stderr, answer.returncode))
        expect(answer.returncode == 0, "status %d" % answer.returncode)
        return answer.stdout

    def pages(self) -> List[Path]:
        self.call(self.terrace, "manual", "--all", str(self.folder / "man1"))
        return sorted((self.folder / "man1").iterdir())

    def script(self, shell: str, name: str) -> Path:
        path = self.folder / name
        path.write_text(self.call(self.terrace, "completion", shell))
        return path


def verbs_of(help_text: str) -> List[str]:
    return re.findall(r"^  ([a-z+]+) {3,}", help_text.split("Subcommands:")[1], re.MULTILINE)


def each_verb_has_a_page_with_its_options(place: Place) -> None:
    pages = {page.stem: page.read_text().replace("\\-", "-") for page in place.pages()}
    verbs = verbs_of(place.call(place.terrace, "--help"))
    expect(len(verbs) > 20, "only these verbs: %s" % verbs)
    expect(set(pages) == {"terrace"} | {"terrace-" + verb for verb in verbs},
           "pages %s of verbs %s" % (sorted(pages), verbs))
    for verb in set(verbs) - {"plot"}:
        page = pages["terrace-" + verb]
        for option in re.findall(r"^  (-[^ ]+)", place.call(place.terrace, verb, "--help"),
                                 re.MULTILINE):
            expect("\\fB%s\\fR" % option in page, "%s is not on the page of %s" % (option, verb))
    for part in (".SH ENVIRONMENT\n.TP\n\\fBTERRACE=off\\fR\n", ".SH EXAMPLES\n",
                 ".SH EXIT STATUS\nthe program"):
        expect(part in pages["terrace-exec"], "not on the page of exec: %r" % part)


def manual_pages_are_what_mandoc_wants(place: Place) -> None:
    mandoc = needed("mandoc", "mandoc")
    place.call(mandoc, "-T", "lint", "-W", "warning", *map(str, place.pages()))


def a_page_that_cannot_be_written_is_named(place: Place) -> None:
    (place.folder / "man1").write_text("no folder")
    answer = subprocess.run([place.terrace, "manual", "--all", str(place.folder / "man1")],
                            capture_output=True, text=True)
    expect(answer.returncode == 1, "status %d" % answer.returncode)
    expect(answer.stderr.startswith("terrace manual: '") and "cannot be" in answer.stderr,
           answer.stderr)


# What is typed, behind `terrace`, and some of what bash and zsh then offer; "" where that is none.
TYPED = (
    (("ex",), "exec explain"),
    (("exec", "--m"), "--mpi"),
    (("exec", "--mpi", ""), "mpich openmpi standard"),
    (("run", "--fibres", "o"), "off on"),
    (("draw", "p"), "plan"),
    (("draw", "plan", "allreduce.tree_"), "allreduce.tree_staged"),
    (("simulate", "bcast.tree", "8", "--machine", "westm"), "westmere-x5650"),
    (("search", "allr"), "allreduce"),
    (("plan", "neighbour_allt"), "neighbour_alltoall.pull"),
    (("completion", "z"), "zsh"),
)
ONLY_IN_BASH = (
    (("exec", "--mpi", "=", "st"), "standard"),
    (("run", "-n", "2", "true", "--b"), ""),
    (("exec", "--", "--m"), ""),
    (("search", "neigh"), ""),
)

BASH = r"""
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _terrace; printf '%s\n' "${COMPREPLY[@]}"
"""


def bash_completes(place: Place) -> None:
    bash = needed("bash", "bash")
    script = str(place.script("bash", "terrace"))
    for words, wanted in TYPED + ONLY_IN_BASH:
        offered = place.call(bash, "--norc", "-c", BASH, "bash", script, place.terrace, *words)
        expect(sorted(set(offered.split())) == wanted.split(),
               "`terrace %s`: bash offers %r instead of %r" % (" ".join(words), offered, wanted))


def bash_offers_names_of_files_as_they_are(place: Place) -> None:
    """Names that the shell would run or take apart."""
    bash = needed("bash", "bash")
    script = str(place.script("bash", "terrace"))
    names = ["file $(echo ran >ran)", "file of `touch ran`", "file*"]
    for name in names:
        (place.folder / name).touch()
    for words in (("simulate", "bcast.tree", "8", "--machine", "file"), ("plan", "file")):
        offered = place.call(bash, "--norc", "-c", BASH, "bash", script, place.terrace, *words)
        expect(not (place.folder / "ran").exists(), "bash ran what a file's name says")
        expect(sorted(offered.splitlines()) == names,
               "`terrace %s`: bash offers %r" % (" ".join(words), offered))


class Terminal:
    """A zsh at a terminal, as it completes nowhere else."""

    def __init__(self, zsh: str):
        self.process, self.screen = pty.fork()
        if self.process == 0:
            os.execve(zsh, [zsh, "-f", "-i"], dict(os.environ, TERM="dumb", COLUMNS="300"))
        self.types("PS1= PS2= RPS1=; unsetopt zle_bracketed_paste; stty -echo\n")

    def types(self, text: str) -> None:
        os.write(self.screen, text.encode())

    def shows(self, until: str, seconds: float) -> str:
        """What comes until this does, or for so long."""
        text, end = "", time.monotonic() + seconds
        while until not in text and time.monotonic() < end:
            if select.select([self.screen], [], [], 0.1)[0]:
                text += os.read(self.screen, 65536).decode(errors="replace")
        return text

    def close(self) -> None:
        os.close(self.screen)
        os.waitpid(self.process, 0)


def zsh_completes(place: Place) -> None:
    zsh = needed("zsh", "zsh")
    place.script("zsh", "_terrace")
    terminal = Terminal(zsh)
    try:
        terminal.types("fpath=(%s $fpath); autoload -Uz compinit; compinit -u -d %s/dump\n"
                       % (place.folder, place.folder))
        terminal.types("path=(%s $path); LISTMAX=1000; print be''gun\n"
                       % Path(place.terrace).parent)
        expect("begun" in terminal.shows("begun\r\n", 20), "zsh did not start")
        for words, wanted in TYPED:
            typed = " ".join(("terrace",) + words)
            terminal.types(typed + "\t\t")
            shown, last = "", wanted.split()[-1]
            for word in wanted.split():
                shown += "" if word in shown else terminal.shows(word, 10)
                expect(word in shown, "`%s`: zsh shows %r, not %s" % (typed, shown, last))
            terminal.types("\x15print do''ne\n")
            terminal.shows("done\r\n", 10)
    finally:
        terminal.close()


MODULE = r"""
source "$1"; module use "$2"; module load terrace || exit 1
echo "root $TERRACE_ROOT"; command -v terrace; man -w terrace-exec
module unload terrace; echo "root $TERRACE_ROOT."
"""


def start_of_modules() -> str:
    for pattern in ("modules/init/bash", "lmod/*/init/bash", "Modules/init/bash"):
        for path in sorted(Path("/usr/share").glob(pattern)):
            return str(path)
    raise Skipped("no environment modules here (Debian: lmod or environment-modules)")


def linked_modules(sites: Path, modules: Path) -> List[Path]:
    """Folders where a site gathers modules: by a link, by a relative link to that link, by links to
    the folders of Terrace's and of all modules, and to one that has a relative link."""
    for name in ("link", "link_to_link"):
        (sites / name / "terrace").mkdir(parents=True)
    version = version_of_the_project()
    (sites / "link" / "terrace" / "of_site").symlink_to(modules / "terrace" / version)
    (sites / "link_to_link" / "terrace" / "again").symlink_to("../../link/terrace/of_site")
    (sites / "linked_folder").mkdir()
    (sites / "linked_folder" / "terrace").symlink_to(modules / "terrace")
    (sites / "all_linked").symlink_to(modules)
    (sites / "deeper" / "still").mkdir(parents=True)
    (sites / "deeper" / "still" / "linked").symlink_to(sites / "link_to_link")
    return [sites / name for name in ("link", "link_to_link", "linked_folder", "all_linked",
                                      "deeper/still/linked")]


def installations_have_pages_and_a_module(place: Place) -> None:
    prefix = place.folder / "prefix"
    place.call("cmake", "--install", str(place.build), "--prefix", str(prefix), "--component",
               "runtime")
    for shell, path in (("bash", "bash-completion/completions/terrace"),
                        ("zsh", "zsh/site-functions/_terrace")):
        expect((prefix / "share" / path).read_text()
               == place.call(place.terrace, "completion", shell), "share/%s is another" % path)
    expect(not (prefix / "include").exists(), "headers are no part of what programs need")
    modules = prefix / "share" / "modulefiles"
    for folder in (modules, *linked_modules(place.folder / "sites", modules)):
        said = place.call("bash", "-c", MODULE, "bash", start_of_modules(), str(folder))
        expect(said.splitlines() == ["root %s" % prefix, str(prefix / "bin" / "terrace"),
                                     str(prefix / "share" / "man" / "man1" / "terrace-exec.1"),
                                     "root ."], said)


def content_of(place: Place, package: Path) -> List[str]:
    """Names of files, and where links lead."""
    rows = place.call("dpkg-deb", "--contents", str(package)).splitlines()
    return [row.split("./", 1)[1] for row in rows if not row.startswith("d")]


def version_of_the_project() -> str:
    found = re.search(r"project\(terrace VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    expect(found is not None, "CMakeLists.txt names no version")
    return found.group(1)


def debian_packages_are_divided(place: Place) -> None:
    """Made of this build, whose folders are not those of Debian: `./dev packages` has these."""
    for program in ("dpkg-deb", "dpkg-shlibdeps"):
        needed(program, "dpkg-dev")
    place.call("cpack", "--config", str(place.build / "CPackConfig.cmake"), "-G", "DEB", "-B",
               str(place.folder), "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none", "-D",
               "CPACK_PACKAGING_INSTALL_PREFIX=/usr")
    packages = {path.name.split("_")[0]: path for path in place.folder.glob("*.deb")}
    expect(sorted(packages) == ["terrace-mpi", "terrace-mpi-dev"], "made %s" % sorted(packages))
    version = version_of_the_project()
    runs, builds = (content_of(place, packages[name]) for name in sorted(packages))
    for path in ("usr/bin/terrace", "usr/lib/libterrace-mpi.so", "usr/lib/libterrace.so." + version,
                 "usr/lib/terrace/ranks/libmpi.so.12", "usr/libexec/terrace/ranks",
                 "usr/share/terrace/machines/a64fx.json", "usr/share/man/man1/terrace-exec.1.gz",
                 "usr/lib/python3/dist-packages/terrace/mpix.py",
                 "usr/share/doc/terrace-mpi/copyright"):
        expect(path in runs, "not in terrace-mpi: " + path)
    for path in ("usr/include/terrace/terrace.h", "usr/lib/pkgconfig/terrace.pc",
                 "usr/lib/cmake/terrace/terrace-config.cmake",
                 "usr/lib/libterrace.so -> libterrace.so." + version.split(".")[0]):
        expect(path in builds, "not in terrace-mpi-dev: " + path)
    expect(not set(runs) & set(builds), "in both: %s" % sorted(set(runs) & set(builds)))
    needs = place.call("dpkg-deb", "--field", str(packages["terrace-mpi"]), "Depends")
    expect("libhwloc15" in needs and "libc6" in needs and "mpi" not in needs, "needs " + needs)
    whom = place.call("dpkg-deb", "--field", str(packages["terrace-mpi"]), "Maintainer").strip()
    expect(whom == "The Terrace authors <authors@terrace.invalid>", "maintained by " + whom)
    needs = place.call("dpkg-deb", "--field", str(packages["terrace-mpi-dev"]), "Depends")
    expect("terrace-mpi (= " in needs, "terrace-mpi-dev needs " + needs)


class Recipe:
    """What a recipe of Spack declares, heard by stand-ins for Spack's own directives."""

    def __init__(self, path: Path):
        self.heard: Dict[str, List[tuple]] = {}
        directives = types.ModuleType("spack.package")
        for name in ("version", "variant", "depends_on", "conflicts", "license", "generator"):
            setattr(directives, name, self.directive(name))
        package = types.ModuleType("spack_repo.builtin.build_systems.cmake")
        package.CMakePackage = type("CMakePackage", (), {
            "define": staticmethod(lambda option, value: (option, value)),
            "define_from_variant": staticmethod(lambda option, variant: (option, variant))})
        names = {"spack.package": directives, package.__name__: package}
        names.update({"spack": types.ModuleType("spack"),
                      "spack_repo": types.ModuleType("spack_repo"),
                      "spack_repo.builtin": types.ModuleType("builtin"),
                      "spack_repo.builtin.build_systems": types.ModuleType("build_systems")})
        sys.modules.update(names)
        self.package = runpy.run_path(str(path))["TerraceMpi"]()

    def directive(self, name: str):
        def hear(*words, **more):
            self.heard.setdefault(name, []).append((words, more))
        return hear


def a_recipe_of_spack_fits_the_build(place: Place) -> None:
    """Spack itself is on no registry; this looks at what can be known without it."""
    recipe = Recipe(ROOT / "packaging/spack/spack_repo/terrace/packages/terrace_mpi/package.py")
    variants = {words[0] for words, _ in recipe.heard["variant"]}
    build = "\n".join((ROOT / name).read_text() for name in ("CMakeLists.txt",
                                                             "src/CMakeLists.txt"))
    options = dict(recipe.package.cmake_args())
    for option, value in options.items():
        expect(re.search(r"option\(%s " % option, build) is not None, "no option " + option)
        expect(value is False or value in variants, "no variant %s" % value)
    needs = {words[0].split("@")[0]: (words[0], more.get("when", ""))
             for words, more in recipe.heard["depends_on"]}
    cmake = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", build)
    hwloc = re.search(r"hwloc>=([\d.]+)", build)
    expect(cmake is not None and hwloc is not None, "the build asks for no versions")
    expect(needs["cmake"][0] == "cmake@%s:" % cmake.group(1), needs["cmake"][0])
    expect(needs["hwloc"][0] == "hwloc@%s:" % hwloc.group(1), needs["hwloc"][0])
    expect(needs["nlohmann-json"][1] == "", "machine files need nlohmann-json without the command")
    for _, when in needs.values():
        expect(when in {""} | {"+" + name for name in variants}, "no variant " + when)


TESTS = {
    "each_verb_has_a_page_with_its_options": each_verb_has_a_page_with_its_options,
    "manual_pages_are_what_mandoc_wants": manual_pages_are_what_mandoc_wants,
    "a_page_that_cannot_be_written_is_named": a_page_that_cannot_be_written_is_named,
    "bash_completes": bash_completes,
    "bash_offers_names_of_files_as_they_are": bash_offers_names_of_files_as_they_are,
    "zsh_completes": zsh_completes,
    "installations_have_pages_and_a_module": installations_have_pages_and_a_module,
    "debian_packages_are_divided": debian_packages_are_divided,
    "a_recipe_of_spack_fits_the_build": a_recipe_of_spack_fits_the_build,
}


def main() -> int:
    return run_named(TESTS, parser_of("--build"),
                     lambda row, given, folder: row(Place(Path(given.build).resolve(), folder)),
                     subprocess.SubprocessError)


if __name__ == "__main__":
    sys.exit(main())
