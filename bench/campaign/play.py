#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures, tunes and times Terrace on this machine, some minutes a call.

Call it again until nothing is left: each call goes on with the first step that has not been done.
All answers are in the folder `answers`: bring it back as a whole."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PACK = Path(__file__).resolve().parent.parent.parent
BUILD = PACK / "build" / "release"
MPIRUN = str(PACK / ".peers" / "mpich" / "bin" / "mpirun")
TERRACE = str(BUILD / "bin" / "terrace")
#: What is left of a call's time when no step is begun any more.
MARGIN_S = 5
MOST_TRIES = 2


class Step:
    """A command whose answer is wanted, and the seconds that it takes, about."""

    def __init__(self, name, seconds, words, variables=None):
        self.name, self.seconds, self.words = name, seconds, words
        self.variables = dict(variables or {})


def question(name, *words):
    return [sys.executable, str(PACK / "bench" / name / "run.py"), *words, "--results",
            "answers/" + name]


def ranks_of(cores):
    """Two, four, ... and all cores."""
    ranks = [2]
    while 2 * ranks[-1] < cores:
        ranks.append(2 * ranks[-1])
    return ranks + [cores] if cores > ranks[-1] else ranks


def right(ranks):
    """Programs that compare with values worked out another way."""
    steps = []
    for program, most in (("collectives", "65536"), ("blocks", "20000")):
        words = [str(BUILD / "tests" / program), most]
        steps.append(Step("right-threads-%s-%d" % (program, ranks), 30,
                          [TERRACE, "run", "-n", str(ranks)] + words))
        steps.append(Step("right-preload-%s-%d" % (program, ranks), 30,
                          [MPIRUN, "-np", str(ranks), TERRACE, "exec"] + words,
                          {"TERRACE_REPORT": "1"}))
    return steps


def steps_for(cores):
    few, all_ranks = [2, cores] if cores > 2 else [2], ranks_of(cores)
    steps = [Step("processor", 5, ["lscpu"]), Step("machine", 5, [TERRACE, "machine"]),
             Step("doctor", 10, [TERRACE, "doctor"]),
             Step("measure", 90, [TERRACE, "measure", "--seconds", "30"])]
    for ranks in sorted({2, 3, cores, cores + 1}):
        steps += right(ranks)

    def preload(ranks, name, *words, **variables):
        return Step("%s-%d" % (name, ranks), 120, question(
            "preload", "--ranks", str(ranks), "--defaults", "--turns", "2", "--rounds", "8",
            "--seconds", "0.2", "--patience", "100", *words), variables)

    steps += [preload(ranks, "preload", "--reach", "bounced") for ranks in all_ranks]
    steps += [Step("threadranks-%d" % ranks, 120, question(
        "threadranks", "--ranks", str(ranks), "--defaults", "--turns", "2", "--rounds", "8",
        "--seconds", "0.2", "--lives", "", "--patience", "100")) for ranks in few]
    steps += [Step("lives-%d" % (4 * cores), 60, question(
        "threadranks", "--ranks", "", "--lives", str(4 * cores), "--defaults", "--turns", "2"))]
    steps += [preload(ranks, "preload-heap", "--reach", "shared heap") for ranks in few]
    steps += [Step("teams-%d" % ranks, 120, [TERRACE, "bench", "--json", "--ranks", str(ranks),
                                             "--seconds", "0.2"]) for ranks in all_ranks]
    steps += [Step("applications-%d" % ranks, 90, question(
        "applications_by_mpi", "--ranks", str(ranks))) for ranks in few]
    steps += [Step("tune-%s-%d" % (form, ranks), 150, [
        TERRACE, "tune", "--ranks", str(ranks), "--form", form, "--seconds", "0.1"])
        for ranks in all_ranks for form in ("processes", "threads")]
    steps += [preload(ranks, "preload-tuned", "--reach", "bounced") for ranks in few]
    steps += [preload(2 * cores, "preload-crowded", "--reach", "bounced")]
    return steps


def environment(step):
    libraries = [str(BUILD / "lib" / "needed"), str(PACK / ".peers" / "mpich" / "lib")]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TERRACE")}
    kept.update(LD_LIBRARY_PATH=":".join(libraries), XDG_CONFIG_HOME=str(PACK / "answers/config"),
                XDG_CACHE_HOME=str(PACK / "answers/cache"), PYTHONDONTWRITEBYTECODE="1")
    # Untuned figures, whether or not `tune` has run by then.
    if "tune" not in step.name:
        kept["TERRACE_TUNING"] = "off"
    kept.update(step.variables)
    return kept


def run(step, most_seconds):
    """How it ended. What it says is kept as it comes."""
    with open(PACK / "answers" / (step.name + ".txt"), "ab") as answer:
        try:
            job = subprocess.Popen(step.words, cwd=str(PACK), env=environment(step), stdout=answer,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   start_new_session=True)
        except OSError as error:
            answer.write(str(error).encode())
            return "failed"
        try:
            return "done" if job.wait(timeout=most_seconds) == 0 else "failed"
        except subprocess.TimeoutExpired:
            return "out of time"
        finally:
            end(job)


def end(job):
    """However this call ends, nothing of the step keeps running."""
    if job.poll() is not None:
        return
    os.killpg(job.pid, signal.SIGTERM)
    try:
        job.wait(timeout=3)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()


class State:
    """What became of each step, in a file that is replaced as a whole."""

    def __init__(self):
        self.path = PACK / "answers" / "state.json"
        self.steps = json.loads(self.path.read_text()) if self.path.exists() else {}

    def is_over(self, step):
        known = self.steps.get(step.name, {})
        return known.get("how") in ("done", "failed") or known.get("tries", 0) >= MOST_TRIES

    def note(self, step, how, seconds):
        tries = self.steps.get(step.name, {}).get("tries", 0) + 1
        self.steps[step.name] = {"how": how, "seconds": round(seconds, 1), "tries": tries}
        draft = self.path.with_suffix(".part")
        draft.write_text(json.dumps(self.steps, indent=1) + "\n")
        draft.replace(self.path)


def main():
    parser = argparse.ArgumentParser(prog="campaign", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=9, help="that this call may take (9)")
    parser.add_argument("--only", default="", metavar="NAMES",
                        help="steps whose names begin so, with commas between")
    chosen = parser.parse_args()
    seconds = 60 * chosen.minutes - MARGIN_S
    end = time.monotonic() + seconds
    (PACK / "answers").mkdir(exist_ok=True)
    state = State()
    beginnings = tuple(chosen.only.split(","))
    steps = [step for step in steps_for(len(os.sched_getaffinity(0)))
             if step.name.startswith(beginnings)]
    for step in steps:
        if state.is_over(step):
            continue
        left = end - time.monotonic()
        # A step that takes longer than a call may take as much of it as there is.
        if left < min(step.seconds, 0.9 * seconds):
            break
        print("%-36s " % step.name, end="", flush=True)
        begin = time.monotonic()
        how = run(step, min(left, 3 * step.seconds))
        state.note(step, how, time.monotonic() - begin)
        print("%s, %.0f s" % (how, time.monotonic() - begin))
    waiting = [step.name for step in steps if not state.is_over(step)]
    failed = [step.name for step in steps
              if state.is_over(step) and state.steps[step.name]["how"] != "done"]
    if failed:
        print("not done: %s; answers/STEP.txt says why" % ", ".join(failed))
    print("%d steps left: call it again" % len(waiting) if waiting
          else "all is done: bring back the folder answers")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
