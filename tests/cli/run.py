# SPDX-License-Identifier: BSD-3-Clause
"""What the command `terrace` answers to words that are wrong, odd, or too much: status, sentences.

run.py --terrace PROGRAM TEST. Needs no MPI. Exit status: 0 passed, 1 failed.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, Iterable, List
from xml.etree import ElementTree

TESTS_FOLDER = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS_FOLDER), str(TESTS_FOLDER.parent / "tools")]

import demo  # noqa: E402
import reproduce  # noqa: E402
from rows import Skipped, expect, parser_of, run_named  # noqa: E402

SECONDS = 200  # `reproduce` computes for 15 s where nothing else runs


class Shell:
    """An empty folder in which the command is called."""

    def __init__(self, terrace: str, folder: str):
        self.terrace = terrace
        self.folder = Path(folder)

    def file(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def environment(self, **variables: str) -> Dict[str, str]:
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("TERRACE", "LD_PRELOAD", "PMI_", "OMPI_COMM", "SLURM"))}
        kept["XDG_CONFIG_HOME"] = str(self.folder / "config")  # where no machine is measured
        return dict(kept, **variables)

    def call(self, *words: str, **variables: str) -> subprocess.CompletedProcess:
        answer = subprocess.run([self.terrace] + list(words), cwd=str(self.folder), text=True,
                                capture_output=True, timeout=SECONDS,
                                env=self.environment(**variables))
        print("$ terrace %s\n%s%s[%d]" % (" ".join(words), answer.stdout, answer.stderr,
                                          answer.returncode))
        return answer

    def interrupted(self, seconds: float, *words: str) -> str:
        """What it says when Ctrl-C comes in its midst: after so long, earlier where it is over by
        then, and later where it does not listen yet."""
        for _ in range(4):
            job = subprocess.Popen([self.terrace] + list(words), cwd=str(self.folder), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=self.environment())
            time.sleep(seconds)
            job.send_signal(signal.SIGINT)
            _, said = job.communicate(timeout=SECONDS)
            if job.returncode not in (0, -signal.SIGINT):
                break
            seconds = seconds / 2 if job.returncode == 0 else seconds * 2
        print("$ terrace %s ^C\n%s[%d]" % (" ".join(words), said, job.returncode))
        expect(job.returncode == 130, "status %d" % job.returncode)
        return said

    def refused(self, sentence: str, *words: str, status: int = 2, **variables: str) -> None:
        """One line, which begins with who speaks."""
        answer = self.call(*words, **variables)
        expect(answer.returncode == status, "status %d" % answer.returncode)
        expect(sentence in answer.stderr, "not said: " + sentence)
        expect(answer.stderr.startswith("terrace"), "nobody is named")
        expect(answer.stderr.count("\n") == 1, "not one line")

    def printed(self, text: str, *words: str, **variables: str) -> None:
        answer = self.call(*words, **variables)
        expect(answer.returncode == 0, "status %d" % answer.returncode)
        expect(text in answer.stdout, "not printed: " + text)


def verbs_and_options(shell: Shell) -> None:
    verbs = "bench, cc, c++, fc, completion, cost, doctor, draw, exec, explain, hierarchy, " \
            "machine, manual, measure, plan, plot, reproduce, run, search, simulate, tune, verify"
    shell.refused("'frobnicate' given, expected a subcommand (%s)" % verbs, "frobnicate")
    shell.refused("terrace: expected a subcommand (bench,")
    for verb in ("cost", "draw", "exec", "hierarchy", "plan", "machine", "verify", "bench",
                 "doctor", "simulate", "reproduce", "explain", "search", "run", "measure", "tune"):
        shell.refused("terrace %s: no option --nonsense" % verb, verb, "--nonsense")
    shell.refused("terrace exec: --mpi:", "exec", "--mpi", "foo", "true")
    shell.refused("--ranks '9-1' given, expected the smaller number first, as in \"1-9\"", "verify",
                  "--all", "--ranks", "9-1")
    shell.refused("--ranks is given twice", "plan", "bcast.flat", "--ranks", "2", "--ranks", "3")
    shell.refused("--ranks: expected a value behind it", "plan", "bcast.flat", "--ranks")
    answer = shell.call("--version")
    expect(re.fullmatch(r"terrace \d+\.\d+\.\d+\n", answer.stdout) is not None, "no version")


def words_of_the_program(shell: Shell) -> None:
    """Options behind the program are its own, and no program is taken for a verb."""
    shell.printed("--json -x --\n", "exec", "echo", "--json", "-x", "--")
    shell.printed("--mpi\n", "exec", "--", "echo", "--mpi")
    shell.printed("it is I\n", "exec", shell.file("plan", "#!/bin/sh\necho it is I\n"))
    shell.printed("it is I, too\n", "exec", shell.file("bare", "echo it is I, $1\n"), "too")
    shell.file("bench", "#!/bin/sh\necho it is I\n")
    shell.printed("it is I\n", "exec", "bench", PATH=str(shell.folder) + ":" + os.environ["PATH"])
    shell.printed("[--] PROGRAM [ARGUMENTS]", "exec", "--help")
    shell.printed("Exit status: the program's; 2 for", "exec", "--help")


def programs_that_cannot_run(shell: Shell) -> None:
    script = shell.file("script", "#!/no/such/interpreter -x\n")
    shell.refused('its first line asks for "/no/such/interpreter", which does not exist', "exec",
                  script, status=127)
    shell.refused('no program "no-such-program" on the PATH', "exec", "no-such-program", status=127)
    shell.refused("Permission denied", "exec", str(shell.folder), status=126)
    pipe = str(shell.folder / "pipe")
    os.mkfifo(pipe, 0o755)
    shell.refused("Permission denied", "exec", pipe, status=126)
    foreign = shell.file("foreign", "\177ELF of another machine\n")
    shell.refused("Exec format error", "exec", foreign, status=126)


def settings_for_job_scripts(shell: Shell) -> None:
    """Without a program the library is the one that suits all MPIs."""
    plain, large = "/libterrace-mpi.so'\n", "/libterrace-mpi-large.so'\n"
    for mpi, name in (("", plain), ("openmpi", plain), ("mpich", large), ("standard", large)):
        words = ["--mpi", mpi] if mpi else []
        shell.printed(name, "exec", "--print-env", *words)
        shell.printed(name, "exec", "--print-env", *words, shell.file("script", "#!/bin/sh\n"))


def preloads_of_others(shell: Shell) -> None:
    """They stay; our own, from a job around this one, does not stand there twice."""
    none, other = "/no/such/libtool.so", "/elsewhere/libterrace-mpi-large.so"
    heap = "/elsewhere/libterrace-heap.so"
    for inherited in (none + ":" + other, other + " " + none, other + ":" + heap + ":" + none):
        answer = shell.call("exec", "--print-env", LD_PRELOAD=inherited)
        expect("/libterrace-mpi.so:%s'\n" % none in answer.stdout, "another list of libraries")


def places_of_outer_launches(shell: Shell) -> None:
    """They stay outside, also where Terrace is off or hwloc reads no machine."""
    outer = {"TERRACE_LOCALITY": "node:9", "TERRACE_PUS": "7777"}
    for variables in ({}, {"TERRACE": "off"}, {"HWLOC_COMPONENTS": "stop"}):
        answer = shell.call("exec", "env", **outer, **variables)
        expect(answer.returncode == 0, "status %d" % answer.returncode)
        has_place = "HWLOC_COMPONENTS" not in variables
        for name, value in outer.items():
            expect("%s=%s\n" % (name, value) not in answer.stdout, "%s is the outer one" % name)
            expect((name + "=" in answer.stdout) == has_place, "%s: other than known" % name)


def shared_heap(shell: Shell) -> None:
    """By the option or the variable, behind the library that stands before the MPI."""
    lists = re.compile("LD_PRELOAD='[^:]*/libterrace-mpi.so:[^:]*/libterrace-heap.so'\n")
    for options, value, has in (([], "", False), (["--shared-heap"], "", True), ([], "1", True),
                                ([], "65536", True), ([], "0", False), ([], "off", False)):
        answer = shell.call("exec", "--print-env", *options, TERRACE_SHARED_HEAP=value)
        expect((lists.search(answer.stdout) is not None) == has, "with %s %s: another list of "
               "libraries" % (options, value))
    expect("TERRACE_SHARED_HEAP='1'" in shell.call("exec", "--print-env", "--shared-heap").stdout,
           "the library would not hear of the option")


def list_of_preloads(answer: subprocess.CompletedProcess) -> str:
    found = re.search("LD_PRELOAD='(.*)'\n", answer.stdout)
    expect(found is not None, "no list of libraries")
    return found.group(1) if found else ""


def paths_that_the_loader_splits(shell: Shell) -> None:
    """Installed under a path with a space: by a link without one, or refused in a sentence."""
    library = list_of_preloads(shell.call("exec", "--print-env"))
    prefix = shell.folder / "my programs"
    for path in (shell.terrace, library):
        where = prefix / ("bin" if path == shell.terrace else "lib")
        where.mkdir(parents=True)
        shutil.copy(path, str(where))
    moved = Shell(str(prefix / "bin" / Path(shell.terrace).name), str(shell.folder))
    for _ in range(2):
        link = list_of_preloads(moved.call("exec", "--print-env",
                                           XDG_CACHE_HOME=str(shell.folder / "cache")))
        expect(" " not in link, "split at its space: " + link)
        expect(Path(link).resolve() == (prefix / "lib" / Path(library).name).resolve(), "elsewhere")
    loaded = moved.call("exec", "cat", "/proc/self/maps",
                        XDG_CACHE_HOME=str(shell.folder / "cache")).stdout
    expect(str(prefix / "lib") in loaded, "it is not loaded")
    moved.refused("cannot be preloaded: the loader splits LD_PRELOAD at spaces", "exec", "true",
                  status=1, XDG_CACHE_HOME=str(shell.folder / "another cache"))


def programs_that_lose_the_preload(shell: Shell) -> None:
    """The loader ignores LD_PRELOAD for programs with rights of their own."""
    program = shell.file("program", "")
    shutil.copy(shutil.which("true") or "/bin/true", program)
    said = '"%s" has the set-group-ID bit' % program
    group = next((one for one in os.getgroups() if one != os.getgid()), None)
    if os.getuid() == 0:
        group = os.getgid() + 1
    if group is None:
        raise Skipped("this user is in one group only")
    os.chown(program, -1, group)
    for mode, is_lost in ((0o2755, True), (0o755, False)):
        os.chmod(program, mode)
        answer = shell.call("exec", program)
        expect(answer.returncode == 0, "status %d" % answer.returncode)
        expect((said in answer.stderr) == is_lost, "said of other modes")
    os.chmod(program, 0o2755)
    script = shell.file("script", "#!%s\n" % program)
    expect("ignores LD_PRELOAD" in shell.call("exec", script).stderr, "not said of a script")
    expect("TERRACE_REPRODUCIBLE=1 has no effect" in
           shell.call("exec", program, TERRACE_REPRODUCIBLE="1").stderr, "not said of sums")
    held = ["setpriv", "--no-new-privs", shell.terrace, "exec", program]
    if shutil.which("setpriv"):
        expect("set-group-ID" not in subprocess.run(held, stderr=subprocess.PIPE, text=True,
                                                    env=shell.environment(), check=True).stderr,
               "the kernel gives it no rights then")


def systems_without_proc(shell: Shell) -> None:
    """Each look-up of ourselves goes another way there, or says what is missing."""
    def call(*words: str) -> subprocess.CompletedProcess:
        hidden = "mount -t tmpfs none /proc && exec \"$@\""
        rights = [] if os.getuid() == 0 else ["--map-root-user"]
        answer = subprocess.run(["unshare", "--mount"] + rights + ["sh", "-c", hidden, "sh",
                                                                   shell.terrace] + list(words),
                                cwd=str(shell.folder), capture_output=True, text=True,
                                timeout=SECONDS, env=shell.environment())
        print("$ terrace %s\n%s%s[%d]" % (" ".join(words), answer.stdout, answer.stderr,
                                          answer.returncode))
        return answer
    if "terrace" not in call("--version").stdout:
        raise Skipped("this user may not mount anything, not even for itself")
    expect("/libterrace-mpi.so'" in call("exec", "--print-env").stdout, "our library is not found")
    expect(call("exec", "echo", "it is I").stdout == "it is I\n", "it did not run")
    expect("rome-2x64" in call("cost", "--list").stdout, "our machine models are not found")
    refusal = call("run", "-n", "2", shutil.which("true") or "/bin/true")
    expect(refusal.returncode == 1 and "thread ranks need /proc" in refusal.stderr, "not said why")


def few_open_files(shell: Shell) -> None:
    """The reason is named, whatever cannot be opened."""
    true = shutil.which("true") or "/bin/true"
    for most in range(4, 14):  # one is the least that the loader needs
        for words in (["exec", true], ["run", "-n", "2", true]):
            answer = subprocess.run(
                ["sh", "-c", "ulimit -n %d; exec \"$@\"" % most, "sh", shell.terrace] + words,
                capture_output=True, text=True, timeout=SECONDS, env=shell.environment())
            print("%d files: terrace %s: %s[%d]" % (most, " ".join(words), answer.stderr,
                                                    answer.returncode))
            expect(answer.returncode == 0 or "Too many open files" in answer.stderr or
                   "ulimit -n" in answer.stderr, "another reason with %d files" % most)
    report = ["sh", "-c", "ulimit -n 4; exec \"$@\"", "sh", shell.terrace, "exec", true]
    answer = subprocess.run(report, capture_output=True, text=True, timeout=SECONDS,
                            env=shell.environment(TERRACE_REPORT="1"))
    expect("cannot be looked into (Too many open files)" in answer.stderr,
           "an MPI that was not looked for is not there: " + answer.stderr)


def reports_that_will_not_come(shell: Shell) -> None:
    for report, said in (("1", 1), ("", 0)):
        answer = shell.call("exec", "true", TERRACE_REPORT=report)
        expect(answer.returncode == 0, "status %d" % answer.returncode)
        expect(answer.stderr.count("is not linked to an MPI that we know") == said,
               "not said %d times" % said)


def machines(shell: Shell) -> None:
    large = "pack:99999999 core:4 pu:1"
    sentence = "would have more than 65536 PUs"
    shell.refused(sentence, "machine", "--machine", large)
    shell.refused(sentence, "exec", "--mpi", "mpich", "true", TERRACE_MACHINE=large)
    shell.refused("is not a regular file", "machine", "--machine", "/dev/zero")
    shell.refused("TERRACE_BIND is 'foo'", "machine", TERRACE_BIND="foo")
    shell.refused("TERRACE_BIND, rank 1: ", "machine", TERRACE_BIND="0,x")
    # hwloc 2.9 crashes on this one.
    broken = str(TESTS_FOLDER / "machines" / "broken" / "no_complete_cpuset.xml")
    for words, variables in ((["machine", "--machine", broken], {}),
                             (["exec", "true"], {"TERRACE_MACHINE": broken})):
        answer = shell.call(*words, **variables)
        expect(answer.returncode in (0, 2), "status %d" % answer.returncode)
        if answer.returncode == 2:
            expect("cannot read a machine from '%s'" % broken in answer.stderr, "not said why")
            expect(answer.stderr.count("\n") == 1, "not one line")
    expect(shell.call("exec", "true", HWLOC_XMLFILE=broken).returncode == 0,
           "a machine that cannot be read ends a program")
    for nodes in "foo", "2,foo", "0":
        shell.refused("TERRACE_NODES is '%s': expected a number of nodes" % nodes, "machine",
                      TERRACE_NODES=nodes)
    # What is to be pretended is never ignored: nothing runs.
    for name, words in (("MACHINE", "TERRACE_MACHINE: cannot understand the machine 'garbage'"),
                        ("NODES", "TERRACE_NODES is 'garbage'"),
                        ("BIND", "TERRACE_BIND is 'garbage'")):
        variables = {"TERRACE_" + name: "garbage"}
        shell.refused(words, "exec", "echo", "ran", **variables)
        expect(shell.call("exec", "echo", "ran", **variables).stdout == "", "it ran")
    shell.printed("pages of long vectors: ", "machine")
    found = json.loads(shell.call("machine", "--json").stdout)["reaches"]
    expect([one["name"] for one in found] == ["bounced", "direct", "pulled", "XPMEM"], str(found))
    pretended = shell.call("machine", "--machine", "pack:2 pu:1").stdout
    expect("reach" not in pretended, "reaches of a machine that is not this one: " + pretended)


def costs(shell: Shell) -> None:
    here = ["--machine", "westmere-x5650", "--ranks", "12"]
    shell.printed("westmere-x5650        2 Intel Xeon X5650", "cost", "--list")
    shell.printed("what decides the end", "cost", "allreduce", "64KiB", *here)
    answer = json.loads(shell.call("cost", "allreduce.tree", "64", *here, "--json").stdout)
    spent = sum(part["ns"] for part in answer["spent"])
    expect(abs(spent - answer["ns"]) < 1e-6 * answer["ns"], "time without a cause")
    expect(answer["ns"] == max(answer["finish"]) and len(answer["finish"]) == 12, "other ends")
    shell.refused("expected an algorithm or a collective, a size, --machine and --ranks;", "cost")
    shell.refused("expected --machine and --ranks; see `terrace cost --help`", "cost", "bcast", "8")
    shell.refused("'64X' given, expected a number of bytes", "cost", "allreduce", "64X", *here)
    shell.refused("--strip '0' given", "cost", "allreduce", "64", "--strip", "0", *here)
    shell.refused("--nodes is 'x': expected", "cost", "allreduce", "64", "--nodes", "x", *here)
    for new, old in ((["--mode", "paper"], "--paper"), (["--stream"], "--streams")):
        expect(shell.call("cost", "bcast", "8MiB", *new, *here).stdout ==
               shell.call("cost", "bcast", "8MiB", old, *here).stdout, old + " is not known")
    shell.refused("neither an algorithm", "cost", "allreduce.nonsense", "8", *here)
    shell.refused("there is no machine model 'nowhere': expected a file (its name has a / or ends "
                  "with .json), or one of a64fx,", "cost", "allreduce", "8",
                  "--machine", "nowhere", "--ranks", "2")
    shell.refused("westmere-x5650 has 1 nodes of 12 cores", "cost", "allreduce", "8",
                  "--machine", "westmere-x5650", "--ranks", "13")
    shell.refused("mine.json, line 2, column", "cost", "allreduce", "8", "--ranks", "2",
                  "--machine", shell.file("mine.json", "{\n  \"name\" \"x\"}"))


def explanations(shell: Shell) -> None:
    here = ["--machine", "westmere-x5650", "--ranks", "12"]
    shell.printed("fastest by size\n  from 8 B", "explain", "allreduce", "4KiB", *here)
    said = shell.call("explain", "allgatherv", "4KiB", *here).stderr
    expect(said == "terrace explain: allgatherv runs the plans of allgather; this is for blocks "
                   "that all have one length\n", "of allgatherv is said: " + said)
    shell.printed("what decides the end", "explain", "bcast", "8", "--here", "--steps", *here)
    shell.printed("through scratch", "explain", "bcast", "1MiB", "--here", "--bounced", *here)
    answer = json.loads(shell.call("explain", "reduce", "64", "--json", *here).stdout)
    times = [one["ns"] for one in answer["candidates"]]
    expect(times == sorted(times) and len(times) > 2, "not the fastest first: %s" % times)
    expect(all("why_not" in one for one in answer["candidates"][1:]), "a loser without a reason")
    for one in answer["candidates"]:
        parts = sum(ns for level in one["levels"] for ns in level["causes"].values())
        expect(abs(parts - one["ns"]) < 1e-6 * one["ns"], "time without a cause")
    shell.refused("'allreduse' given, expected barrier, bcast,", "explain", "allreduse", "8", *here)
    shell.refused("expected a collective, a size, --machine and --ranks", "explain")
    shell.refused("'bcast.tree' is an algorithm, and all of its collective are compared: expected "
                  "bcast", "explain", "bcast.tree", "8", *here)
    across = ["--machine", "ntw10e5", "--ranks", "48", "--here"]
    shell.printed("Calls across nodes fall back to the MPI", "explain", "bcast", "8", *across)
    shell.refused("allreduce.tree is for one node, and its ranks are on several", "cost",
                  "allreduce.tree", "8", *across[:4])
    shell.printed("barrier by 12 ranks", "explain", "barrier", "--here", *here)
    shell.printed("alltoall of 8 B by 12 ranks", "explain", "alltoallw", "8B", "--here", *here)
    shell.refused("'8Q' given, expected a number of bytes", "explain", "bcast", "8Q", *here)
    shell.refused("--mode 'fast' given", "explain", "bcast", "8", "--mode", "fast", *here)


def searches(shell: Shell) -> None:
    here = ["--machine", "westmere-x5650", "--ranks", "6"]
    path = shell.file("best.plan", "")
    shell.printed(", proved", "search", "allreduce", "8", "--out", path, *here)
    shell.printed("over lines (small values): proved", "plan", path)
    text = Path(path).read_text()
    expect(text.startswith("# the best of the family of allreduce.") and " for 8 B, 6 ranks of "
           "westmere-x5650\n" in text and "\nplan allreduce.found\n" in text and
           "\nbytes 4-16\n" in text,
           "the plan is not named as one that was found: " + text[:200])
    answer = json.loads(shell.call("search", "bcast", "8", "--best", "2", "--json", *here).stdout)
    expect(len(answer["best"]) == 2 and answer["plans"] > 2, "not the best of many")
    # Sums of nothing: the fastest are many, and one of them has other bits on each rank.
    shell.printed("allreduce.dissemination", "search", "allreduce", "0", "--ranks", "4", *here[:2])
    shell.refused("--best: '0' given", "search", "bcast", "8", "--best", "0", *here)
    shell.refused("--ranks: '65' given", "search", "bcast", "8", "--machine", "rome-2x64",
                  "--ranks", "65")


def doctor(shell: Shell) -> None:
    """Copied files in place of the system's: what is found decides the status."""
    shell.refused("there is no proc in it", "doctor", "--root", str(shell.folder))
    shell.refused("expected a number of ranks", "doctor", "--ranks", "0")
    (shell.folder / "proc" / "self").mkdir(parents=True)
    shell.file("proc/self/status", "Seccomp:\t0\nCpus_allowed_list:\t0-3\n")
    shell.file("proc/self/mounts", "tmpfs /dev/shm tmpfs rw 0 0\n")
    root = ("--root", str(shell.folder))
    shell.printed("nothing stands in Terrace's way", "doctor", *root)
    answer = shell.call("doctor", "--json", "--ranks", "5", *root)
    expect(answer.returncode == 1, "status %d" % answer.returncode)
    said = json.loads(answer.stdout)
    expect(said["verdict"] == "warning", "the verdict is " + said["verdict"])
    ranks = [one for one in said["findings"] if one["subject"] == "ranks"]
    expect(len(ranks) == 1 and ranks[0]["found"] == "5 for 4 PUs", "found %s" % ranks)
    expect("terrace doctor: 0 failures, 1 warning, " in answer.stderr, "no conclusion")
    expect("sharing memory" in shell.call("doctor").stdout, "this system was not tried")


PAIR = "plan allreduce.pair\nranks 2\n0: out[0] = in[0] + in[1]\n1: out[1] = out[0]\n"


def verified_files(shell: Shell) -> None:
    """As `plan` proves them, one or more, and nothing that is for algorithms."""
    pair = shell.file("pair.plan", PAIR)
    hasty = shell.file("hasty.plan", HASTY)
    shell.printed(shell.call("plan", pair).stdout, "verify", pair)
    both = shell.call("verify", pair, hasty, "--json")
    expect(both.returncode == 1, "status %d" % both.returncode)
    expect("ends up with in[0] + in[1] + in[1]" in both.stderr, "not said what is wrong")
    proved = [[way["proved"] for way in one["ways"]] for one in json.loads(both.stdout)]
    expect(proved == [[True, True], [True, False]], "other verdicts: %s" % proved)
    shell.printed("bcast of 2 ranks", "verify", "--collective", "bcast", "--root", "1",
                  shell.file("own.plan", "plan own\nranks 2\n0: out[0] = in[1]\n"))
    shell.refused("--ranks is for algorithms", "verify", pair, "--ranks", "2")
    shell.refused("--root is for files", "verify", "bcast.tree", "--root", "1")
    shell.refused("'bcast.tree' is an algorithm, and others are files", "verify", pair,
                  "bcast.tree")
    shell.refused("'none' is neither an algorithm", "verify", "none")
    for words in (["plan"], ["verify"], ["draw", "plan"]):
        shell.refused("'bcast.tre' is neither an algorithm (terrace plan --list) nor a file",
                      *words, "bcast.tre", "--ranks", "2")
    for verb in ("verify", "plan", "simulate"):
        more = ["8", "--machine", "rome-2x64", "--ranks", "2"] if verb == "simulate" else []
        shell.refused("'bcast' is a collective: expected one of its algorithms, bcast.", verb,
                      "bcast", *more)


PULL = "neighbour_alltoall.pull"
LISTED = "# one to itself\n0: 1 1\n1: 0\n2: 2\n"


def plans_of_graphs(shell: Shell) -> None:
    """Written, lowered, proved and drawn, for grids in words and lists in files."""
    shell.printed("plan neighbour_alltoall.pull\nranks 2\ntiles 1\nin_place bounced\n"
                  "0: copy out[0], out[0:1] = in[1:1], in[1]\n"
                  "1: copy out[1], out[1:1] = in[0:1], in[0]\n", "plan", PULL, "--graph", "ring:2")
    shell.printed("0: copy out[0:1], out[0:3] = in[3], in[1]\n", "plan",
                  "neighbour_allgather.pull", "--graph", "grid:2x3", "--ranks", "6")
    listed = shell.file("listed.txt", LISTED)
    shell.printed("ranks 3\ntiles 1\nin_place bounced\n2: copy out[2] = in[2]\n"
                  "0: copy out[0] = in[1]\n1: copy out[1], out[1:1] = in[0], in[0:1]\n", "plan",
                  PULL, "--graph", listed)
    said = json.loads(shell.call("plan", PULL, "--graph", "torus:4x4", "--lower", "owner",
                                 "--json").stdout)
    expect((said["ranks"], said["edges"], said["lowering"], said["starts_alone"]) ==
           (16, 64, "owner", True), "other facts")
    expect("\nring 1\n" in said["text"], "it is not lowered as calls run it")
    for table, names in ((shell.call("plan", "--list").stdout, ("\n%s " % PULL,)),
                         (shell.call("plan", "--list", "--json").stdout, ('"%s"' % PULL,))):
        expect(all(name in table for name in names), "it is not listed")
    shell.printed("1       =2,1  =0,2  =1,0\n", "draw", "plan", PULL, "--graph", "ring:3")
    svg = shell.call("draw", "plan", PULL, "--graph", listed, "--svg", "-").stdout
    expect(things_in(svg, "rank") == ["rank 0", "rank 1", "rank 2"], "other ranks")
    expect("rank 0 takes from rank 1 in round 1" in things_in(svg, "arrow"), "other arrows")
    view, = views_of(shell.call("draw", "plan", PULL, "--graph", "ring:4", "--machine",
                                "rome-2x64", "--html", "-").stdout)
    expect(view["duration"] > 0, "a page without times")
    lowered = ["draw", "plan", PULL, "--graph", "ring:4", "--lower", "owner", "--html", "-"]
    pages_of = [views_of(shell.call(*lowered, *more).stdout)[0] for more in ([], ["--bounced"])]
    expect([dict(view["facts"])["buffers"] for view in pages_of] == ["direct", "bounced"],
           "not said: how buffers are reached")


def verified_graphs(shell: Shell) -> None:
    """One that is described, and those that --all and a name alone prove."""
    shell.printed(PULL + ": neighbour_alltoall of 3 ranks along 4 edges\n"
                  "over exposed buffers (any size): proved\n", "verify", PULL, "--graph",
                  shell.file("listed.txt", LISTED))
    shell.printed("never in place, ", "verify", PULL, "--graph", "torus:3x2")
    said = json.loads(shell.call("verify", "neighbour_allgather.pull", PULL, "--graph", "grid:2x2",
                                 "--json").stdout)
    facts = [(one["name"], one["ranks"], one["edges"], len(one["ways"]), one["ways"][0]["proved"],
              one["ways"][0]["lowering"]) for one in said]
    expect(facts == [("neighbour_allgather.pull", 4, 8, 1, True, "owner"),
                     (PULL, 4, 8, 1, True, "owner")], "other facts: %s" % facts)
    shell.printed("proved 20 plans of 2 algorithms for 5-6 ranks", "verify", PULL,
                  "neighbour_allgather.pull", "--ranks", "5-6")
    shell.printed("1 rank: 3 plans proved in ", "verify", PULL, "--ranks", "1")
    shell.printed("proved 3 plans of 1 algorithm for 1 rank, on small graphs over exposed buffers, "
                  "with their contracts", "verify", PULL, "--ranks", "1")
    shell.printed("algorithm for 1-2 ranks, all roots, both lowerings, with", "verify",
                  "bcast.flat", "--ranks", "1-2")
    shell.printed("Plans of graphs have no root", "verify", "--help")
    for verb, most in (("plan", 1024), ("verify", 1024), ("draw plan", 256)):
        said = " ".join(shell.call(*verb.split(), "--help").stdout.split())
        expect("up to %d ranks, and 1 MiB of text" % most in said, "no limits are stated")
    alone, with_one = [json.loads(shell.call("verify", *names, "--ranks", "3", "--json").stdout)
                       for names in (["bcast.flat"], ["bcast.flat", PULL])]
    expect(with_one["plans"] > alone["plans"] and with_one["pairs"] > 4 * alone["pairs"],
           "not proved beside others")
    listed = len(json.loads(shell.call("plan", "--list", "--json").stdout))
    every = json.loads(shell.call("verify", "--all", "--ranks", "1", "--json").stdout)
    expect(every["algorithms"] == listed, "--all leaves some out")


def graphs_that_cannot_be(shell: Shell) -> None:
    forms = "ring:8, grid:4x3, torus:4x4 (periodic), or a file with a line for each rank"
    for verb in (["plan"], ["verify"], ["draw", "plan"]):
        on = verb + [PULL, "--graph"]
        shell.refused("--graph 'star:3' given, expected " + forms, *on, "star:3")
        shell.refused("--graph 'ring:0': '0' given, expected the number of ranks", *on, "ring:0")
        shell.refused("--graph 'grid:2000x2': more ranks than the ", *on, "grid:2000x2")
        outside = shell.file("outside", "0: 1\n1: 7\n")
        shell.refused("empty' is empty, expected " + forms, *on, shell.file("empty", ""))
        shell.refused(outside + ": line 2: rank 7 is outside the graph", *on, outside)
        shell.refused("--root means nothing to the plan of a graph", *on, "ring:3", "--root", "0")
        shell.refused("--radix means nothing", *on, "ring:3", "--radix", "2")
        shell.refused("--nodes means nothing", *on, "ring:3", "--nodes", "1")
        shell.refused("--ranks 4 given, and the graph has 3: leave --ranks out", *on, "ring:3",
                      "--ranks", "4")
        expect(shell.call(*on, "ring:3", "--ranks", "03").returncode == 0, "03 is not 3")
        all_of_them = "--graph is for neighbour_allgather.pull and neighbour_alltoall.pull"
        shell.refused("terrace %s: %s" % (verb[0], all_of_them), *verb, "bcast.flat", "--graph",
                      "ring:3")
        shell.refused("'neighbor_alltoall.pull' is no algorithm (terrace plan --list): " +
                      all_of_them, *verb, "neighbor_alltoall.pull", "--graph", "ring:3")
        shell.refused("'neighbour_alltoall' is a collective: expected %s\n" % PULL, *verb,
                      "neighbour_alltoall", "--graph", "ring:3")
    for verb in (["plan"], ["draw", "plan"]):
        shell.refused(PULL + " runs on a graph: expected --graph with " + forms, *verb, PULL)
        shell.refused("--lower lines given: blocks along edges go through exposed buffers", *verb,
                      PULL, "--graph", "ring:3", "--lower", "lines")
    shell.refused("--all and --graph given, expected one of the two", "verify", "--all", "--graph",
                  "ring:3")
    shell.refused("--list and --graph given, expected one of the two", "plan", "--list", "--graph",
                  "ring:3")
    shell.refused("--radix means nothing", "verify", PULL, "--ranks", "2", "--radix", "2")
    shell.refused("'neighbour_alltoall' is a collective: expected " + PULL, "plan",
                  "neighbour_alltoall")
    drawn = ["draw", "plan", PULL, "--graph", "ring:3"]
    for more in ([], ["--html", "-"]):
        shell.refused("runs on a graph: expected --graph", *drawn[:3], "--bytes", "8", *more)
    for what in (drawn, ["draw", "plan", "bcast.flat", "--ranks", "4"]):
        shell.refused("--bounced: waits differ by it, but no plan has any before it is lowered",
                      *what, "--html", "-", "--bounced")
    for verb in ("cost", "simulate"):
        call = [verb, PULL, "4KiB", "--machine", "rome-2x64"]
        shell.refused(PULL + " runs on a graph: expected --graph with " + forms, *call)
        for option, value in (("--root", "1"), ("--radix", "2"), ("--strip", "1KiB"),
                              ("--collective", "alltoall")):
            shell.refused(option + " means nothing to the plan of a graph", *call, "--graph",
                          "ring:3", option, value)
        shell.refused("--ranks 4 given, and the graph has 3: leave --ranks out", *call, "--graph",
                      "ring:3", "--ranks", "4")
        shell.refused("--lower lines means nothing to the plan of a graph", *call, "--graph",
                      "ring:3", "--lower", "lines")
        shell.refused("--graph is for", verb, "bcast.flat", "8", *call[3:], "--graph", "ring:3")
    shell.refused("--ring means nothing to the plan of a graph", "simulate", *call[1:], "--graph",
                  "ring:3", "--ring", "3")
    for verb in ("explain", "search"):
        shell.refused("'%s' given, expected barrier, bcast" % PULL, verb, PULL, "8", "--machine",
                      "rome-2x64", "--ranks", "2")


def times_on_graphs(shell: Shell) -> None:
    """Cost and simulation agree as well as for other plans; more edges, longer blocks and longer
    ways take longer."""
    def on(graph: str, size: str, *more: str) -> List[float]:
        return times(shell, PULL, size, "--machine", "rome-2x64", "--graph", graph, *more)

    for graph in ("ring:8", "torus:4x4"):
        for more in ([], ["--bounced"]):
            short, long = on(graph, "4KiB", *more), on(graph, "64KiB", *more)
            expect(all(0.5 < played / short[0] < 2 for played in short), "cost %s, played" % short)
            expect(all(4 * a < b for a, b in zip(short, long)), "%s and %s" % (short, long))
    ring, torus = on("ring:16", "64KiB"), on("torus:4x4", "64KiB")
    expect(all(1.5 * a < b for a, b in zip(ring, torus)), "%s and %s" % (ring, torus))
    pair = on(shell.file("pair.txt", "0: 1\n1: 0\n"), "64KiB")
    expect(all(a < b for a, b in zip(pair, ring)), "%s and %s" % (pair, ring))
    said = shell.call("cost", PULL, "8", "--machine", "rome-2x64", "--graph", "ring:4")
    expect("blocks of 8 B travel with their announcement" in said.stderr, "short ones not named")
    said = shell.call("cost", PULL, "64", "--machine", "rome-2x64", "--graph", "ring:4")
    expect(said.stderr == "", "said of longer ones: " + said.stderr)


def shapes_and_models(shell: Shell) -> None:
    """A model stands for its shape where that is enough; a shape has no costs."""
    for verb in (["plan", "allreduce.tree"], ["hierarchy"], ["draw", "plan", "bcast.tree"]):
        words = verb + ["--ranks", "12", "--machine"]
        shape = shell.call(*words, "pack:2 [numa] l3:1 core:6 pu:1").stdout
        shell.printed(shape, *words, "westmere-x5650")
        expect(shell.call(*words, "pack:12 core:1 pu:1").stdout != shape, "the machine is nothing")
    shell.refused("terrace plan: --machine: 'nowhere' given, expected a machine in hwloc's words",
                  "plan", "bcast.flat", "--ranks", "2", "--machine", "nowhere")
    shell.refused("or one of a64fx, cascade-lake-2x24,", "machine", "--machine", "nowhere")
    shell.refused("cannot read a machine model: ", "machine", "--machine", "./nowhere.json")
    for verb in ("cost", "simulate"):
        shell.refused("--machine 'core:2 pu:1' is the shape of a machine, without costs: "
                      "expected a machine model, which is a file that ends with "
                      ".json, or one of a64fx,", verb, "bcast.flat", "8", "--ranks", "2",
                      "--machine", "core:2 pu:1")
    for nodes in ("1", "13,11"):
        shell.refused("westmere-x5650 has 12 cores on a node, and times are predicted for a "
                      "core per rank", "cost", "bcast.flat", "8", "--machine", "westmere-x5650",
                      "--ranks", "24", "--nodes", nodes)


def plan_files(shell: Shell) -> None:
    pipe = str(shell.folder / "pipe")
    os.mkfifo(pipe)
    for path, sentence in ((pipe, "is not a regular file"), ("/dev/zero", "is not a regular file"),
                           (str(shell.folder), "is a directory"), ("none", "neither an algorithm"),
                           (shell.file("empty", ""), "is empty")):
        shell.refused(sentence, "plan", path)
    shell.refused("`ranks 1025` given, expected 1024 at most", "plan",
                  shell.file("many", PAIR.replace("ranks 2", "ranks 1025")))
    keywords = "expected `plan NAME`, `ranks N`, `tiles T` or `RANK: ...` before `hello`"
    shell.refused("line 1, column 1: " + keywords, "plan", shell.file("words", "hello\n"))
    escaped = r"before `\x1b[31m" + 35 * "x" + "...`"
    shell.refused(escaped, "plan", shell.file("bytes", "\x1b[31m" + 5000 * "x"))
    twice = shell.file("twice", "plan a\nranks 2\nranks 3")
    shell.refused("line 3, column 7: a second `ranks`", "plan", twice)


def options_of_algorithms(shell: Shell) -> None:
    pair = shell.file("pair", PAIR)
    for option, value in (("--ranks", "2"), ("--radix", "8"), ("--depth", "1"),
                          ("--lower", "lines"), ("--machine", "pack:2 pu:1"), ("--nodes", "2"),
                          ("--bind", "pu")):
        shell.refused(option + " is for algorithms; a file contains the whole plan", "plan", pair,
                      option, value)
    shell.refused("--collective is for files", "plan", "bcast.tree", "--ranks", "2",
                  "--collective", "bcast")


HASTY = PAIR.replace("1: out[1] = out[0]", "1: out[1] = in[0] + in[1]")
ACROSS = """plan bcast.across
ranks 4
nodes 0-1 2-3
0: send in[0] to 2
2: receive out[2] from 0
1: out[1] = in[0]
3: out[3] = out[2]
"""


def times(shell: Shell, *words: str) -> List[float]:
    """By cost and by simulate."""
    cost = json.loads(shell.call("cost", *words, "--json").stdout)
    played = json.loads(shell.call("simulate", *words, "--json").stdout)
    return [cost["ns"], played["max_ns"], played["mean_ns"]]


def groups_of_one_depth(shell: Shell) -> None:
    """Plans over the groups of one depth: written, timed, and no more by their number."""
    shape = ["--machine", "pack:2 l3:2 core:2 pu:1", "--ranks", "8"]
    last = [shell.call("plan", "reduce.tree", *shape, "--depth", depth).stdout.split("\n")[-2]
            for depth in "012"]
    packages = "0: out[0] = scratch[0] + scratch[4]"
    expect(last == [packages, packages, "0: out[0] = scratch[0] + scratch[2] + scratch[4] + "
                                        "scratch[6]"], last)
    call = ["cost", "allreduce.push", "1K", "--machine", "rome-2x64", "--ranks", "24", "--bounced"]
    all_of_them, caches = [json.loads(shell.call(*call, "--depth", depth, "--json").stdout)["ns"]
                           for depth in "02"]
    expect(caches < 0.6 * all_of_them, "%s and %s" % (caches, all_of_them))
    shell.refused("--depth: '-1' given, expected a number from 0 to 64", *call, "--depth", "-1")


def predictions_of_plan_files(shell: Shell) -> None:
    """A plan in a file costs what it costs by name; one that is wrong costs nothing."""
    model = ["--machine", "westmere-x5650"]
    shape = ["--machine", "pack:2 l3:1 core:6 pu:1", "--ranks", "12", "--radix", "2"]
    tree = shell.file("tree.plan", shell.call("plan", "allreduce.tree", *shape).stdout)
    for way in (["64"], ["64KiB", "--stream"], ["64", "--lower", "owner", "--mode", "paper"]):
        named = times(shell, "allreduce.tree", *way, *model, "--ranks", "12", "--radix", "2")
        expect(times(shell, tree, *way, *model) == named, "another time by name than by file")
    expect(abs(named[0] - 306.7) < 1e-6, "not the paper's 306.7 ns: %s" % named)
    hasty = shell.file("hasty.plan", HASTY)
    shell.printed("allreduce.pair of 2 ranks on 2 Intel", "cost", hasty, "8", *model)
    shell.printed("allreduce.pair, 8 B, 2 ranks on 2 Intel", "simulate", hasty, "8", *model)
    across = shell.file("across.plan", ACROSS)
    shell.printed("message job", "cost", across, "8", "--machine", "ntw10e5")
    shell.printed(" messages between 2 nodes", "simulate", across, "8", "--machine", "ntw10e5")
    for verb in ("cost", "simulate"):
        shell.refused("hasty.plan: plan allreduce.pair: out[1] of strip 0 ends up with", verb,
                      hasty, "1MiB", *model, status=1)
        shell.refused("across.plan: plan bcast.across has ranks 0 and 2 on two nodes, and they are "
                      "placed on one", verb, across, "8", "--machine", "ntw10e5", "--nodes", "1")
        shell.refused("has ranks 0 and 1 on one node, and they are placed on two", verb, across,
                      "8", "--machine", "ntw10e5", "--nodes", "4")
    shell.refused("the machine model has no networks", "cost", across, "8", *model)
    apart = shell.file("apart.plan", "plan bcast.apart\nranks 3\nnodes 0,2 1\n0: send in[0] to 1\n"
                       "1: receive out[1] from 0\n2: out[2] = in[0]\n")
    shell.refused("rank 2 is on an earlier node than the one before it", "cost", apart, "8",
                  "--machine", "ntw10e5")


def predictions_of_plan_files_that_cannot_be(shell: Shell) -> None:
    model = ["--machine", "westmere-x5650"]
    pair = shell.file("pair.plan", PAIR)
    for verb in ("cost", "simulate"):
        shell.refused("--ranks 4 given, and the plan in %s is for 2" % pair, verb, pair, "8",
                      *model, "--ranks", "4")
        for option in ("--radix", "--depth"):
            shell.refused(option + " is for algorithms", verb, pair, "8", *model, option, "4")
        shell.refused("--collective is for files", verb, "allreduce.tree", "8", *model, "--ranks",
                      "4", "--collective", "bcast")
        shell.refused("lines are for values of up to 112 bytes", verb, pair, "113", *model,
                      "--lower", "lines")
        shell.refused("--lower 'x' given, expected lines or owner", verb, pair, "8", *model,
                      "--lower", "x")
        shell.refused("expected a size and --machine; see", verb, pair)
        shell.refused("does not begin with a collective", verb,
                      shell.file("own.plan", PAIR.replace("allreduce.", "")), "8", *model)
        lines = shell.file("lines.plan", shell.call("plan", "bcast.flat", "--ranks", "2", "--lower",
                                                    "lines").stdout)
        shell.refused("lines.plan: plan bcast.flat is already lowered", verb, lines, "8", *model,
                      "--lower", "owner")
        shell.refused("is empty", verb, shell.file("empty.plan", ""), "8", *model)


def tables(shell: Shell) -> None:
    """OpenMP has no bcast: nothing stands where nothing was measured."""
    answer = shell.call("bench", "--collective", "bcast", "--bytes", "8", "--seconds", "0.1")
    expect(re.search(r"^bcast .* -  +-  +-  \w+$", answer.stdout, re.MULTILINE) is not None,
           "no dashes for a peer that is not there")


FIGURE_1 = "pack:2 [numa] l3:1 l2:2 l1:1 core:2 pu:1"  # of the paper on communicators


def as_on(nodes: int, size: int) -> List[List[int]]:
    return [list(range(first, first + size)) for first in range(0, nodes * 8, size)]


def hierarchies(shell: Shell) -> None:
    """The paper's example of 5.1, each group and each roots communicator; then the picture."""
    place = ["hierarchy", "--machine", FIGURE_1, "--nodes", "4", "--bind", "core", "--ranks", "32"]
    levels = json.loads(shell.call(*place, "--json").stdout)
    expect([level["type"] for level in levels] == ["Machine", "L3Cache", "L1Cache", "Core"],
           "other levels")
    for level, size, parent in zip(levels, (8, 4, 2, 1), (32, 8, 4, 2)):
        expect(level["groups"] == as_on(4, size), "other groups")
        expect(level["roots"] == [list(range(first, first + parent, size))
                                  for first in range(0, 32, parent)], "other roots")
    svg = shell.call(*place, "--svg").stdout
    drawn = ElementTree.fromstring(svg)
    boxes = [box for box in drawn.iter() if box.tag.endswith("title")]
    expect(len(boxes) == 1 + 4 + 8 + 16 + 32, "not a box per group")
    expect(boxes[0].text == "System - Cluster: ranks 0-31", "another first box")


def simulations(shell: Shell) -> None:
    """The paper's tree in the paper's time; the same bytes for the same seed; what cannot be."""
    tree = ["simulate", "allreduce.tree", "64", "--machine", "westmere-x5650", "--ranks", "12"]
    paper = tree + ["--radix", "2", "--lower", "owner", "--mode", "paper"]
    shell.printed("a call takes 0.3067 us", *paper)
    answers = []
    for seed in ("1", "1", "2"):
        words = tree + ["--seed", seed, "--skew", "50", "--timeline", "t.json", "--json"]
        answer = json.loads(shell.call(*words).stdout)
        timeline = (shell.folder / "t.json").read_text()
        json.loads(timeline)
        answers.append((answer["calls"], timeline))
    expect(answers[0] == answers[1], "a seed does not say all")
    expect(answers[0] != answers[2], "seeds say nothing")
    shell.refused("'x.tree' is neither an algorithm (terrace plan --list) nor a file", "simulate",
                  "x.tree", *tree[2:])
    shell.refused("'-1' given, expected a number of bytes", *tree[:2], "-1", *tree[3:])
    shell.refused("more ranks than", *tree[:-1], "13")
    shell.refused("allreduce.tree is for one node", "simulate", "allreduce.tree", "64",
                  "--machine", "ntw10e5", "--ranks", "48")
    shell.refused("expected --machine;", *tree[:3], *tree[5:])
    for wrong in ("-1", "x", "nan", "inf", "1e300"):
        shell.refused("--skew '%s' given, expected a number from 0" % wrong, *tree, "--skew", wrong)
        shell.refused("--jitter '%s' given, expected" % wrong, *tree, "--jitter", wrong)
    shell.refused("--mode 'fast' given, expected paper or real", *tree, "--mode", "fast")
    shell.refused("cannot write '/nowhere/t.json'", *tree, "--timeline", "/nowhere/t.json",
                  status=1)


def simulations_of_very_many_nodes(shell: Shell) -> None:
    """One node plays for all that do alike, and says in how much memory; or why that cannot be."""
    symmetric = ["simulate", "allreduce.symmetric", "8", "--machine", "ntw24e5"]
    many = json.loads(shell.call(*symmetric, "--ranks", "12582912", "--nodes", "524288",
                                 "--json").stdout)
    expect(many["nodes"] == 524288 and many["nodes_played"] == 1, "not one node for all")
    expect(many["messages"] == 20 * 19 * 524288, "other messages than 19 of each node a call")
    expect(0 < many["memory_bytes"] < many["peak_bytes"] < 2**27, "unlikely memory: %s" % many)
    two = json.loads(shell.call(*symmetric, "--ranks", "48", "--nodes", "2", "--json").stdout)
    expect(two["max_ns"] < many["max_ns"], "19 rounds take no longer than one")
    shell.refused("power of two", *symmetric, "--ranks", "72", "--nodes", "3")
    lanes, flat = (["simulate", "allreduce.symmetric_" + way, "64KiB", *symmetric[3:], "--nodes",
                    "64"] for way in ("lanes", "flat"))
    by_lanes = json.loads(shell.call(*lanes, "--ranks", "512", "--json").stdout)
    by_all = json.loads(shell.call(*flat, "--ranks", "512", "--json").stdout)
    expect(by_lanes["messages"] == by_all["messages"] == 20 * 6 * 512, "not a message of each rank")
    expect(by_lanes["max_ns"] < by_all["max_ns"], "tiles take as long as whole vectors")
    shell.refused("24 ranks on a node: in allreduce.symmetric_flat every rank has a partner", *flat,
                  "--ranks", "1536")
    shell.refused("49 ranks on 2 nodes differ", *symmetric, "--ranks", "49", "--nodes", "2")
    shell.refused("needs --nodes", *symmetric, "--ranks", "48")
    shell.refused("make nodes differ", *symmetric, "--ranks", "48", "--nodes", "2", "--skew", "5")
    shell.refused("has no network", *symmetric[:-1], "rome-2x64", "--ranks", "8", "--nodes", "2",
                  status=1)
    shell.refused("plans are written for up to 1024 ranks", "simulate", "allreduce.tree",
                  *symmetric[2:], "--ranks", "12582912")
    leaders = ["simulate", "allreduce.leaders", *symmetric[2:], "--ranks", "192", "--nodes", "8"]
    shell.printed("8 were played (nodes 0 and 1 differ: rank 24's step", *leaders)
    shell.refused("all 8 nodes would have to be played: nodes 0 and 1", *leaders, "--fold",
                  status=1)


def answers_on_hierarchies(shell: Shell) -> None:
    two = ["hierarchy", "--machine", "numa:2 core:1 pu:1", "--ranks", "4"]
    network = shell.file("net", "rack a: n[0-1]\nrack b: n[2-3]\n")
    shell.printed("System - Cluster: 0-3   roots 0 2\n  Rack: 0-1   roots 0-1\n    Core 0: 0\n",
                  *two, "--nodes", "4", "--network", network)
    shell.printed("rank 1 is alone at level 2 (Core): of the ranks 0-1, which share Rack, no other "
                  "lies in Core 0 of Machine 1\n",
                  *two, "--nodes", "4", "--network", network, "--why", "1")
    shell.printed("rank 1 is with 0 at level 1 (Rack)", *two, "--nodes", "4", "--why", "1",
                  "--level", "rack", TERRACE_NETWORK=network)
    shell.printed("Machine 0: 0-1\n", "hierarchy", "--machine", "core:2 pu:1", "--bind", "none",
                  OMPI_COMM_WORLD_SIZE="2")
    shell.refused("expected --ranks P", "hierarchy")
    shell.refused("'5' given, expected a number from 0 to 3", *two, "--why", "5")
    shell.refused("expected --why RANK with it", *two, "--level", "2")
    for words in ([], ["--nodes", "2"]):
        shell.refused("cannot see how the 2 ranks of this job are bound", "hierarchy", *words,
                      OMPI_COMM_WORLD_SIZE="2")
    shell.refused("a type of rank 0's groups (Core)", *two, "--why", "0", "--level", "L9")
    shell.refused("a type of rank 0's groups, which is in none", *two[:-1], "1", "--why", "0",
                  "--level", "L9")
    shell.refused("the host of pretended node 4 is not in", *two[:-1], "5", "--nodes", "5",
                  "--network", network)
    shell.refused("--network: cannot read a network", *two, "--network", "/nowhere")
    shell.refused("TERRACE_NETWORK: cannot read a network", *two, TERRACE_NETWORK="/nowhere")
    shell.refused("--json excludes --svg", *two, "--json", "--svg")


def things_in(svg: str, kind: str) -> List[str]:
    """The tooltips of a kind of thing; a parser reads the picture."""
    groups = [group for group in ElementTree.fromstring(svg).iter() if group.get("class") == kind]
    return [next(group.iter("{http://www.w3.org/2000/svg}title")).text for group in groups]


def pictures(shell: Shell) -> None:
    two = ["--machine", "pack:2 core:2 pu:1", "--ranks", "4"]
    tree = ["draw", "plan", "allreduce.tree", "--radix", "2"] + two
    shell.printed("1       0+1  .    | 2+3  .\n", *tree)
    svg = shell.call(*tree, "--svg", "-").stdout
    expect(things_in(svg, "rank") == ["rank %d" % rank for rank in range(4)], "other ranks")
    expect(things_in(svg, "arrow")[2] == "rank 0 takes from rank 2 in round 2", "other arrows")
    shell.printed("", *tree, "--svg", "tree.svg")
    expect((shell.folder / "tree.svg").read_text() == svg, "another picture in the file")
    machine = shell.call("draw", "machine", *two, "--svg", "-").stdout
    expect(things_in(machine, "ranks") == ["rank %d" % rank for rank in range(4)], "ranks nowhere")
    shell.printed("Package 1: 2-3   roots 2-3\n", "draw", "hierarchy", *two)
    shell.printed("1       0+1  =0\n", "draw", "plan",
                  shell.file("own.plan", "plan x\nranks 2\n0: out[0] = in[0] + in[1]\n"
                             "1: out[1] = in[0]\n"))
    lowered = ["draw", "plan", "bcast.flat", "--ranks", "2", "--lower", "lines"]
    shell.printed('class="wait"', *lowered, "--waits", "--svg", "-")


def timeline_events(durations: List[int]) -> str:
    event = '{"ph":"X","cat":"%s","ts":%d,"dur":%d,"args":{"rank":%d,"peer":0}}'
    return '{"traceEvents":[%s]}' % ",".join(
        event % ("wait", 5, duration, rank) for rank, duration in enumerate(durations))


def pictures_of_timelines(shell: Shell) -> None:
    path = shell.file("run.json", timeline_events([1, 4]))
    shell.printed("timeline: 4 us\n", "draw", "timeline", path)
    shell.printed("rank 1  works 0 ns, waits 4 us, longest 4 us for rank 0\n", "draw", "timeline",
                  path)
    own = shell.file("rank-1.json", timeline_events([1, 1, 2]).replace('"rank":2', '"rank":7'))
    shell.printed("rank 7  works 0 ns, waits 2 us", "draw", "timeline", path, own)
    shell.printed("rank 0  works", "draw", "timeline", path, own)
    part = ["draw", "timeline", path, "--from", "1us", "--to", "2.5us"]
    svg = shell.call(*part, "--svg", "-").stdout
    expect(things_in(svg, "rank") == ["rank 0", "rank 1"], "other ranks")
    expect(len(things_in(svg, "wait")) == 1, "what was before is also drawn")


def views_of(page: str) -> List[dict]:
    found = re.search(r'<script type="application/json" id="json">(.*?)</script>', page, re.DOTALL)
    expect(found is not None, "no JSON on the page")
    return json.loads(found.group(1))["views"]


def pages(shell: Shell) -> None:
    """What a page says is what `simulate` and `plan` say of the same call."""
    on = ["--ranks", "8", "--machine", "westmere-x5650"]
    for algorithm, size in (("allreduce.tree", "8"), ("allreduce.tiled", "64KiB")):
        page = shell.call("draw", "plan", algorithm, *on, "--bytes", size, "--html", "-").stdout
        view, = views_of(page)
        said = json.loads(shell.call("simulate", algorithm, size, *on, "--json").stdout)
        expect(abs(view["duration"] - said["max_ns"]) <= 1e-9 * said["max_ns"], "another duration")
        expect(abs(view["mean"] - said["mean_ns"]) <= 1e-9 * said["mean_ns"], "another mean")
        expect(len(view["steps"]) * len(said["calls"]) == said["steps"], "other steps")
        expect(view["path"][-1]["end"] == view["duration"], "the path ends elsewhere")
        lowered = shell.call("plan", algorithm, *on, "--lower", said["lowering"]).stdout
        steps = [line.split(" after ")[0] for line in lowered.splitlines()
                 if re.match(r"[0-9]+: ", line)]
        expect(sorted(steps) == sorted("%d: %s" % (form["rank"], form["statement"])
                                       for form in view["forms"]), "other statements")
    same_as_the_timeline(shell, on)


def same_as_the_timeline(shell: Shell, on: List[str]) -> None:
    """Each wait, each step's work and each publication of the last call; then its own page."""
    words = ["allreduce.tree", "8", *on]
    shell.call("simulate", *words, "--timeline", "t.json")
    view, = views_of(shell.call("draw", "plan", words[0], *on, "--html", "-").stdout)
    events = [event for event in json.loads((shell.folder / "t.json").read_text())["traceEvents"]
              if event["ph"] == "X"]
    begin = max(event["ts"] for event in events if event["cat"] == "call")
    drawn = {}
    for step in view["steps"]:
        kinds = ("wait", "work", "publish")
        for kind, start, end in zip(kinds, step["times"], step["times"][1:]):
            if end > start:
                rank = view["forms"][step["form"]]["rank"]
                drawn.setdefault((rank, kind), []).append((round(start, 1), round(end - start, 1)))
    told = {}
    for event in events:
        if event["ts"] < begin or event["cat"] == "call":
            continue
        kind = event["cat"] if event["cat"] in ("wait", "publish") else "work"
        told.setdefault((event["args"]["rank"], kind), []).append(
            ((event["ts"] - begin) * 1e3, event["dur"] * 1e3))
    expect(drawn.keys() == told.keys(), "other ranks or kinds")
    for key, times in drawn.items():
        expect(len(times) == len(told[key]) and all(
            abs(one - other) < 0.21 for pair in zip(sorted(times), sorted(told[key]))
            for one, other in zip(*pair)), "other times of %s" % (key,))
    page = shell.call("draw", "timeline", "t.json", "--html", "-").stdout
    expect(len(views_of(page)[0]["steps"]) == len(events), "other events on the timeline's page")


def pages_side_by_side(shell: Shell) -> None:
    both = ["draw", "plan", "allreduce.tree", "allreduce.tiled", "--ranks", "4"]
    shell.printed("", *both, "--machine", "rome-2x64", "--machine", "a64fx", "--html", "all.html")
    views = views_of((shell.folder / "all.html").read_text())
    expect([view["title"] for view in views] ==
           ["allreduce.tree"] * 2 + ["allreduce.tiled"] * 2, "other plans")
    expect(len({view["machine"] for view in views}) == 2, "not on both machines")
    shape, = views_of(shell.call("draw", "plan", "bcast.tree", "--ranks", "4", "--machine",
                                 "pack:2 core:2 pu:1", "--html", "-").stdout)
    expect(shape["duration"] is None and "times" not in shape["steps"][0], "times from nowhere")
    own = shell.file("own.plan", "plan bcast.x\nranks 2\n1: out[1] = in[0]\n")
    page = shell.call("draw", "plan", own, "--machine", "rome-2x64", "--html", "-").stdout
    view, = views_of(page)
    expect(view["title"] == "bcast.x" and view["duration"] > 0, "not the plan of the file")
    shell.refused("a picture is of one plan on one machine", *both)
    shell.refused("--bytes, --strip, --bounced and --mode are for pages", *both[:3], "--ranks", "4",
                  "--bytes", "8")
    shell.refused("are for calls that are simulated: name a machine model", *both[:3], "--ranks",
                  "4", "--machine", "pack:2 core:2 pu:1", "--bytes", "8", "--html", "-")
    shell.refused("6 plans on machines given, expected 4", *both[:3], *both[2:], "--machine",
                  "a64fx", "--machine", "rome-2x64", "--html", "-")
    shell.refused("--html excludes --svg, --rounds and --waits", *both, "--html", "-", "--svg", "-")
    shell.refused("steps, expected 20000 at most on a page", "draw", "plan", "allreduce.tiled",
                  "--ranks", "64", "--machine", "rome-2x64", "--bytes", "4MiB", "--strip", "8KiB",
                  "--html", "-")
    shell.refused("--bind is for shapes", *both, "--machine", "a64fx", "--bind", "core", "--html",
                  "-")
    shell.refused("cannot write '/none/x.html'", *both, "--html", "/none/x.html", status=1)


def pictures_that_cannot_be(shell: Shell) -> None:
    shell.refused("expected what to draw: machine, hierarchy, plan, timeline or choices", "draw")
    shell.refused("'dream' was not expected", "draw", "dream")
    shell.refused("expected the name of an algorithm, or a file", "draw", "plan")
    shell.refused("'none' is neither an algorithm", "draw", "plan", "none")
    shell.refused("expected --ranks P", "draw", "plan", "bcast.flat")
    shell.refused("257 ranks, of which none could be seen: expected 256 at most", "draw", "plan",
                  "bcast.flat", "--ranks", "257")
    shell.refused("add --lower lines or --lower owner", "draw", "plan", "bcast.flat", "--ranks",
                  "2", "--waits")
    shell.refused("cannot write '/none/x.svg'", "draw", "hierarchy", "--ranks", "2", "--svg",
                  "/none/x.svg", status=1)
    shell.refused("expected a file with a timeline", "draw", "timeline")
    shell.refused("'none' cannot be read", "draw", "timeline", "none")
    for text, sentence in (("", "is empty"), ("{", "this is no JSON: line 1, column 2"),
                           ("{}", "this is no timeline"),
                           (timeline_events([1, -1]), "event 2 of the timeline has no times")):
        shell.refused(sentence, "draw", "timeline", shell.file("wrong.json", text))
    right = shell.file("right.json", timeline_events([1]))
    shell.refused("'3 days' given, expected a time such as 250ns", "draw", "timeline", right,
                  "--from", "3 days")
    shell.refused("--to lies before --from", "draw", "timeline", right, "--from", "2us", "--to",
                  "1us")


class FakeJob:
    """Processes with the variables of Open MPI's ranks, and nothing else of it."""

    def __init__(self, ranks: Iterable[int], size: int, **variables: str):
        self.name = "terrace-test-%d" % os.getpid()
        self.ranks = [subprocess.Popen(["sleep", "60"], env=self.variables(rank, size, variables))
                      for rank in ranks]

    def variables(self, rank: int, size: int, more: Dict[str, str]) -> Dict[str, str]:
        return dict(os.environ, PMIX_NAMESPACE=self.name, PMIX_RANK=str(rank),
                    OMPI_COMM_WORLD_SIZE=str(size), **more)

    def __enter__(self) -> "FakeJob":
        return self

    def __exit__(self, *_: object) -> None:
        for rank in self.ranks:
            rank.kill()
            rank.wait()


def running_jobs(shell: Shell) -> None:
    """How ranks are bound that run: tests/mpi has real ones."""
    pu = min(os.sched_getaffinity(0))
    with FakeJob(range(3), 3) as job:
        for rank in job.ranks:
            os.sched_setaffinity(rank.pid, {pu})
        asked = ["hierarchy", "--job", str(job.ranks[1].pid)]
        told = shell.call("hierarchy", "--ranks", "3", "--bind", ",".join([str(pu)] * 3)).stdout
        shell.printed(told, *asked)
        shell.printed("<svg", *asked, "--svg")
        shell.printed("rank 2 ", *asked, "--why", "2")
        shell.refused("expected neither --machine, --nodes and --bind", *asked, "--bind", "core")
        shell.refused("--job", *asked, "--ranks", "3")
        shell.refused("'0' given, expected a number from 1", "hierarchy", "--job", "0")
    with FakeJob((0, 2), 4) as job:
        shell.refused("ranks 1 3 of the job's 4 cannot be seen from here", "hierarchy", "--job",
                      str(job.ranks[0].pid), status=1)
    with FakeJob((0,), 2, PMI_RANK="0", MPI_LOCALNRANKS="1") as job:
        shell.refused("from within a job of another's", "hierarchy", "--job",
                      str(job.ranks[0].pid), status=1)
    shell.refused("is no rank of a job", "hierarchy", "--job", str(os.getpid()), status=1)
    on_two = dict(PMIX_NAMESPACE="terrace-test", PMIX_RANK="0", OMPI_COMM_WORLD_RANK="0",
                  OMPI_COMM_WORLD_SIZE="4", OMPI_COMM_WORLD_LOCAL_SIZE="2")
    shell.refused("this job of 4 ranks is on several nodes", "hierarchy", status=1, **on_two)
    silent = shell.call("hierarchy", **dict(on_two, PMIX_RANK="1", OMPI_COMM_WORLD_RANK="1"))
    expect((silent.returncode, silent.stdout, silent.stderr) == (0, "", ""), "rank 1 speaks")


VERDICTS = ("reproduced", "holds-in-box", "fitted", "not-reproduced", "needs-hardware")


def claims(shell: Shell) -> None:
    """What all claims are is worked out once, which takes long: for their form and their page."""
    answer = shell.call("reproduce", "--json")
    rows = json.loads(answer.stdout)
    expect(isinstance(rows, list), "no array")
    for row in rows:
        for key in ("id", "place", "paper", "ours", "verdict", "decides", "how"):
            expect(isinstance(row.get(key), str) and row[key] != "", "%s has no %s" % (row, key))
        expect(row["verdict"] in VERDICTS, "no verdict: " + row["verdict"])
        expect("share" not in row or (0 <= row["share"] <= 1 and row["box"] != ""), "no share")
        expect(row["verdict"] != "holds-in-box" or row["share"] >= 0.9, "a box that holds little")
    ids = [row["id"] for row in rows]
    expect(len(set(ids)) == len(ids), "two claims of one name")
    for known in ["A%d" % i for i in range(1, 26)] + ["B%d" % i for i in range(1, 9)]:
        expect(known in ids, "no claim " + known)
    complaint = reproduce.complaint_on_files(rows)
    expect(not complaint, complaint)
    two = json.loads(shell.call("reproduce", "--json", "b1", "A2").stdout)
    expect([row["id"] for row in two] == ["B1", "A2"], "not those two")
    shell.printed("A2  reproduced  (HPDC'13 3.4)\n", "reproduce", "A2")
    shell.printed("  Terrace  3 Rs + 2 Rr + 9 Rl = 306.7 ns; the plan", "reproduce", "A2")
    figures = json.loads(shell.call("reproduce", "--curves").stdout)
    names = [figure["name"] for figure in figures]
    expect("hpdc13-10" in names and "parco18-14" in names, "figures are missing")
    for figure in figures:
        # By hand and by the machine's levels there; elsewhere an algorithm or a radix each.
        least = 2 if figure["name"] in ("parco18-11", "parco18-12", "parco18-13") else 3
        expect(len(figure["curves"]) >= least, "no curves in " + figure["name"])
        for curve in figure["curves"]:
            expect(len(curve["x"]) == len(curve["y"]) > 1, "no curve: " + curve["name"])
            expect(all(y > 0 for y in curve["y"]), "a time of nothing: " + curve["name"])
    shell.refused("--json excludes --curves", "reproduce", "--json", "--curves")
    shell.refused("no claim 'Z9', expected one of: A1, A2,", "reproduce", "A1", "Z9")


def choices(shell: Shell) -> None:
    table = shell.call("draw", "choices", "allreduce", "--ranks", "2,128", "--threads").stdout
    said = json.loads(shell.call("draw", "choices", "allreduce", "--ranks", "2,128", "--threads",
                                 "--json").stdout)
    expect(said["ranks"] == [2, 128] and said["bytes"][0] == 8, "other ranks or bytes")
    expect(len(said["choices"]) == 2 * len(said["bytes"]), "not a choice for each")
    for cell in said["choices"]:
        expect(cell["algorithm"].startswith("allreduce."), "this runs: %s" % cell)
        expect("  %s\n" % cell["algorithm"] in table, cell["algorithm"] + " is not in the table")
    for machine, most in (("skylake-2x12", 24), ("rome-2x64", 128), ("westmere-x5650", 12)):
        said = json.loads(shell.call("draw", "choices", "bcast", "--json", "--machine",
                                     machine).stdout)
        expect(said["ranks"][-1] == most, "%s: up to %d ranks" % (machine, said["ranks"][-1]))
    shell.refused("no option --svg; see `terrace draw choices --help`", "draw", "choices", "bcast",
                  "--svg", "x")
    shell.refused("'barrier' given, expected a collective with bytes", "draw", "choices", "barrier")
    shell.refused("'1' given, expected a number from 2", "draw", "choices", "bcast", "--ranks", "1")


BENCH = {"points": [{"collective": "bcast", "bytes": 8 << 4 * size, "ranks": 2, "peer": peer,
                     "us_median": 1.0 + size, "peer_us_median": 2.0 + size, "floor_us": 0.5,
                     "ratio": 2.0, "ratio_low": 1.9, "ratio_high": 2.1}
                    for size in range(4) for peer in ("Open MPI 5", "MPICH 5")]}


def plots(shell: Shell) -> None:
    """Each kind, if matplotlib is there; else, and for wrong words, a sentence."""
    bench = shell.file("bench.json", json.dumps(BENCH))
    answer = shell.call("plot", "latency", bench, "-o", "latency.svg")
    if "matplotlib is not there" in answer.stderr:
        expect(answer.returncode == 1 and answer.stderr.count("\n") == 1, "said otherwise")
        return
    expect(answer.returncode == 0, "status %d" % answer.returncode)
    model = shell.file("model.json", json.dumps(
        {"points": [dict(point, us=1.5) for point in BENCH["points"]]}))
    shell.printed("", "plot", "speedup", bench, "-o", "speedup.svg")
    shell.printed("", "plot", "predicted", bench, model, "-o", "predicted.svg")
    shell.printed("", "plot", "choices", "allreduce", "--ranks", "2,4", "-o", "choices.svg")
    for name in ("latency", "speedup", "predicted", "choices"):
        tree = ElementTree.parse(str(shell.folder / (name + ".svg")))
        paths = [path for path in tree.iter() if path.tag.endswith("path")]
        expect(len(paths) > 20, "there is next to nothing in %s.svg" % name)
    shell.refused("'none' cannot be read: No such file", "plot", "latency", "none", "-o", "x.svg")
    shell.refused("is no JSON", "plot", "latency", shell.file("no.json", "{"), "-o", "x.svg")
    shell.refused("no answer of `./dev bench`", "plot", "latency", shell.file("a.json", "{}"), "-o",
                  "x.svg")
    shell.refused("--collective 'scan' given, which was not measured; there are: bcast", "plot",
                  "latency", bench, "--collective", "scan", "-o", "x.svg")
    shell.refused("cannot write 'none/x.svg'", "plot", "latency", bench, "-o", "none/x.svg")
    shell.refused("cannot write 'x.dream'", "plot", "latency", bench, "-o", "x.dream")
    shell.refused("terrace plot: ", "plot", "dream")


def measured_calls_are_predicted(shell: Shell) -> None:
    """The whole way: a bench, the predictions of its calls, and the plot of both."""
    bench = ["bench", "--collective", "barrier,allreduce", "--bytes", "8,4K", "--seconds", "0.1"]
    text = shell.call(*bench, "--json").stdout
    # Where others keep this machine busy no batch may have been clean.
    measured = shell.file("measured.json", text.replace('"us_median": null', '"us_median": 1.5'))
    asked = ["cost", "--measured", measured, "--machine", "two-near-cores"]
    said = shell.call(*asked, "--json").stdout
    points = json.loads(said)["points"]
    expect([(point["collective"], point["bytes"], point["ranks"]) for point in points] ==
           [("barrier", 0, 2), ("allreduce", 8, 2), ("allreduce", 4096, 2)], "other calls: " + said)
    alone = json.loads(shell.call("cost", points[1]["algorithm"], "8", *asked[3:], "--ranks", "2",
                                  "--json").stdout)
    expect(abs(points[1]["us"] * 1000 - alone["ns"]) < 1e-6, "the call alone costs otherwise")
    shell.printed("3 calls, median error ", *asked)
    shell.printed("3 calls, median error ", *asked, "--ranks", "2")
    shell.refused("--ranks 3 given, but ", *asked, "--ranks", "3")
    shell.refused("excludes --measured", *asked, "bcast")
    shell.refused("expected --machine with --measured", *asked[:3])
    wrong = shell.file("wrong.json", "[]")
    shell.refused("wrong.json: expected what `terrace bench --json` prints", *asked[:2], wrong,
                  *asked[3:])
    wrong = shell.file("wrong.json", '{"points": [{"collective": "bcast", "bytes": 8}]}')
    shell.refused("wrong.json, point 1: expected \"collective\", \"bytes\" and \"ranks\"",
                  *asked[:2], wrong, *asked[3:])
    plot = shell.call("plot", "predicted", measured, shell.file("predicted.json", said), "-o",
                      "both.svg")
    if "matplotlib is not there" in plot.stderr:
        return
    expect(plot.returncode == 0, "status %d" % plot.returncode)
    words = (shell.folder / "both.svg").read_text()
    expect("3 points, median error" in words, "not all calls are drawn")


def full_disks(shell: Shell) -> None:
    """Half an answer is none, and no script may take it for one."""
    for words in (["plan", "--list"], ["cost", "--list", "--json"], ["reproduce", "A1"]):
        with open("/dev/full", "w") as full:
            answer = subprocess.run([shell.terrace] + words, stdout=full, stderr=subprocess.PIPE,
                                    text=True, timeout=SECONDS)
        expect(answer.returncode == 1, "status %d of %s" % (answer.returncode, words))
        expect("cannot write to standard output" in answer.stderr, "nothing said: " + answer.stderr)


def measurements(shell: Shell) -> None:
    """This machine's file is one that all verbs read, and the default once it is there."""
    shell.refused("there is no", "cost", "bcast", "8", "--ranks", "2", "--machine", "nowhere")
    shell.refused("expected --machine", "cost", "bcast", "8", "--ranks", "2")
    shell.refused("this machine has not been measured", "cost", "bcast", "8", "--ranks", "2",
                  "--machine", "this-machine")
    shell.refused("cannot write", "measure", "-o", "/proc/none/machine.json")
    if len(os.sched_getaffinity(0)) < 2:
        shell.refused("one core", "measure", "--seconds", "0.1", status=1)
        return
    # Ranks of a launcher beside which no MPI lies: the first one measures, and says what it misses.
    for rank, complaint in (("0", "name the MPI's library with --mpi"), ("1", "")):
        answer = shell.call("measure", "--seconds", "0.1", "-o", "rank-%s.json" % rank,
                            SLURM_PROCID=rank, SLURM_NTASKS="2", PATH="/nowhere")
        expect(answer.returncode == 0 and complaint in answer.stderr, "status, or not said why")
        expect((shell.folder / ("rank-%s.json" % rank)).exists() == (rank == "0"),
               "written by another than rank 0")
    answer = shell.call("measure", "--seconds", "0.5")
    expect(answer.returncode == 0, "status %d" % answer.returncode)
    written = shell.folder / "config" / "terrace" / "machine.json"
    expect(str(written) in answer.stdout, "not said where it is")
    model = json.loads(written.read_text())
    expect(model["format"] == "terrace machine 1", "which format it has is not said")
    link = model["distances"][-1]
    expect(re.match(r"measured \d{4}-\d\d-\d\d, PUs \d+ and \d+, median of \d+, 95 % interval "
                    r"[\d.e+]+ to [\d.e+]+$", link["modified"]["source"]) is not None,
           "the source does not say how it was measured: " + link["modified"]["source"])
    expect(any(copy["stores"] == "streaming" for copy in link["scratch"]), "no streaming stores")
    before = written.read_text()
    said = shell.interrupted(0.5, "measure", "--seconds", "60")
    expect("stays as it was" in said and written.read_text() == before, "it is another file now")
    said = shell.interrupted(0.5, "measure", "--seconds", "60", "-o", "other.json")
    expect("what was not reached is assumed" in said, "not said what it has")
    expect(json.loads((shell.folder / "other.json").read_text())["distances"], "no distances")
    for words in (["cost", "bcast", "8"], ["simulate", "bcast.flat", "8"],
                  ["explain", "allreduce", "64KiB", "--here"]):
        answer = shell.call(*words, "--ranks", "2")
        expect(answer.returncode == 0, "status %d" % answer.returncode)
    written.write_text("{")
    shell.refused("machine.json", "cost", "bcast", "8", "--ranks", "2")


def tunings(shell: Shell) -> None:
    """A tuning is written, shown, and not begun again; what is wrong with one is said."""
    words = ["tune", "--collectives", "bcast,allreduce", "--bytes", "8,4096", "--seconds", "0.05",
             "--ranks", "2"]
    shell.refused("--collectives 'barrier' given, expected some of bcast, reduce,", "tune",
                  "--collectives", "barrier")
    shell.refused("expected a multiple of 8", "tune", "--bytes", "12")
    shell.refused("expected numbers from 2", "tune", "--ranks", "",
                  status=1 if len(os.sched_getaffinity(0)) < 2 else 2)
    shell.refused("each rank that is tuned for needs its own", "tune", "--ranks", "256",
                  status=1 if len(os.sched_getaffinity(0)) < 2 else 2)
    shell.refused("cannot write", *words, "-o", "/proc/none/tuning.json")
    shell.printed("No tuning: calls are chosen by predictions. TERRACE_TUNING says so", "tune",
                  "--show", TERRACE_TUNING="off")
    if len(os.sched_getaffinity(0)) < 2:
        return
    answer = shell.call(*words)
    expect(answer.returncode == 0 and "points timed" in answer.stdout,
           answer.stdout + answer.stderr)
    written = next((shell.folder / "config" / "terrace" / "tunings").iterdir())
    tuning = json.loads(written.read_text())
    expect({team["form"] for team in tuning["teams"]} <= {"threads", "processes"}, "other forms")
    rows = [row for team in tuning["teams"] for row in team["rows"]]
    expect(all(row["runs"].startswith(row["collective"] + ".") for row in rows), "other rows")
    shown = shell.call("tune", "--show").stdout
    expect(str(written) in shown and shown.count("\n") >= len(rows), "not all is shown")
    expect(shell.call("tune", "--show", "-o", str(written), TERRACE_TUNING="off").stdout == shown,
           "a file that is named is not shown")
    # Each machine that this one may be seen as is timed for itself, and it may change meanwhile.
    expect(any("known already" in shell.call(*words).stdout for attempt in range(6)),
           "begun again each time")
    expect("known already" not in shell.call(*words, "--again").stdout, "not begun again")
    elsewhere = shell.call(*words, "-o", "here.json")
    expect("Programs use it with TERRACE_TUNING=here.json" in elsewhere.stdout, "not said how")
    said = shell.interrupted(1, "tune", "--again", "--seconds", "30", "-o", "here.json")
    expect("interrupted; the same command continues" in said, "not said what to do")
    plot = shell.call("plot", "tuning", str(written), "-o", "tuning.svg")
    # Beside other programs all points may be too disturbed to tell.
    tuning = json.loads(written.read_text())
    is_timed = any(team["rows"] for team in tuning["teams"])
    expect(plot.returncode == 0 or "matplotlib is not there" in plot.stderr or
           (not is_timed and "has no such team" in plot.stderr), "no plot")
    if tuning["teams"]:
        tuning["teams"][0]["rows"] = [{"collective": "bcast", "bytes": 8, "runs": "bcast.none"}]
        broken = shell.file("broken.json", json.dumps(tuning))
        answer = shell.call("tune", "--show", TERRACE_TUNING=broken)
        expect("there is no algorithm 'bcast.none' for bcast" in answer.stderr,
               "the mistake is not named")
    tuning["processor"] = "another"
    foreign = shell.file("foreign.json", json.dumps(dict(tuning, teams=[])))
    answer = shell.call("tune", "--show", TERRACE_TUNING=foreign)
    expect("is for another machine" in answer.stderr, "a foreign tuning is not refused")
    shell.refused("for another machine", *words, "-o", foreign)
    spoilt = shell.file("spoilt.json", "{")
    shell.refused("--again writes a new file", *words, "-o", spoilt)
    expect(shell.call(*words, "-o", spoilt, "--again").returncode == 0, "a spoilt file is for ever")
    shell.refused("--timed is for this machine", "explain", "bcast", "8", "--machine",
                  "two-near-cores", "--ranks", "2", "--timed")
    shell.call("measure", "--seconds", "0.3")
    answer = shell.call("explain", "allreduce", "64KiB", "--ranks", "2", "--here", "--timed")
    expect("timed here while a signal took" in answer.stdout, answer.stdout + answer.stderr)
    shell.refused("a multiple of 8; 9 given", "explain", "bcast", "9", "--ranks", "2", "--timed")


REPORT = """terrace: report of rank 0 of 2, Open MPI v5.0.11
terrace:   bcast                 8 B to below 16 B             1833  ran bcast.flat
terrace:   allreduce             64 KiB to below 128 KiB       1941  ran allreduce.tiled, bounced
terrace:   allreduce             64 KiB to below 128 KiB          2  fell back to the MPI: a trial
terrace:   allgatherv            16 B to below 32 B               7  ran allgather.push
terrace: trial of allreduce of 64 KiB: allreduce.all_read 7.2 us; allreduce.tiled, to scratch \
past the caches 6.3 us; the MPI 8.3 us: stays
terrace: trial of bcast of 8 B and what the program does between: bcast.flat 9.9 us: stays
terrace: end of report
"""


def reports(shell: Shell) -> None:
    """The rows of a program's report, predicted and as its trials found them."""
    report = shell.file("report.txt", REPORT)
    here = ["--machine", "two-near-cores"]
    answer = shell.call("explain", "--report", report, *here)
    expect(answer.returncode == 0, "status %d" % answer.returncode)
    rows = [line.split() for line in answer.stdout.splitlines() if line[:1].isalpha()]
    expect([row[:4] for row in rows[:2]] == [["allreduce", "64KiB", "1941", "allreduce.tiled"],
                                             ["bcast", "8B", "1833", "bcast.flat"]], "other rows")
    expect("6.3 us" in answer.stdout and "9.9 us" not in answer.stdout, "other times")
    expect(re.search(r"allgatherv +16B +7 +allgather.push +- +-", answer.stdout) is not None,
           "more is said of uneven blocks than is known")
    shell.refused("expected what a program printed with TERRACE_REPORT=1", "explain", "--report",
                  shell.file("none.txt", "nothing\n"), *here)
    shell.refused("cannot", "explain", "--report", "missing.txt", *here)


def demo_on_a_busy_machine(_: Shell) -> None:
    times = {number: 2.0 for number in range(10)}
    expect("did not end" in demo.ratios_line("Terrace", [{"processes": 2.0, "Terrace": None}], 9),
           "a launch that did not end has a ratio")
    stopped = demo.ratios_line("Terrace", [{"processes": None, "Terrace": 3.0}], 9)
    expect("at least 3.00 times" in stopped, "not at least as long as it was given: " + stopped)
    source = (demo.ROOT / "bench" / "preload" / "collectives.c").read_text()
    for form in demo.FLOORS:
        expect('(Contender){"%s"' % form in source, "no batches of `%s` are printed" % form)
        row = demo.row_of_table(8, {"mpi": times, "below": times, form: times})
        expect("2.00      2.00      2.00" in row, "times are missing: " + row)
    for missing in ("mpi", "below", "lines"):
        row = demo.row_of_table(8, {who: times for who in ("mpi", "below", "lines")
                                    if who != missing})
        expect("8 B not timed: the machine was too busy" in row, "no sentence: " + row)


TESTS = {
    "reports_are_explained": reports,
    "this_machine_is_measured": measurements,
    "answers_that_nobody_can_read_fail": full_disks,
    "running_jobs_are_seen": running_jobs,
    "choices_are_drawn": choices,
    "plots_are_drawn_or_refused_in_a_sentence": plots,
    "tunings_are_written_shown_and_gone_on_with": tunings,
    "measured_calls_are_predicted_and_plotted": measured_calls_are_predicted,
    "pictures_are_drawn": pictures,
    "timelines_are_drawn": pictures_of_timelines,
    "pages_say_what_simulations_say": pages,
    "pages_show_plans_side_by_side": pages_side_by_side,
    "pictures_that_cannot_be_are_refused": pictures_that_cannot_be,
    "hierarchies_are_shown": hierarchies,
    "hierarchies_are_explained": answers_on_hierarchies,
    "simulations_are_played": simulations,
    "very_many_nodes_are_simulated": simulations_of_very_many_nodes,
    "wrong_verbs_and_options_are_named": verbs_and_options,
    "a_programs_words_are_its_own": words_of_the_program,
    "programs_that_cannot_run_are_explained": programs_that_cannot_run,
    "settings_for_job_scripts": settings_for_job_scripts,
    "preloads_of_others": preloads_of_others,
    "places_of_outer_launches_stay_outside": places_of_outer_launches,
    "a_shared_heap_is_put_in": shared_heap,
    "a_path_with_a_space_is_preloaded": paths_that_the_loader_splits,
    "programs_that_lose_the_preload_are_named": programs_that_lose_the_preload,
    "systems_without_proc_are_run_on": systems_without_proc,
    "few_open_files_are_named": few_open_files,
    "a_report_that_will_not_come_is_announced": reports_that_will_not_come,
    "machines_that_cannot_be_are_refused": machines,
    "files_that_are_no_plans_are_explained": plan_files,
    "plans_in_files_are_verified": verified_files,
    "plans_of_graphs_are_written_and_drawn": plans_of_graphs,
    "plans_of_graphs_are_verified": verified_graphs,
    "graphs_that_cannot_be_are_refused": graphs_that_cannot_be,
    "times_on_graphs_are_predicted": times_on_graphs,
    "shapes_and_machine_models_are_told_apart": shapes_and_models,
    "options_that_do_not_apply_are_refused": options_of_algorithms,
    "plans_see_groups_of_one_depth": groups_of_one_depth,
    "plans_in_files_are_predicted": predictions_of_plan_files,
    "plans_in_files_that_cannot_be_predicted": predictions_of_plan_files_that_cannot_be,
    "a_peer_that_is_not_there_is_a_dash": tables,
    "claims_are_an_array_with_verdicts_and_a_page": claims,
    "costs_have_causes": costs,
    "explanations_have_reasons": explanations,
    "searches_find_what_is_proved": searches,
    "a_demo_on_a_busy_machine_says_what_it_did_not_time": demo_on_a_busy_machine,
    "the_doctor_looks_at_what_it_is_shown": doctor,
}


def main() -> int:
    return run_named(TESTS, parser_of("--terrace"),
                     lambda row, given, folder: row(Shell(given.terrace, str(folder))),
                     subprocess.TimeoutExpired)


if __name__ == "__main__":
    sys.exit(main())
