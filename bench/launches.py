# SPDX-License-Identifier: BSD-3-Clause
"""Shared by questions that launch jobs: the order of launches, the MPIs' configurations, and, for
preload/collectives.c, the batches that launches print and which of them can be compared."""

import math
import os
import subprocess
import sys

import answers
import peers

COLLECTIVES = ("barrier", "bcast", "reduce", "allreduce", "scatter", "gather", "allgather",
               "alltoall", "reduce_scatter_block", "scan", "exscan", "ping_pong", "stream")
# What is timed of a batch: whole iterations of its loop, and the calls alone.
TIMES = ("iteration", "call")
VERDICTS = ("faster", "not slower", "met at floor", "slower", "unknown")
RG1M = {"MPIR_CVAR_BCAST_INTRANODE_BUFFER_TOTAL_SIZE": "1048576",
        "MPIR_CVAR_REDUCE_INTRANODE_BUFFER_TOTAL_SIZE": "1048576"}
NO_RELEASE_GATHER = {"MPIR_CVAR_%s_POSIX_INTRA_ALGORITHM" % name: "mpir"
                     for name in ("BCAST", "REDUCE", "ALLREDUCE", "BARRIER")}
INTEL_TUNED = {"I_MPI_SHM_CMA": "0",
               "I_MPI_TUNING_BIN": str(peers.INTEL / "opt" / "mpi" / "etc" / "tuning_spr_shm.dat")}
NO_CMA = ["--mca", "smsc", "^cma"]


class Peer:
    """One configuration of one MPI. Some are for ranks with a core each, some for many ranks."""

    def __init__(self, name, mpi, words=(), variables=None, where=("alone", "crowded")):
        self.name, self.mpi, self.words, self.where = name, mpi, list(words), where
        self.variables = dict(variables or {})

    def is_default(self):
        return not self.words and not self.variables

    def command(self, ranks, crowded, program):
        """`program`: words."""
        return peers.starter(self.mpi, ranks, crowded) + self.words + program


PEERS_MEASURED = [
    Peer("Open MPI 5", "openmpi"),
    Peer("MPICH 5", "mpich"),
    Peer("Intel MPI 2021", "impi"),
    Peer("Open MPI 5, no CMA", "openmpi", NO_CMA),
    Peer("Open MPI 5, coll/sm, no CMA", "openmpi", NO_CMA + ["--mca", "coll_sm_priority", "100"],
         where=("alone",)),
    Peer("MPICH 5, 1 MiB buffers", "mpich", variables=RG1M, where=("alone",)),
    Peer("MPICH 5, no release_gather", "mpich", variables=NO_RELEASE_GATHER, where=("crowded",)),
    Peer("Intel MPI 2021, tuned, no CMA", "impi", variables=INTEL_TUNED, where=("alone",)),
    Peer("Intel MPI 2021, yields", "impi", variables={"I_MPI_THREAD_YIELD": "2"},
         where=("crowded",)),
]


class Launches:
    """The words of a launch, and its variables, of thread ranks and of each MPI's ranks that run
    one program; `takes(peer)` says which configurations take part."""

    def __init__(self, source, mpis, takes):
        self.own = peers.compiled_for_threads(source)
        self.of_mpi = {mpi: peers.compiled(mpi, source) for mpi in mpis.split(",") if mpi}
        self.peers = [peer for peer in PEERS_MEASURED
                      if self.of_mpi.get(peer.mpi) and takes(peer)]

    def of_threads(self, ranks, words, options=()):
        command = [str(answers.program("terrace")), "run", "-n", str(ranks), *options]
        return command + [str(self.own)] + words, dict(os.environ)

    def of_peer(self, name, ranks, crowded, words, is_preloaded=False):
        peer = next(peer for peer in self.peers if peer.name == name)
        own = self.of_mpi[peer.mpi]
        program = (peers.with_terrace(own) if is_preloaded else [str(own)]) + words
        return (peer.command(ranks, crowded, program),
                peers.environment(peer.mpi, peer.variables))


class BusyLoops:
    """Other programs on the machine."""

    def __init__(self, count):
        self.count, self.running = count, []

    def __enter__(self):
        loop = [sys.executable, "-c", "print(flush=True)\nwhile True: pass"]
        self.running = [subprocess.Popen(loop, stdout=subprocess.PIPE) for _ in range(self.count)]
        for loop in self.running:
            loop.stdout.readline()  # it has begun

    def __exit__(self, *_):
        for loop in self.running:
            loop.kill()
            loop.wait()
            loop.stdout.close()


def in_rotation(contenders, turns):
    """(turn, contender) of each launch; every turn begins with another contender."""
    for turn in range(turns):
        for i in range(len(contenders)):
            yield turn, contenders[(i + turn) % len(contenders)]


def samples_of(words, variables, patience, name):
    """What one launch has measured."""
    text = peers.output_of(words, variables, patience, name)
    return [sample_of(line) for line in text.splitlines()
            if line.startswith("S,") and line.count(",") == 10]


def sample_of(line):
    words = line.split(",")
    return {"collective": words[1], "bytes": int(words[2]), "who": words[3], "round": int(words[4]),
            "call": float(words[5]), "iteration": float(words[6]), "before": float(words[7]),
            "after": float(words[8]), "disturbed": words[9] != "0", "right": words[10] == "1"}


def threshold_of(samples):
    """Between near and far if the probes fall into two heaps, else 0."""
    probes = sorted(p for s in samples for p in (s["before"], s["after"]) if p > 0)
    if len(probes) < 20:
        return 0
    cut = len(probes) // 20
    inner = probes[cut:len(probes) - cut]
    gap, at = max((b / a, i) for i, (a, b) in enumerate(zip(inner, inner[1:])))
    if gap < 1.4 or inner[-1] < 2 * inner[0]:
        return 0
    return (inner[at] * inner[at + 1]) ** 0.5


def regime_of(sample, threshold):
    if threshold == 0:
        return "single"
    far = [sample["before"] > threshold, sample["after"] > threshold]
    return "" if far[0] != far[1] else "far" if far[0] else "near"


class Samples:
    """Clean samples of one of TIMES, by launch, point, regime and who."""

    def __init__(self, taken, time):
        self.time = time
        self.threshold = threshold_of([s for _, _, samples in taken for s in samples])
        self.found, self.disturbed, self.wrong, self.dropped = {}, {}, {}, {}
        for launch, turn, samples in taken:
            for sample in samples:
                self.enter(launch, turn, sample)
        self.keep_those_that_yield()

    def enter(self, launch, turn, sample):
        regime = regime_of(sample, self.threshold)
        point = (launch.name, sample["collective"], sample["bytes"], sample["who"])
        self.wrong[point] = self.wrong.get(point, 0) + (not sample["right"])
        if sample["disturbed"] or not regime:
            self.dropped[point] = self.dropped.get(point, 0) + 1
        if regime:
            kind = self.disturbed if sample["disturbed"] else self.found
            kind.setdefault(point + (regime,), {})[(turn, sample["round"])] = sample[self.time]

    def keep_those_that_yield(self):
        """An MPI that yields while it waits loses its PU as a matter of course."""
        for key, us in self.disturbed.items():
            if key[3] == "below" and len(us) > 4 * len(self.found.get(key, {})):
                self.found.setdefault(key, {}).update(us)

    def of(self, name, collective, count, who, regime):
        return self.found.get((name, collective, count, who, regime), {})

    def median(self, name, collective, count, who, regime):
        found = answers.median_of(list(self.of(name, collective, count, who, regime).values()))
        return found and found["value"]

    def points(self):
        return sorted({key[1:3] for key in self.found}, key=in_order)


def beside(samples, own, peer, regime, floor_us):
    """What Terrace took in that regime, and how many times as long its peer; `own` and `peer` are a
    launch's name, a point and who. None if Terrace was not measured."""
    found, others = samples.of(*own, regime), samples.of(*peer, regime)
    us = answers.median_of(list(found.values()))
    if not us:
        return None
    ratio = answers.median_of([others[key] / found[key] for key in found if key in others])
    return {"time": samples.time, "us_median": us["value"], "us_low": us["low"],
            "us_high": us["high"], "floor_us": floor_us,
            "peer_us_median": samples.median(*peer, regime),
            "ratio": ratio and ratio["value"], "ratio_low": ratio and ratio["low"],
            "ratio_high": ratio and ratio["high"],
            "verdict": answers.verdict(ratio, us["value"], floor_us),
            "samples": us["count"], "dropped": samples.dropped.get(own, 0),
            "wrong": samples.wrong.get(own, 0)}


def in_order(point):
    return (COLLECTIVES.index(point[0]), point[1])


def mpi_of(row):
    return row["peer"].split(",")[0]


def hardest(rows):
    """Of each MPI and point, the row against the fastest configuration."""
    found = {}
    for row in rows:
        key = (mpi_of(row), row["collective"], row["bytes"], row["regime"])
        if row["ratio"] and (key not in found or row["ratio"] < found[key]["ratio"]):
            found[key] = row
    return list(found.values())


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else None


def summary_row(rows, name):
    """Verdicts against the best configuration of each point; means over the defaults."""
    verdicts = [row["verdict"] for row in hardest(rows)]
    cells = {"": name}
    cells.update({word: verdicts.count(word) for word in VERDICTS})
    for mpi in sorted({mpi_of(row) for row in rows}):
        ratios = [row["ratio"] for row in rows if row["peer"] == mpi and row["ratio"]]
        cells["over " + mpi] = answers.number(geometric_mean(ratios))
    return cells


def time_of(row):
    """Which of TIMES a row has; rows without it are of the call alone."""
    return row.get("time", "call")


def by_time(part):
    """Sorts parts of a summary, whose last field is one of TIMES, in that order."""
    return part[:-1] + (TIMES.index(part[-1]),)


def beside_best(rows, own, name):
    """Terrace beside the fastest configuration of all MPIs at each point; `own` are rows that say
    how long Terrace took there. None where nothing can be compared."""

    def point_of(row):
        return row["collective"], row["bytes"], row["regime"]
    best = {}
    for row in rows:
        if row["peer_us_median"]:
            best[point_of(row)] = min(row["peer_us_median"], best.get(point_of(row), math.inf))
    ratios = {point_of(row): best[point_of(row)] / row["us_median"] for row in own
              if point_of(row) in best}
    if not ratios:
        return None
    lowest = min(ratios, key=ratios.get)
    within = sum(ratio >= 1 / 1.05 for ratio in ratios.values())
    mean = geometric_mean(ratios.values())
    return {"": name, "points": len(ratios), "mean": answers.number(mean),
            "faster or within 1.05": "%.0f %%" % (100 * within / len(ratios)),
            "lowest": "%s %s %s" % (lowest[0], answers.size(lowest[1]),
                                    answers.number(ratios[lowest], 2))}


def points_not_faster(rows):
    """Points at which Terrace is slower in the median than some configuration, worst first."""
    late = sorted((row for row in hardest(rows) if row["ratio"] < 1), key=lambda row: row["ratio"])
    return ["  %s %s: %s of %s (%s; %s us, floor %s)" % (
        row["collective"], answers.size(row["bytes"]), answers.number(row["ratio"], 2),
        row["peer"], row["verdict"], answers.number(row["us_median"]),
        answers.number(row["floor_us"])) for row in late]
