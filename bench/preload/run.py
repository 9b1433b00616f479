#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast are MPI's collectives with Terrace preloaded, beside the MPI below and the other MPIs?

In one process MPI_X is ours and PMPI_X the MPI below, so their batches take turns and ratios are
paired. Other MPIs, each in its default and its best configuration, are separate launches in
rotation; their ratios compare medians of the same regime, with the interval at its worst end."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402

PEERS = answers.ROOT / ".peers"
SIZES = "8,64,512,4096,32768,262144,1048576,4194304,16777216"
CROWDED_SIZES = "8,64,512,4096,32768"
ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
RG1M = {"MPIR_CVAR_BCAST_INTRANODE_BUFFER_TOTAL_SIZE": "1048576",
        "MPIR_CVAR_REDUCE_INTRANODE_BUFFER_TOTAL_SIZE": "1048576"}
SHARED_HEAP = {"TERRACE_SHARED_HEAP": "1"}
NO_CMA = ["--mca", "smsc", "^cma"]


class Launch:
    """One configuration of one MPI; with `terrace` our preload is in it."""

    def __init__(self, name, mpi, words=(), variables=None, terrace=False):
        self.name, self.mpi, self.words, self.terrace = name, mpi, list(words), terrace
        self.variables = dict(variables or {})

    def command(self, ranks, crowded, program):
        words = [str(PEERS / self.mpi / "bin" / "mpirun"), "-np", str(ranks)]
        if self.mpi == "openmpi":
            words += (["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
                      if crowded else ["--bind-to", "core"])
        elif self.mpi == "mpich" and not crowded:
            words += ["-bind-to", "core"]
        words += self.words
        if self.terrace:
            words += [str(answers.program("terrace")), "exec"]
        return words + [str(program)]


LAUNCHES = [
    Launch("terrace on Open MPI", "openmpi", terrace=True),
    Launch("terrace on MPICH", "mpich", terrace=True),
    Launch("terrace on Open MPI, shared heap", "openmpi", variables=SHARED_HEAP, terrace=True),
    Launch("terrace on MPICH, shared heap", "mpich", variables=SHARED_HEAP, terrace=True),
    Launch("Open MPI 5", "openmpi"),
    Launch("Open MPI 5, no CMA", "openmpi", NO_CMA),
    Launch("Open MPI 5, coll/sm, no CMA", "openmpi", NO_CMA + ["--mca", "coll_sm_priority", "100"]),
    Launch("MPICH 5", "mpich"),
    Launch("MPICH 5, 1 MiB buffers", "mpich", variables=RG1M),
]


def compiled(mpi):
    """The program for one MPI's ABI; None where that MPI is not installed."""
    compiler = PEERS / mpi / "bin" / "mpicc"
    if not compiler.exists():
        print("%s is not in .peers (./dev setup installs it): left out" % mpi, file=sys.stderr)
        return None
    folder = answers.program().parent / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / ("collectives-" + mpi)
    source = Path(__file__).resolve().parent / "collectives.c"
    subprocess.run([str(compiler), "-O3", "-march=native", "-Wall", str(source), "-o",
                    str(program)], check=True)
    return program


def run(launch, ranks, crowded, program, arguments, patience):
    """Samples of one launch; a peer that takes too long has said something, too."""
    words = launch.command(ranks, crowded, program) + arguments
    if launch.terrace:
        words += ["--beside", "below"]
    environment = dict(os.environ, **ROOT_MAY, **launch.variables)
    try:
        answer = subprocess.run(words, env=environment, capture_output=True, text=True,
                                timeout=patience, check=False)
        text = answer.stdout
        if answer.returncode != 0:
            print("%s: status %d: %s" % (launch.name, answer.returncode, answer.stderr[-400:]),
                  file=sys.stderr)
    except subprocess.TimeoutExpired as late:
        print("%s, %d ranks: stopped after %d s" % (launch.name, ranks, patience), file=sys.stderr)
        text = (late.stdout or b"").decode()
    return [sample_of(line) for line in text.splitlines()
            if line.startswith("S,") and line.count(",") == 9]


def sample_of(line):
    words = line.split(",")
    return {"collective": words[1], "bytes": int(words[2]), "who": words[3], "round": int(words[4]),
            "us": float(words[5]), "before": float(words[6]), "after": float(words[7]),
            "disturbed": words[8] != "0", "right": words[9] == "1"}


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
    """Clean samples by launch, point, regime and who."""

    def __init__(self, taken):
        self.threshold = threshold_of([s for _, _, samples in taken for s in samples])
        self.found, self.wrong, self.dropped = {}, {}, {}
        for launch, turn, samples in taken:
            for sample in samples:
                self.enter(launch, turn, sample)

    def enter(self, launch, turn, sample):
        regime = regime_of(sample, self.threshold)
        point = (launch.name, sample["collective"], sample["bytes"], sample["who"])
        self.wrong[point] = self.wrong.get(point, 0) + (not sample["right"])
        if sample["disturbed"] or not regime:
            self.dropped[point] = self.dropped.get(point, 0) + 1
            return
        key = point + (regime,)
        self.found.setdefault(key, {})[(turn, sample["round"])] = sample["us"]

    def of(self, name, collective, count, who, regime):
        return self.found.get((name, collective, count, who, regime), {})

    def points(self):
        order = ("barrier", "bcast", "reduce", "allreduce")
        return sorted({key[1:3] for key in self.found}, key=lambda p: (order.index(p[0]), p[1]))


def base_row(samples, launch, point, regime, ranks):
    ours = samples.of(launch.name, *point, "mpi", regime)
    us = answers.median_of(list(ours.values()))
    if not us:
        return None
    floor = answers.median_of(list(samples.of(launch.name, *point, "floor", regime).values()))
    return {"collective": point[0], "bytes": point[1], "ranks": ranks, "mode": "preload",
            "regime": regime, "plan": launch.name, "us_median": us["value"], "us_low": us["low"],
            "us_high": us["high"], "floor_us": floor and floor["value"],
            "samples": us["count"], "dropped": samples.dropped.get(
                (launch.name,) + point + ("mpi",), 0),
            "wrong": samples.wrong.get((launch.name,) + point + ("mpi",), 0)}


def with_peer(row, peer, peer_us, ratio):
    row = dict(row, peer=peer, peer_us_median=peer_us, ratio=ratio and ratio["value"],
               ratio_low=ratio and ratio["low"])
    row["verdict"] = answers.verdict(ratio, row["us_median"], row["floor_us"])
    return row


def below_row(samples, launch, point, regime, row):
    ours = samples.of(launch.name, *point, "mpi", regime)
    below = samples.of(launch.name, *point, "below", regime)
    ratio = answers.median_of([below[key] / ours[key] for key in ours if key in below])
    us = answers.median_of(list(below.values()))
    return with_peer(row, "the MPI below", us and us["value"], ratio)


def peer_row(samples, peer, point, regime, row):
    us = answers.median_of(list(samples.of(peer.name, *point, "mpi", regime).values()))
    ratio = us and {"value": us["value"] / row["us_median"], "low": us["low"] / row["us_high"],
                    "count": min(us["count"], row["samples"])}
    return with_peer(row, peer.name, us and us["value"], ratio)


def is_peer(peer, launch):
    """Another configuration of the same MPI; of ours, the shared heap's peer is bouncing."""
    is_bounced = peer.terrace and launch.variables == SHARED_HEAP != peer.variables
    return peer.mpi == launch.mpi and (is_bounced or not peer.terrace)


def rows_of(samples, ranks):
    rows = []
    for point in samples.points():
        for regime in ("near", "far", "single"):
            for launch in (one for one in LAUNCHES if one.terrace):
                row = base_row(samples, launch, point, regime, ranks)
                if not row:
                    continue
                rows.append(below_row(samples, launch, point, regime, row))
                rows += [peer_row(samples, peer, point, regime, row) for peer in LAUNCHES
                         if is_peer(peer, launch)]
    return rows


def shown(row):
    return {"collective": row["collective"], "bytes": answers.size(row["bytes"]),
            "ranks": row["ranks"], "regime": row["regime"], "ours": row["plan"],
            "us": answers.number(row["us_median"]), "floor us": answers.number(row["floor_us"]),
            "peer": row["peer"], "peer us": answers.number(row["peer_us_median"]),
            "ratio": answers.number(row["ratio"]), "low": answers.number(row["ratio_low"]),
            "verdict": row["verdict"], "n": row["samples"], "dropped": row["dropped"],
            "": "WRONG RESULT" if row["wrong"] else ""}


def summary(rows):
    """How many points of each verdict, by peer."""
    counts = {}
    for row in rows:
        counts.setdefault((row["ranks"], row["plan"], row["peer"]), []).append(row["verdict"])
    lines = []
    for (ranks, ours, peer), verdicts in counts.items():
        words = ", ".join("%d %s" % (verdicts.count(word), word) for word in
                          ("faster", "not slower", "met at floor", "slower", "unknown")
                          if word in verdicts)
        lines.append("%d ranks, %s against %s: %s" % (ranks, ours, peer, words))
    return "\n".join(lines)


def measure(ranks, chosen, programs):
    crowded = ranks > answers.machine()["cpus"]
    sizes = chosen.bytes or (CROWDED_SIZES if crowded else SIZES)
    collectives = chosen.collectives or ("barrier,allreduce" if crowded
                                         else "barrier,bcast,reduce,allreduce")
    arguments = ["--bytes", sizes, "--collectives", collectives, "--rounds", str(chosen.rounds),
                 "--seconds", str(chosen.seconds), "--batch-us", "3000" if crowded else "300"]
    launches = [launch for launch in LAUNCHES if programs.get(launch.mpi)
                and (launch.terrace or not chosen.quick)]
    taken = []
    for turn in range(chosen.turns):
        for i in range(len(launches)):
            launch = launches[(i + turn) % len(launches)]
            taken.append((launch, turn, run(launch, ranks, crowded, programs[launch.mpi],
                                            arguments, chosen.patience)))
    return rows_of(Samples(taken), ranks)


def options():
    parser = argparse.ArgumentParser(prog="./dev bench preload",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--bytes", help="sizes (%s; %s when crowded)" % (SIZES, CROWDED_SIZES))
    parser.add_argument("--collectives")
    parser.add_argument("--turns", type=int, default=4, help="launches of each configuration (4)")
    parser.add_argument("--rounds", type=int, default=12, help="batches per launch and point (12)")
    parser.add_argument("--seconds", type=float, default=0.5, help="per launch and point (0.5)")
    parser.add_argument("--patience", type=int, default=120, help="seconds for one launch (120)")
    parser.add_argument("--quick", action="store_true", help="only ours and the MPI below, once")
    parser.add_argument("--json", action="store_true", help="one object per line, nothing kept")
    parser.add_argument("--results", help="where to keep the answer")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.turns = 1
    return chosen


def main():
    chosen = options()
    programs = {mpi: compiled(mpi) for mpi in ("openmpi", "mpich")}
    if not any(programs.values()):
        print("no MPI found in .peers; ./dev setup installs Open MPI and MPICH", file=sys.stderr)
        return 1
    rows = [row for ranks in chosen.ranks.split(",")
            for row in measure(int(ranks), chosen, programs)]
    if chosen.json:
        print("\n".join(json.dumps(row) for row in rows))
        return 0
    if rows:
        print(answers.table([shown(row) for row in rows], list(shown(rows[0]))))
        print(summary(rows))
    if not chosen.quick:
        answers.keep("preload", __doc__.splitlines()[0], rows, chosen.results)
    return 1 if not rows or any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
