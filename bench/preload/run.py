#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast are MPI's collectives with Terrace preloaded, against the MPI below and the other MPIs?

In one process MPI_X is Terrace's and PMPI_X the MPI's, so their batches take turns and ratios are
paired. Each MPI runs in its default configuration and in those that are its best at some point, and
each of them with bounced reach and with a shared heap: a launch for each, in rotation. What is
timed is the whole iteration of a loop, which writes what it sends and reads what it gets, and the
call alone.

--summary prints what a kept answer says, without measuring."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402
import launches as launched  # noqa: E402
import peers  # noqa: E402
from launches import COLLECTIVES, PEERS_MEASURED, Samples  # noqa: E402

SIZES = "8,64,512,4096,32768,262144,1048576,4194304,16777216"
CROWDED_SIZES = "8,64,512,4096,32768,262144,1048576,4194304"
ALONE = ",".join(COLLECTIVES[:9])
CROWDED = "barrier,allreduce,allgather,alltoall"


class Launch:
    """A peer, and how Terrace over it reaches what other ranks have."""

    def __init__(self, peer, reach):
        self.peer, self.reach, self.name = peer, reach, peer.name + ", " + reach

    def environment(self):
        heap = {"TERRACE_SHARED_HEAP": "1"} if self.reach == "shared heap" else {}
        return peers.environment(self.peer.mpi, dict(self.peer.variables, **heap))


def run(launch, ranks, crowded, program, arguments, patience):
    words = launch.peer.command(ranks, crowded, peers.with_terrace(program)) + arguments
    return launched.samples_of(words + ["--beside", "below"], launch.environment(), patience,
                               "%s, %d ranks" % (launch.name, ranks))


def floor_of(samples, launch, point, regime):
    """The fastest hand-written form that moves what this reach has to move."""
    forms = ["lines", "copied"] + (["direct"] if launch.reach == "shared heap" else [])
    found = [samples.median(launch.name, *point, form, regime) for form in forms]
    return min((us for us in found if us), default=None)


def row_of(samples, launch, point, regime, ranks):
    found = launched.beside(samples, (launch.name, *point, "mpi"), (launch.name, *point, "below"),
                            regime, floor_of(samples, launch, point, regime))
    return found and {"collective": point[0], "bytes": point[1], "ranks": ranks, "mode": "preload",
                      "regime": regime, "reach": launch.reach, "peer": launch.peer.name, **found}


def rows_of(samples, launches, ranks):
    rows = [row_of(samples, launch, point, regime, ranks) for point in samples.points()
            for regime in ("near", "far", "single") for launch in launches]
    return [row for row in rows if row]


def shown(row):
    return {"collective": row["collective"], "bytes": answers.size(row["bytes"]),
            "ranks": row["ranks"], "regime": row["regime"], "reach": row["reach"],
            "time": launched.time_of(row), "us": answers.number(row["us_median"]),
            "floor us": answers.number(row["floor_us"]), "peer": row["peer"],
            "peer us": answers.number(row["peer_us_median"]),
            "ratio": answers.number(row["ratio"]), "low": answers.number(row["ratio_low"]),
            "verdict": row["verdict"], "n": row["samples"], "dropped": row["dropped"],
            "": "WRONG RESULT" if row["wrong"] else ""}


def summary(rows):
    """Per number of ranks, reach, time and collective: verdicts, and means over each MPI's
    default."""
    def part_of(row):
        return row["ranks"], row["reach"], launched.time_of(row)
    lines = []
    for ranks, reach, time in sorted({part_of(row) for row in rows}, key=launched.by_time):
        some = [row for row in rows if part_of(row) == (ranks, reach, time)]
        by_name = {name: [row for row in some if row["collective"] == name]
                   for name in COLLECTIVES}
        cells = [launched.summary_row(those, name) for name, those in by_name.items() if those]
        cells.append(launched.summary_row(some, "all"))
        lines += ["", "%d ranks, %s, %s; points against the best configuration of each MPI, and "
                  "geometric means of ratios over its default" % (ranks, reach, time),
                  answers.table(cells, list(cells[-1]))]
        best = [launched.beside_best(some, [row for row in some if row["peer"] == mpi], mpi)
                for mpi in sorted({launched.mpi_of(row) for row in some})]
        best = [cells for cells in best if cells]
        if best:
            lines += ["", "Terrace over each MPI's default, beside the fastest configuration of "
                      "all:", answers.table(best, list(best[0]))]
        late = [line for those in by_name.values() for line in launched.points_not_faster(those)]
        lines += ["slower in the median:"] + late if late else []
    return "\n".join(lines)


def print_summary(path):
    kept = sorted((answers.BENCH / "preload" / "results").glob("*.json"), key=date_of)
    path = Path(path) if path else kept[-1]
    answer = json.loads(path.read_text())
    print("%s: %s, commit %s" % (path.name, answer["date"], answer["commit"]))
    print(summary(answer["points"]))
    return 0


def date_of(path):
    return json.loads(path.read_text())["date"]


def launches_of(crowded, chosen, programs):
    where = "crowded" if crowded else "alone"
    used = [peer for peer in PEERS_MEASURED if programs.get(peer.mpi) and where in peer.where
            and (peer.is_default() or not (chosen.quick or chosen.defaults))
            and (not chosen.mpis or peer.mpi in chosen.mpis.split(","))]
    reaches = chosen.reach.split(",") if chosen.reach else (
        ["bounced"] if crowded else ["bounced", "shared heap"])
    return [Launch(peer, reach) for reach in reaches for peer in used]


def measure(ranks, chosen, programs):
    crowded = ranks > answers.machine()["cpus"]
    sizes = chosen.bytes or (CROWDED_SIZES if crowded else SIZES)
    collectives = chosen.collectives or (CROWDED if crowded else ALONE)
    arguments = ["--style", chosen.style]
    arguments += ["--bytes", sizes, "--collectives", collectives, "--rounds", str(chosen.rounds),
                 "--seconds", str(chosen.seconds), "--batch-us", "3000" if crowded else "300"]
    launches = launches_of(crowded, chosen, programs)
    taken = []
    for turn, launch in launched.in_rotation(launches, chosen.turns):
        taken.append((launch, turn, run(launch, ranks, crowded, programs[launch.peer.mpi],
                                        arguments, chosen.patience)))
    return [dict(row, style=chosen.style) for time in launched.TIMES
            for row in rows_of(Samples(taken, time), launches, ranks)]


def options():
    parser = answers.question_options("preload", __doc__, "each MPI as it comes, once",
                                      patience=120)
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--bytes", help="sizes (%s; %s when crowded)" % (SIZES, CROWDED_SIZES))
    parser.add_argument("--collectives", help="some of %s" % ", ".join(COLLECTIVES))
    parser.add_argument("--reach", help="bounced, 'shared heap', or both with a comma between")
    parser.add_argument("--style", choices=("rewritten", "reused", "in_a_row"), default="rewritten",
                        help="buffers are written before each call, or once; or each call follows "
                        "the one before, whatever others do (rewritten)")
    parser.add_argument("--defaults", action="store_true", help="each MPI only as it comes")
    parser.add_argument("--mpis", help="some of %s" % ", ".join(peers.NAMES))
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
