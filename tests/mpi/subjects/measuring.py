# SPDX-License-Identifier: BSD-3-Clause
"""What ranks measure of their machine for themselves; `terrace measure` and `terrace hierarchy` as
programs of a job."""

import json
import os
import re
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import List

from job import Job, SECONDS
from row import row
from rows import Skipped, expect


SOURCE = r"measured \d{4}-\d\d-\d\d, .* within nodes, as nodes are pretended, "


def measuring(job: Job, path: Path, seconds: str = "1") -> List[str]:
    """MPICH's launcher has the MPI of its own ABI beside it, and that of the standard ABI too."""
    words = [job.terrace, "measure", "--seconds", seconds, "-o", str(path)]
    if job.family == "standard":
        words += ["--mpi", str(Path(job.mpirun).parent.parent / "lib" / "libmpi_abi.so.1")]
    return words


def measured_network(job: Job) -> None:
    """Between pretended nodes, by the messages of the MPI; written once, and good to predict with.
    A third rank is quiet meanwhile, where those of the MPI share cores without spinning."""
    path = Path(job.folder.name) / "machine.json"
    ranks, nodes = (3, "2,1") if job.family == "openmpi" else (2, "2")
    output = job.run(ranks, measuring(job, path), through_exec=False, TERRACE_NODES=nodes)
    if "is one core for this process" in output.text:
        return
    expect(output.status == 0, "exit status %d" % output.status)
    expect(output.text.count("TERRACE_NODES pretends 2 nodes: what is measured as their network "
                             "is how ") == 1, "not said once that nodes are pretended")
    expect(output.text.count(str(path) + "\n") == 1, "not written once")
    model = json.loads(path.read_text())
    expect(model["nodes"]["value"] == 2, "not 2 nodes")
    network, = model["networks"]
    expect(network["level"] == "job", "not of any two nodes")
    for name in ("L", "o", "g", "G"):
        expect(re.match(SOURCE + r"median of \d+, 95 % interval [\d.e+-]+ to [\d.e+-]+$",
                        network[name]["source"]) is not None,
               "%s does not say how it was measured: %s" % (name, network[name]["source"]))
    expect(re.match(SOURCE + "the longest message", network["eager"]["source"]) is not None,
           "eager does not say how it was measured")
    value = {name: one["value"] for name, one in network.items() if name != "level"}
    takes = value["L"] + 2 * value["o"]
    expect(20 < takes < 1e9, "a message takes no such time")
    # Ranks that have to share a core take turns of milliseconds, which hide all else.
    if takes < 50_000:
        expect(0 < value["g"] < 1e6 and 0.005 < value["G"] < 1e3, "no such gap")
        expect(value["eager"] >= 8 and bin(int(value["eager"])).count("1") == 1, "no such length")
    predicted = subprocess.run(
        [job.terrace, "cost", "allreduce.leaders", "8", "--machine", str(path), "--ranks", "2",
         "--nodes", "2"], capture_output=True, text=True, check=False, timeout=SECONDS)
    print(predicted.stdout + predicted.stderr)
    expect(predicted.returncode == 0, "nothing can be predicted with what was measured")


def measured_on_one_node(job: Job) -> None:
    """Rank 0 alone measures the node, on the cores of its parent, and refuses for all."""
    path = Path(job.folder.name) / "machine.json"
    output = job.run(3, measuring(job, path), through_exec=False)
    if "is one core for this process" in output.text:
        return
    expect(output.status == 0, "exit status %d" % output.status)
    expect(output.text.count("All 3 ranks of this job are on one node: there is no network to "
                             "measure") == 1, "not said once that there is no network")
    expect(output.text.count(str(path) + "\n") == 1, "not written once")
    model = json.loads(path.read_text())
    expect(model["networks"] == [] and model["nodes"]["value"] == 1, "a network, on one node")
    expect("measured" in model["distances"][-1]["modified"]["source"], "the node is not measured")
    output = job.run(2, measuring(job, Path("/proc/none/machine.json")), through_exec=False)
    expect(output.status != 0 and output.text.count("terrace measure: cannot write") == 1,
           "a path that cannot be is not refused once")
    output = job.run(2, measuring(job, path), through_exec=False, TERRACE_NODES="none")
    expect(output.status != 0 and "TERRACE_NODES is 'none': expected" in output.text,
           "pretended nodes that cannot be are not refused")


def measured_until_interrupted(job: Job) -> None:
    """Ctrl-C ends the whole job soon, and leaves the file that is there as it is."""
    path = Path(job.folder.name) / "machine.json"
    path.write_text("{}")
    if len(os.sched_getaffinity(0)) < 2:
        return
    command = job.command([["2"] + measuring(job, path, "60")])
    with subprocess.Popen(command, env=job.environment({"TERRACE_NODES": "2"}), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as started:
        said = ""
        # A fast machine is measured within seconds, whatever time there is; first its network.
        while "pretends 2 nodes" not in said:
            line = started.stdout.readline()
            expect(line != "", "the network is not measured: %s" % said)
            said += line
        started.send_signal(signal.SIGINT)
        try:
            rest, _ = started.communicate(timeout=30)
        finally:
            started.kill()
    said += rest
    print("$ %s ^C\n%s[%d]" % (" ".join(command), said, started.returncode))
    expect("Ctrl-C" in said or started.returncode != 0, "interrupted, yet the job succeeded")
    expect(path.read_text() == "{}", "another file, though it was interrupted")
    expect([one.name for one in path.parent.glob("machine*")] == [path.name], "something is left")


# Of a line of costs: its time and seventeen numbers come before the distances.
BEFORE_DISTANCES = 18
APART = 60  # seconds between measurements


def slowed(line: str) -> str:
    """The line as if another program had run while copies were measured: they take ten times as
    long."""
    words = line.split()
    at = BEFORE_DISTANCES + 1
    for _ in range(int(words[BEFORE_DISTANCES])):
        at += 1 + int(words[at]) + 2  # its name, a signal, a modified line
        for copy in range(int(words[at])):
            times = at + 1 + 5 * copy + 3
            words[times:times + 2] = [str(10 * float(word)) for word in words[times:times + 2]]
        at += 1 + 5 * int(words[at])
    return " ".join(words)


def numbers_of(line: str) -> List[float]:
    """What was measured, without its time."""
    return [float(word) for word in line.split()[1:]]


def signal_of(line: str) -> float:
    """Between the nearest cores, in nanoseconds."""
    words = line.split()
    return float(words[BEFORE_DISTANCES + 2 + int(words[BEFORE_DISTANCES + 1])])


def earlier(line: str) -> str:
    """The line as if it had been measured before the last minute."""
    time, numbers = line.split(" ", 1)
    return "%d %s" % (int(time) - APART, numbers)


def measured_again(job: Job) -> None:
    """A measurement made beside another program is outvoted by those of later jobs, the doctor says
    that they disagree, and after three jobs no longer measure. Jobs find what was measured to be
    older than it is: they measure once a minute."""
    if len(os.sched_getaffinity(0)) < 2:
        raise Skipped("needs two cores")
    cache = Path(job.folder.name) / "cache"

    def kept_after(count: int) -> List[str]:
        """The kept lines after as many jobs as it takes: those that are disturbed keep nothing."""
        for _ in range(8):
            job.run(2, [job.program("collectives"), "5000"], XDG_CACHE_HOME=str(cache),
                    TERRACE_TRIALS="off").expect_right()
            for path in cache.glob("terrace/costs-*"):
                lines = path.read_text().splitlines()
                lines = lines[:2] + [earlier(line) for line in lines[2:]]
                path.write_text("\n".join(lines) + "\n")
                if len(lines) >= 2 + count:
                    return lines
        raise Skipped("other programs ran, or cores moved, beside each of 8 jobs")

    first = kept_after(1)
    path, = cache.glob("terrace/costs-*")
    path.write_text("\n".join(first[:2] + [slowed(first[2])]) + "\n")
    lines = kept_after(3)
    signals = [signal_of(line) for line in lines[2:]]
    if max(signals) > 1.2 * min(signals):
        raise Skipped("cores moved: signals of %s ns" % signals)
    expect(numbers_of(lines[-1]) == numbers_of(slowed(first[2])),
           "the first one is not kept beside the others")
    told = subprocess.run([job.terrace, "doctor", "--json"], capture_output=True, text=True,
                          env=job.environment({"XDG_CACHE_HOME": str(cache)}), timeout=SECONDS)
    finding, = (one for one in json.loads(told.stdout)["findings"]
                if one["subject"] == "measured costs")
    expect("they disagree" in finding["found"], "the doctor says: " + str(finding))
    # Signals of a job may differ so much from the kept ones that it measures once more, but not
    # those of three jobs in a row.
    kept = [[numbers_of(line) for line in one[2:]]
            for one in [lines] + [kept_after(3) for _ in range(3)]]
    expect(any(before == after for before, after in zip(kept, kept[1:])), "each job measures")


RANK = "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}"


def seen_bindings(ranks: int):
    """The command as the job's ranks, bound by a wrapper, shows those bindings; so it does of
    programs that run, asked by a process of the job. What is told is the measure."""
    def test(job: Job) -> None:
        pus = sorted(os.sched_getaffinity(0))
        bound = [str((pus[0], pus[-1])[rank in (1, 2)]) for rank in range(ranks)]
        told = json.loads(subprocess.run(
            [job.terrace, "hierarchy", "--ranks", str(ranks), "--bind", ",".join(bound), "--json"],
            capture_output=True, text=True, check=True, timeout=SECONDS).stdout)
        groups = [[rank for rank in range(ranks) if bound[rank] == pu] for pu in bound[:2]]
        expect(len(pus) == 1 or any(level["groups"] in (groups, groups[::-1]) for level in told),
               "what is told does not divide the ranks")
        bind = "set %s; shift %s; taskset -c $1 " % (" ".join(bound), RANK)
        # The last is late, so that the others must wait for it.
        late = "[ %s != %d ] || sleep 0.3; " % (RANK, ranks - 1)
        output = job.run(ranks, ["sh", "-c", late + bind + job.terrace + " hierarchy --json"],
                         through_exec=False)
        expect(output.status == 0, "exit status %d" % output.status)
        shown = [line for line in output.text.splitlines() if line.startswith("[{")]
        expect(len(shown) == 1, "not printed once")
        expect(json.loads(shown[0]) == told, "not as the ranks are bound")
        # Each program says when it is bound; rank 0 asks about its own job when all have.
        with tempfile.TemporaryDirectory() as folder:
            here = "touch %s/%s; while [ $(ls %s | wc -l) -lt %d ]; do sleep 0.05; done; " % (
                folder, RANK, folder, ranks)
            ask = ("[ %s != 0 ] || { env -u PMI_RANK -u PMIX_RANK %s hierarchy --json --job $$; "
                   "touch %s/done; }; while ! [ -e %s/done ]; do sleep 0.05; done" % (
                       RANK, job.terrace, folder, folder))
            script = Path(folder).with_suffix(".sh")
            script.write_text(here + ask)
            try:
                output = job.run(ranks, ["sh", "-c", bind + "sh " + str(script)],
                                 through_exec=False)
            finally:
                script.unlink()
        expect(output.status == 0, "exit status %d" % output.status)
        shown = [line for line in output.text.splitlines() if line.startswith("[{")]
        expect(len(shown) == 1 and json.loads(shown[0]) == told, "not as the programs are bound")
    return test


ROWS = {
    "the_network_is_measured": row(measured_network, alone=True, of_adapters=True),
    "one_node_is_measured_by_one_rank": row(measured_on_one_node, alone=True),
    "measuring_is_interrupted": measured_until_interrupted,
    "costs_measured_beside_others_are_measured_again": row(measured_again, alone=True),
    "bindings_of_2_ranks_are_seen": seen_bindings(2),
    "bindings_of_4_ranks_are_seen": seen_bindings(4),
}
