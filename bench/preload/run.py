#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast are MPI's collectives with Terrace preloaded, beside the MPI below and the other MPIs?

In one process MPI_X is ours and PMPI_X the MPI below, so their batches take turns and ratios are
paired. Each MPI runs in its default configuration and in those that are its best at some point, and
each of them with bounced reach and with a shared heap: a launch for each, in rotation.

--summary prints what a kept answer says, without measuring."""

import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402
import peers  # noqa: E402

SIZES = "8,64,512,4096,32768,262144,1048576,4194304,16777216"
CROWDED_SIZES = "8,64,512,4096,32768,262144,1048576,4194304"
COLLECTIVES = ("barrier", "bcast", "reduce", "allreduce", "scatter", "gather", "allgather",
               "alltoall", "reduce_scatter_block", "scan", "exscan")
ALONE = ",".join(COLLECTIVES[:9])
CROWDED = "barrier,allreduce,allgather,alltoall"
RG1M = {"MPIR_CVAR_BCAST_INTRANODE_BUFFER_TOTAL_SIZE": "1048576",
        "MPIR_CVAR_REDUCE_INTRANODE_BUFFER_TOTAL_SIZE": "1048576"}
NO_RELEASE_GATHER = {"MPIR_CVAR_%s_POSIX_INTRA_ALGORITHM" % name: "mpir"
                     for name in ("BCAST", "REDUCE", "ALLREDUCE", "BARRIER")}
INTEL_TUNED = {"I_MPI_SHM_CMA": "0",
               "I_MPI_TUNING_BIN": str(peers.INTEL / "opt" / "mpi" / "etc" / "tuning_spr_shm.dat")}
NO_CMA = ["--mca", "smsc", "^cma"]
VERDICTS = ("faster", "not slower", "met at floor", "slower", "unknown")


class Peer:
    """One configuration of one MPI. Some are for ranks with a core each, some for many ranks."""

    def __init__(self, name, mpi, words=(), variables=None, where=("alone", "crowded")):
        self.name, self.mpi, self.words, self.where = name, mpi, list(words), where
        self.variables = dict(variables or {})

    def is_default(self):
        return not self.words and not self.variables

    def command(self, ranks, crowded, program):
        return peers.starter(self.mpi, ranks, crowded) + self.words + peers.with_terrace(program)


class Launch:
    """A peer, and how Terrace beside it reaches what other ranks have."""

    def __init__(self, peer, reach):
        self.peer, self.reach, self.name = peer, reach, peer.name + ", " + reach

    def environment(self):
        heap = {"TERRACE_SHARED_HEAP": "1"} if self.reach == "shared heap" else {}
        return peers.environment(self.peer.mpi, dict(self.peer.variables, **heap))


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


def run(launch, ranks, crowded, program, arguments, patience):
    words = launch.peer.command(ranks, crowded, program) + arguments + ["--beside", "below"]
    text = peers.output_of(words, launch.environment(), patience,
                           "%s, %d ranks" % (launch.name, ranks))
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
            kind.setdefault(point + (regime,), {})[(turn, sample["round"])] = sample["us"]

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


def in_order(point):
    return (COLLECTIVES.index(point[0]), point[1])


def floor_of(samples, launch, point, regime):
    """The fastest hand-written form that moves what this reach has to move."""
    forms = ["lines", "copied"] + (["direct"] if launch.reach == "shared heap" else [])
    found = [samples.median(launch.name, *point, form, regime) for form in forms]
    return min((us for us in found if us), default=None)


def row_of(samples, launch, point, regime, ranks):
    ours = samples.of(launch.name, *point, "mpi", regime)
    below = samples.of(launch.name, *point, "below", regime)
    us = answers.median_of(list(ours.values()))
    if not us:
        return None
    ratio = answers.median_of([below[key] / ours[key] for key in ours if key in below])
    key = (launch.name,) + point + ("mpi",)
    floor_us = floor_of(samples, launch, point, regime)
    return {"collective": point[0], "bytes": point[1], "ranks": ranks, "mode": "preload",
            "regime": regime, "reach": launch.reach, "us_median": us["value"], "us_low": us["low"],
            "us_high": us["high"], "floor_us": floor_us, "peer": launch.peer.name,
            "peer_us_median": samples.median(launch.name, *point, "below", regime),
            "ratio": ratio and ratio["value"], "ratio_low": ratio and ratio["low"],
            "ratio_high": ratio and ratio["high"],
            "verdict": answers.verdict(ratio, us["value"], floor_us),
            "samples": us["count"], "dropped": samples.dropped.get(key, 0),
            "wrong": samples.wrong.get(key, 0)}


def rows_of(samples, launches, ranks):
    rows = [row_of(samples, launch, point, regime, ranks) for point in samples.points()
            for regime in ("near", "far", "single") for launch in launches]
    return [row for row in rows if row]


def shown(row):
    return {"collective": row["collective"], "bytes": answers.size(row["bytes"]),
            "ranks": row["ranks"], "regime": row["regime"], "reach": row["reach"],
            "us": answers.number(row["us_median"]), "floor us": answers.number(row["floor_us"]),
            "peer": row["peer"], "peer us": answers.number(row["peer_us_median"]),
            "ratio": answers.number(row["ratio"]), "low": answers.number(row["ratio_low"]),
            "verdict": row["verdict"], "n": row["samples"], "dropped": row["dropped"],
            "": "WRONG RESULT" if row["wrong"] else ""}


def mpi_of(row):
    return row["peer"].split(",")[0]


def hardest(rows):
    """Of each MPI and point, the row beside the configuration that does best against ours."""
    found = {}
    for row in rows:
        key = (mpi_of(row), row["collective"], row["bytes"], row["regime"])
        if row["ratio"] and (key not in found or row["ratio"] < found[key]["ratio"]):
            found[key] = row
    return list(found.values())


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else None


def summary_row(rows, name):
    """Verdicts beside the best configuration of each point; means over the defaults."""
    verdicts = [row["verdict"] for row in hardest(rows)]
    cells = {"": name}
    cells.update({word: verdicts.count(word) for word in VERDICTS})
    for mpi in sorted({mpi_of(row) for row in rows}):
        ratios = [row["ratio"] for row in rows if row["peer"] == mpi and row["ratio"]]
        cells["over " + mpi] = answers.number(geometric_mean(ratios))
    return cells


def points_not_faster(rows):
    """Where ours is slower in the median than some configuration, worst first."""
    late = sorted((row for row in hardest(rows) if row["ratio"] < 1), key=lambda row: row["ratio"])
    return ["  %s %s: %s of %s (%s; %s us, floor %s)" % (
        row["collective"], answers.size(row["bytes"]), answers.number(row["ratio"], 2),
        row["peer"], row["verdict"], answers.number(row["us_median"]),
        answers.number(row["floor_us"])) for row in late]


def summary(rows):
    """Per number of ranks, reach and collective: verdicts, and means over each MPI's default."""
    lines = []
    for ranks, reach in sorted({(row["ranks"], row["reach"]) for row in rows}):
        some = [row for row in rows if (row["ranks"], row["reach"]) == (ranks, reach)]
        by_name = {name: [row for row in some if row["collective"] == name]
                   for name in COLLECTIVES}
        cells = [summary_row(those, name) for name, those in by_name.items() if those]
        cells.append(summary_row(some, "all"))
        lines += ["", "%d ranks, %s; points beside the best configuration of each MPI, and "
                  "geometric means of ratios over its default" % (ranks, reach),
                  answers.table(cells, list(cells[-1]))]
        late = [line for those in by_name.values() for line in points_not_faster(those)]
        lines += ["slower in the median:"] + late if late else []
    return "\n".join(lines)


def print_summary(path):
    kept = sorted((answers.BENCH / "preload" / "results").glob("*.json"), key=date_of)
    path = Path(path) if path else kept[-1]
    answer = json.loads(path.read_text())
    if not all("reach" in row for row in answer["points"]):
        print("%s was kept before reach and peers had columns of their own: measure again" % path,
              file=sys.stderr)
        return 1
    print("%s: %s, commit %s" % (path.name, answer["date"], answer["commit"]))
    print(summary(answer["points"]))
    return 0


def date_of(path):
    return json.loads(path.read_text())["date"]


def launches_of(crowded, chosen, programs):
    where = "crowded" if crowded else "alone"
    used = [peer for peer in PEERS_MEASURED if programs.get(peer.mpi) and where in peer.where
            and (peer.is_default() or not (chosen.quick or chosen.defaults))]
    reaches = chosen.reach.split(",") if chosen.reach else (
        ["bounced"] if crowded else ["bounced", "shared heap"])
    return [Launch(peer, reach) for reach in reaches for peer in used]


def measure(ranks, chosen, programs):
    crowded = ranks > answers.machine()["cpus"]
    sizes = chosen.bytes or (CROWDED_SIZES if crowded else SIZES)
    collectives = chosen.collectives or (CROWDED if crowded else ALONE)
    arguments = ["--bytes", sizes, "--collectives", collectives, "--rounds", str(chosen.rounds),
                 "--seconds", str(chosen.seconds), "--batch-us", "3000" if crowded else "300"]
    launches = launches_of(crowded, chosen, programs)
    taken = []
    for turn in range(chosen.turns):
        for i in range(len(launches)):
            launch = launches[(i + turn) % len(launches)]
            taken.append((launch, turn, run(launch, ranks, crowded, programs[launch.peer.mpi],
                                            arguments, chosen.patience)))
    return rows_of(Samples(taken), launches, ranks)


def options():
    parser = answers.question_options("preload", __doc__, "each MPI as it comes, once",
                                      patience=120)
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--bytes", help="sizes (%s; %s when crowded)" % (SIZES, CROWDED_SIZES))
    parser.add_argument("--collectives", help="some of %s" % ", ".join(COLLECTIVES))
    parser.add_argument("--reach", help="bounced, 'shared heap', or both with a comma between")
    parser.add_argument("--defaults", action="store_true", help="each MPI only as it comes")
    parser.add_argument("--turns", type=int, default=4, help="launches of each configuration (4)")
    parser.add_argument("--rounds", type=int, default=12, help="batches per launch and point (12)")
    parser.add_argument("--seconds", type=float, default=0.5, help="per launch and point (0.5)")
    parser.add_argument("--json", action="store_true", help="one object per line, nothing kept")
    parser.add_argument("--summary", nargs="?", const="", metavar="FILE",
                        help="print what a kept answer says (the newest), measure nothing")
    chosen = parser.parse_args()
    for name in (chosen.collectives or "").split(","):
        if name and name not in COLLECTIVES:
            parser.error("--collectives: '%s' given, expected some of %s"
                         % (name, ", ".join(COLLECTIVES)))
    if chosen.quick:
        chosen.turns = 1
    return chosen


def main():
    chosen = options()
    if chosen.summary is not None:
        return print_summary(chosen.summary)
    source = Path(__file__).resolve().parent / "collectives.c"
    programs = {mpi: peers.compiled(mpi, source) for mpi in peers.NAMES}
    if not any(programs.values()):
        print("no MPI found in .peers; ./dev setup installs them", file=sys.stderr)
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
