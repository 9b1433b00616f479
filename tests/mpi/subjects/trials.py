# SPDX-License-Identifier: BSD-3-Clause
"""Which way calls take: trials, tunings, and teams that come late or are reused."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import List

from job import Job, Output, SECONDS
from row import row
from rows import Skipped, expect
from subjects.memory import PULLED


# On a machine that changes, trials begin anew, and a short program may end before they do.
UNDISTURBED_TRIALS = {"TERRACE_TRIALS": "on", "TERRACE_MEASURE": "off"}


def tried(ranks: int):
    """Which way is taken comes out of what calls take, and results are right all along."""
    def test(job: Job) -> None:
        words = [job.program("situations"), "trials"]
        for how in ("fast", "slow") if ranks == 2 else ("slow",):
            output = job.run(ranks, words, LD_PRELOAD=job.program("libother_mpi.so"),
                             OTHER_BARRIER=how, seconds=3 * SECONDS,
                             **UNDISTURBED_TRIALS).expect_right()
            fallbacks = output.calls("barrier", "fell back")
            if how == "fast":
                expect("the MPI from now on" in output.text, "the trial is not told of")
            # A look at the ways gives the MPI four calls, and is taken again where the machine has
            # changed, and where both take a turn of the scheduler's: of 100,000 barriers of 2
            # ranks, or 3,000 of 3, these are few.
            expect(fallbacks > 60000 if how == "fast" else fallbacks < 100,
                   "%d barriers of the %s kind fell back" % (fallbacks, how))
        output = job.run(ranks, words, seconds=3 * SECONDS, TERRACE_TRIALS="off").expect_right()
        expect("trial of" not in output.text and output.calls("barrier", "fell back") < 4,
               "trials, although they are off")
    return test


def uneven_calls(job: Job) -> None:
    """Of calls whose lengths only some ranks know, the MPI's are tried, too."""
    words = [job.program("situations"), "uneven_trials"]
    for how in ("fast", "slow"):
        output = job.run(2, words, LD_PRELOAD=job.program("libother_mpi.so"), OTHER_GATHERV=how,
                         seconds=3 * SECONDS, **UNDISTURBED_TRIALS).expect_right()
        fallbacks = output.calls("gatherv", "fell back")
        expect("trial of gatherv" in output.text or how == "slow", "the trial is not told of")
        expect(fallbacks > 30000 if how == "fast" else fallbacks < 100,
               "%d gathervs of the %s kind fell back" % (fallbacks, how))
    output = job.run(2, words, TERRACE_TRIALS="off").expect_right()
    expect(output.calls("gatherv", "fell back") == 1, "gathervs fell back without trials")


# A team follows a tuning once it has measured its machine. It cannot where other programs take its
# cores at that moment, so there are several jobs, of which one has to be left alone; if none is,
# the row is skipped.
JOBS_TO_MEASURE = 15
DISTURBED = "other programs keep the ranks from measuring this machine, so they have no tuning"


def tuning_with(job: Job, rows: list) -> dict:
    """A tuning of this machine with these rows for two processes."""
    path = Path(job.folder.name) / "tuned.json"
    words = ["tune", "--collectives", "bcast", "--bytes", "8", "--ranks", "2", "--seconds", "0.05"]
    for _ in range(JOBS_TO_MEASURE):
        done = subprocess.run([job.terrace] + words + ["-o", str(path)], text=True,
                              capture_output=True, env=job.environment({}), timeout=SECONDS)
        if done.returncode == 0:
            break
        expect("is the machine busy?" in done.stderr, done.stderr)
    else:
        raise Skipped(DISTURBED)
    team = {"ranks": 2, "form": "processes", "day": "", "signals": [], "rows": rows}
    return dict(json.loads(path.read_text()), teams=[team])


def run_tuned(job: Job, words: List[str], path: Path, shows: str, trials: str = "off") -> Output:
    """A job of two ranks that has a tuning, which its output shows. What a team has measured it
    writes into a cache of the job's own. One job may have measured too late to show its tuning;
    three that measured and show none are a failure."""
    measured = 0
    for number in range(JOBS_TO_MEASURE):
        cache = Path(job.folder.name) / ("cache-of-%d" % number)
        output = job.run(2, words, TERRACE_TUNING=str(path), TERRACE_TRIALS=trials,
                         XDG_CACHE_HOME=str(cache)).expect_right()
        if re.search(shows, output.text):
            return output
        measured += bool(list(cache.glob("**/costs-*")))
        expect(measured < 3, "ranks have measured this machine, and nothing shows " + shows)
        shutil.rmtree(cache, ignore_errors=True)
    raise Skipped(DISTURBED)


def tuned(job: Job) -> None:
    """A tuning says what runs, or that the MPI does; with a mistake it has no effect."""
    folder = Path(job.folder.name)
    path = folder / "tuning.json"
    if len(os.sched_getaffinity(0)) < 2:
        print("not looked at: a tuning is for ranks with a core each")
        return
    rows = [{"collective": "bcast", "bytes": 1 << power, "runs": "bcast.scattered", "strip": 4096}
            for power in range(9, 23)]
    rows += [{"collective": "allgather", "bytes": 1 << power, "runs": "the MPI"}
             for power in range(3, 23)]
    path.write_text(json.dumps(tuning_with(job, rows)))
    program = [job.program("collectives"), str(1 << 18)]
    blocks = [job.program("blocks"), "20000"]
    for trials in ("on", "off"):
        # Trials begin with the tuned way, whichever they find.
        run_tuned(job, program, path, r"bcast +\d.* ran bcast\.scattered",
                  trials).expect_at_work()
    output = run_tuned(job, blocks, path, r"allgather +\d.* fell back to the MPI: .* so tuned")
    expect(output.calls("allgather", "fell back") > 10, "the MPI was not left its allgathers")
    path.write_text("{}")
    # Of short calls no other would choose it, but a trial may try it.
    output = run_tuned(job, program, path, r"tuning\.json': format: missing; not used")
    output.expect_at_work()
    expect(re.search(r"bcast +(512 B|1 KiB) to \S+ \S+ \S+ +\d+  ran bcast\.scattered", output.text)
           is None, "a broken tuning was used")


def no_communicator_left(job: Job) -> None:
    output = job.run(3, [job.program("situations"), "no_communicator_left"]).expect_right()
    if "used up after" in output.text:
        expect("the MPI of rank 0 has no communicator left for Terrace" in output.text,
               "the report does not say why calls fell back")


def short_lives(job: Job) -> None:
    """After three lives of 40 calls in as many orders of ranks, the other orders have no teams; a
    long life has one in time."""
    output = job.run(3, [job.program("situations"), "short_lives"],
                     TERRACE_TRIALS="on").expect_right()
    rows = re.findall(r"allreduce .*?(\d+)  (ran|fell back to the MPI: communicators before|"
                      "fell back to the MPI: timed or found faster)", output.text)
    waited = sum(int(count) for count, what in rows if "communicators" in what)
    ran = sum(int(count) for count, what in rows) - waited
    # 9 x 21, and 1200 less 1023, some of which a trial may have left to the MPI.
    expect(ran == 9 * 21 + 177, "%d calls ran, or were left to the MPI by a trial" % ran)
    expect(output.calls("allreduce", "ran") > 0, "Terrace ran none")
    expect(waited == 9 * 21 + 1004, "%d calls were waited for" % waited)


def many_lives(job: Job) -> None:
    """Idle teams serve later communicators of the same ranks: each of these has one at its 20th
    call, and none is founded but for the first."""
    for ranks in (2,) if job.family == "mpich" else (2, 3):  # whose own calls spin
        output = job.run(ranks, [job.program("situations"), "many_lives"],
                         TERRACE_TRIALS="off").expect_right()
        calls = {name: output.calls(name, "ran") for name in ("allreduce", "bcast")}
        expect(calls == {"allreduce": 50 * 2 * 6, "bcast": 50 * 30}, "%s ran" % calls)
        expect("founded 2 teams, 98 communicators had one that rested" in output.text,
               "more teams were founded than needed")
    job.run(2, [job.program("situations"), "many_lives_of_threads"]).expect_right()
    job.run(2, [job.program("situations"), "many_lives_of_threads"],
            TERRACE_REPRODUCIBLE="1").expect_right()


def seen_to_pay(job: Job) -> None:
    """Whichever way is found the faster, both have been tried within 60 calls, and results are
    right."""
    output = job.run(2, [job.program("heap"), "blocks", "blocks", "blocks"],
                     **UNDISTURBED_TRIALS).expect_right().expect_at_work(*PULLED)
    for collective in PULLED if "nothing is pulled: rank" not in output.text else ():
        for how in ("pulled", "bounced"):
            expect(output.reached(collective, how) > 0, "no %s %s" % (how, collective))
    output = job.run(2, [job.program("heap"), "blocks"],
                     TERRACE_REACH="bounced").expect_right().expect_at_work(*PULLED)
    expect("pulled" not in output.text, "pulled, although it was forbidden")


ROWS = {
    "short_lives_have_no_teams": short_lives,
    "communicators_are_used_up": row(no_communicator_left, spins=True),
    "idle_teams_serve_later_communicators": many_lives,
    "a_tuning_says_what_runs": row(tuned, alone=True, seconds=400),
    "the_fastest_way_of_2_ranks_is_found_out": row(tried(2), alone=True, seconds=400),
    "the_fastest_way_of_3_ranks_is_found_out": row(tried(3), alone=True),
    "uneven_calls_fall_back_where_the_mpi_is_faster": row(uneven_calls, alone=True, seconds=400),
    "pulling_is_tried_before_it_is_chosen": row(seen_to_pay, alone=True),
}
