#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast are ranks that are threads of one process, against processes of the other MPIs?

Messages and collectives of `terrace run`, and of the same program's processes under each MPI in its
default configuration and in those that are its best at some point: a launch for each, in rotation.
Batches are compared by launch and round; floors are hand-written, in the thread ranks' memory.
Besides, how long a job takes from its start to its end, and what memory each rank holds.

--summary prints what a kept answer says, without measuring."""

import json
import os
import shlex
import statistics
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import answers  # noqa: E402
import launches as launched  # noqa: E402
import peers  # noqa: E402

OURS = "thread ranks"
SIZES = "0,8,64,512,4096,32768,262144,1048576,4194304,16777216"
MESSAGES = "ping_pong,stream"
ALL = MESSAGES + "," + ",".join(launched.COLLECTIVES[:9])
FLOORS = ("lines", "copied", "direct", "together")


class ThreadRanks:
    """The launch of thread ranks, next to the peers'."""

    name = OURS
    mpi = None

    def command(self, ranks, crowded, program):
        del crowded
        return [str(answers.program("terrace")), "run", "-n", str(ranks)] + program


def programs_of(source):
    found = {mpi: peers.compiled(mpi, source) for mpi in peers.NAMES}
    found[None] = peers.compiled_for_threads(source)
    return {mpi: program for mpi, program in found.items() if program}


def jobs_of(crowded, chosen, programs):
    where = "crowded" if crowded else "alone"
    return [ThreadRanks()] + [
        peer for peer in launched.PEERS_MEASURED if peer.mpi in programs and where in peer.where
        and (peer.is_default() or not (chosen.quick or chosen.defaults))
        and peer.mpi in chosen.mpi.split(",")]


def environment_of(job):
    return dict(os.environ) if job.mpi is None else peers.environment(job.mpi, job.variables)


def words_of(job, ranks, crowded, programs, arguments, chosen):
    """More ranks than cores that spin in real time would take the machine from other programs."""
    program = [str(programs[job.mpi])] + arguments
    before = [] if crowded else shlex.split(chosen.before)
    return before + job.command(ranks, crowded, program)


def floor_of(samples, point, regime):
    found = [samples.median(OURS, *point, form, regime) for form in FLOORS]
    return min((us for us in found if us), default=None)


def row_of(samples, peer, point, regime, ranks):
    found = launched.beside(samples, (OURS, *point, "mpi"), (peer.name, *point, "mpi"), regime,
                            floor_of(samples, point, regime))
    return found and {"collective": point[0], "bytes": point[1], "ranks": ranks, "mode": OURS,
                      "regime": regime, "peer": peer.name, **found}


def measure(ranks, chosen, programs):
    crowded = ranks > answers.machine()["cpus"]
    arguments = ["--style", chosen.style, "--bytes", chosen.bytes, "--collectives",
                 chosen.collectives, "--rounds", str(chosen.rounds), "--seconds",
                 str(chosen.seconds), "--batch-us", "3000" if crowded else "300"]
    jobs = jobs_of(crowded, chosen, programs)
    taken = []
    for turn, job in launched.in_rotation(jobs, chosen.turns):
        words = words_of(job, ranks, crowded, programs, arguments, chosen)
        taken.append((job, turn, launched.samples_of(
            words, environment_of(job), chosen.patience, "%s, %d ranks" % (job.name, ranks))))
    rows = [row_of(samples, peer, point, regime, ranks)
            for samples in (launched.Samples(taken, time) for time in launched.TIMES)
            for point in samples.points() for regime in ("near", "far", "single")
            for peer in jobs[1:]]
    style = {} if chosen.style == "rewritten" else {"style": chosen.style}
    return [dict(row, **style) for row in rows if row]


def lives(ranks, chosen, programs):
    """Whole jobs of so many ranks that meet once: time of the job, and memory of each rank."""
    jobs = [job for job in jobs_of(True, chosen, programs) if job.mpi is None or job.is_default()]
    found = {job.name: [] for job in jobs}
    for _, job in launched.in_rotation(jobs, chosen.turns):
        words = words_of(job, ranks, True, programs, [], chosen)
        start = time.monotonic()
        text = peers.output_of(words, environment_of(job), chosen.patience,
                               "%s, %d ranks" % (job.name, ranks))
        ms = (time.monotonic() - start) * 1e3
        kib = [int(line.split(",")[1]) for line in text.splitlines() if line.startswith("M,")]
        if kib:
            found[job.name].append((ms, kib[0] / 1024))
    return [{"what": "life", "ranks": ranks, "who": name,
             "job_ms": round(statistics.median(ms for ms, _ in each), 1),
             "job_ms_low": round(min(ms for ms, _ in each), 1),
             "job_ms_high": round(max(ms for ms, _ in each), 1),
             "mib_per_rank": round(statistics.median(mib for _, mib in each), 2),
             "launches": len(each)} for name, each in found.items() if each]


def shown(row):
    return {"": row["collective"], "bytes": answers.size(row["bytes"]), "ranks": row["ranks"],
            "regime": row["regime"], "time": launched.time_of(row),
            "us": answers.number(row["us_median"]), "low": answers.number(row["us_low"]),
            "high": answers.number(row["us_high"]),
            "floor us": answers.number(row["floor_us"]), "peer": row["peer"],
            "peer us": answers.number(row["peer_us_median"]),
            "ratio": answers.number(row["ratio"]), "ratio low": answers.number(row["ratio_low"]),
            "verdict": row["verdict"], "n": row["samples"], "dropped": row["dropped"],
            "wrong": "WRONG RESULT" if row["wrong"] else ""}


def summary(rows):
    """Per number of ranks and time: verdicts against each point's best peer, and means over
    defaults."""
    lines = []
    timed = [row for row in rows if row.get("what") != "life"]
    def part_of(row):
        return row["ranks"], launched.time_of(row)
    for ranks, which in sorted({part_of(row) for row in timed}, key=launched.by_time):
        some = [row for row in timed if part_of(row) == (ranks, which)]
        by_name = {name: [row for row in some if row["collective"] == name]
                   for name in launched.COLLECTIVES}
        cells = [launched.summary_row(those, name) for name, those in by_name.items() if those]
        cells.append(launched.summary_row(some, "all"))
        lines += ["", "%d ranks, %s; points against the best configuration of each MPI, and "
                  "geometric means of ratios over its default" % (ranks, which),
                  answers.table(cells, list(cells[-1]))]
        best = launched.beside_best(some, some, OURS)
        if best:
            lines += ["", "beside the fastest of all:", answers.table([best], list(best))]
        late = [line for those in by_name.values() for line in launched.points_not_faster(those)]
        lines += ["slower in the median:"] + late if late else []
    for ranks in sorted({row["ranks"] for row in rows if row.get("what") == "life"}):
        those = [row for row in rows if row.get("what") == "life" and row["ranks"] == ranks]
        lines += ["", "whole jobs of %d ranks that meet once" % ranks,
                  answers.table(those, ["who", "job_ms", "job_ms_low", "job_ms_high",
                                        "mib_per_rank", "launches"])]
    return "\n".join(lines)


def date_of(path):
    return json.loads(path.read_text())["date"]


def print_summary(path):
    kept = sorted((HERE / "results").glob("*.json"), key=date_of)
    if not path and not kept:
        print("nothing is kept yet", file=sys.stderr)
        return 1
    path = Path(path) if path else kept[-1]
    answer = json.loads(path.read_text())
    print("%s: %s, commit %s" % (path.name, answer["date"], answer["commit"]))
    print(summary(answer["points"]))
    return 0


def options():
    parser = answers.question_options("threadranks", __doc__, "each MPI as it comes, once",
                                      patience=300)
    parser.add_argument("--ranks", default="2,8", help="of messages and collectives (2,8)")
    parser.add_argument("--lives", default="64", help="ranks of jobs timed as a whole (64)")
    parser.add_argument("--bytes", default=SIZES, help="sizes (%s)" % SIZES)
    parser.add_argument("--collectives", default=ALL, help="some of %s" % ALL)
    parser.add_argument("--mpi", default=",".join(peers.NAMES), help="against which")
    parser.add_argument("--style", choices=("rewritten", "in_a_row"), default="rewritten",
                        help="long or rooted calls begin together, or follow each other")
    parser.add_argument("--defaults", action="store_true", help="each MPI only as it comes")
    parser.add_argument("--turns", type=int, default=4, help="launches of each (4)")
    parser.add_argument("--rounds", type=int, default=12, help="batches per launch and point (12)")
    parser.add_argument("--seconds", type=float, default=0.3, help="per launch and point (0.3)")
    parser.add_argument("--before", default="",
                        help="words before a launch where ranks have a core each, as `chrt -f 1`")
    parser.add_argument("--summary", nargs="?", const="", metavar="FILE",
                        help="print what a kept answer says (the newest), measure nothing")
    chosen = parser.parse_args()
    known = launched.COLLECTIVES
    for name in chosen.collectives.split(","):
        if name not in known:
            parser.error("--collectives: '%s' given, expected some of %s" % (name, ALL))
    if chosen.quick:
        chosen.turns = 1
    return chosen


def main():
    chosen = options()
    if chosen.summary is not None:
        return print_summary(chosen.summary)
    programs = programs_of(HERE.parent / "preload" / "collectives.c")
    if None not in programs:
        return 1
    rows = [row for ranks in chosen.ranks.split(",") if ranks
            for row in measure(int(ranks), chosen, programs)]
    if chosen.lives:
        whole = programs_of(HERE / "life.c")
        rows += [row for ranks in chosen.lives.split(",")
                 for row in lives(int(ranks), chosen, whole)]
    timed = [row for row in rows if row.get("what") != "life"]
    if timed:
        print(answers.table([shown(row) for row in timed], list(shown(timed[0]))))
    print(summary(rows))
    if not chosen.quick:
        answers.keep("threadranks", __doc__.splitlines()[0], rows, chosen.results)
    return 1 if not rows or any(row.get("wrong") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
