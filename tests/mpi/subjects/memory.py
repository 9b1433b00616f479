# SPDX-License-Identifier: BSD-3-Clause
"""Where buffers lie: shared heaps, memory that is pulled or attached, devices."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import List, Set

from job import Job, Output
from row import row
from rows import expect
from subjects.calls import BLOCKS, UNEVEN, situation


def gpu_runtime(job: Job) -> None:
    """A library with the name of a GPU's runtime on one rank, and none of its functions."""
    program = [job.program("situations"), "late_rank"]
    for name in ("libcuda.so.1", "libamdhip64.so.6", "libze_loader.so.1", "libcudart.so.12"):
        with tempfile.TemporaryDirectory() as folder:
            other = job.build.parent / "xpmem" / "libxpmem.so.0"
            library = shutil.copy(str(other), str(Path(folder) / name))
            output = job.run_together([["1"] + job.with_terrace(program),
                                       ["1", "env", "LD_PRELOAD=" + library] +
                                       job.with_terrace(program)]).expect_right()
        if name.startswith("libcudart"):  # without the driver there is no memory of a device
            output.expect_at_work("allreduce")
            continue
        expect("a GPU runtime that Terrace cannot ask is loaded at rank 1" in output.text,
               name + " was not noticed")
        expect(output.calls("allreduce", "ran") == 0, "Terrace ran although " + name + " is there")


def devices(ranks: int, library: str, only: int = -1, **variables: str):
    """Buffers of all collectives lie in memory of a GPU, whose runtime is loaded while calls are
    on: at all ranks, or at one alone."""
    def test(job: Job) -> None:
        words = [job.program("soak"), "1", "0", "--steps", "600", "--devices",
                 str(job.build.parent / library), "--devices-at", str(only)]
        output = job.run(ranks, words, TERRACE_TRIALS="off", **variables).expect_right()
        output.expect_at_work(*BLOCKS, *UNEVEN).expect_at_work()
        copies = dict(re.findall(r"^rank (\d+): (\d+) copies", output.text, re.MULTILINE))
        for rank in range(ranks) if only < 0 else [only]:
            expect(int(copies.get(str(rank), "0")) > 200, "few buffers there, rank %d" % rank)
        expect(only < 0 or len(copies) == 1, "another rank opened the library")
    return test


def checked_devices(job: Job) -> None:
    """Buffers on a device at one rank alone: that rank checks the same calls as the others."""
    if job.family == "openmpi" or job.mpirun.endswith("mpirun.mpich"):
        print("not looked at: sums of chars stop at 127 in Open MPI, MPICH 4.0 crashes in place")
        return
    devices(3, "libcuda.so.1", 1, TERRACE_CHECK="1")(job)


# For rows that want to see buffers shown to peers. Where measured costs say that cores are near,
# allreduce.all_read or scan.all_read may be predicted to be the fastest for all lengths, and they
# show none.
ASSUMED_COSTS = {"TERRACE_MEASURE": "off"}


def shared_heap(ranks: int, *situations: str):
    """Right, and rank 0's buffers were used where they lie."""
    def test(job: Job) -> None:
        words = ["--shared-heap", job.program("heap")] + list(situations)
        # UCX, which Debian's MPICH uses, replaces madvise and mremap in all libraries.
        hooks = {"UCX_MEM_EVENTS": "no"} if "advice" in situations else {}
        output = job.run(ranks, words, **ASSUMED_COSTS, **hooks).expect_right()
        for collective in ("bcast", "reduce", "allreduce"):
            expect(output.reached(collective, "direct") > 0, "no direct " + collective)
        if "mixed" in situations:
            expect(output.reached("allreduce", "bounced") > 0, "no buffer lay elsewhere")
    return test


def shared_heap_collectives(job: Job) -> None:
    """Every size, type and place of the usual test, whose long buffers are malloc's."""
    words = [job.program("collectives"), str(1 << 20)]
    output = job.run(3, words, TERRACE_SHARED_HEAP="1", **ASSUMED_COSTS)
    output.expect_right().expect_at_work()
    for collective in ("bcast", "reduce", "allreduce"):
        expect(output.reached(collective, "direct") > 0, "no direct " + collective)


def unbounced_blocks(ranks: int) -> Set[str]:
    """Where ranks take turns on cores, these are bounced, so that no rank waits for readers."""
    is_crowded = ranks > len(os.sched_getaffinity(0))
    return set(BLOCKS) - {"alltoall", "exscan"} if is_crowded else set(BLOCKS)


def expect_reached(output: Output, ranks: int, how: str) -> None:
    for collective in unbounced_blocks(ranks):
        expect(output.reached(collective, how) > 0, "no %s %s" % (how, collective))


def shared_heap_blocks(ranks: int):
    """Long blocks where they lie, beside those of other layouts, which are packed elsewhere."""
    def test(job: Job) -> None:
        words = [job.program("blocks"), "40000"]
        output = job.run(ranks, words, TERRACE_SHARED_HEAP="1", **ASSUMED_COSTS).expect_right()
        expect_reached(output, ranks, "direct")
    return test


def one_rank_without_heap(job: Job) -> None:
    """Its limits forbid one, so all ranks bounce, and are told why."""
    program = job.program("heap") + " threads"
    limited = "ulimit -v 30000000; exec " + " ".join(job.with_terrace(["--shared-heap"]))
    output = job.run_together([
        ["1"] + job.with_terrace(["--shared-heap"] + program.split()),
        ["1", "sh", "-c", limited + " " + program]]).expect_right().expect_at_work("allreduce")
    expect(output.reached("allreduce", "direct") == 0, "direct, although one rank has no heap")
    expect("a rank has no shared heap: address space is limited" in output.text, "nobody said why")


PULLED = ("allgather", "gather", "scatter")


def can_pull(job: Job) -> bool:
    """Whether ranks here may read each other's memory: Yama or a container may be against it."""
    answer = subprocess.run([job.terrace, "machine", "--json"], capture_output=True, text=True,
                            env=job.environment({}), check=True)
    return any(one["name"] == "pulled" and one["is_possible"]
               for one in json.loads(answer.stdout)["reaches"])


def pulled_blocks(ranks: int):
    """Long blocks by the kernel, in place, with any root, beside those of other layouts."""
    def test(job: Job) -> None:
        output = job.run(ranks, [job.program("blocks"), "40000"], TERRACE_REACH="pulled",
                         **ASSUMED_COSTS)
        output.expect_right()
        if not can_pull(job):
            expect("nothing is pulled: rank 0 cannot read" in output.text, "nobody said why")
            return
        for collective in PULLED + ("alltoall",):
            expect(output.reached(collective, "pulled") > 0, "no pulled " + collective)
    return test


def unreadable(job: Job) -> None:
    """A rank is refused the call, so all ranks bounce, and are told why. It is not even tried where
    it may end the process, unless the user wants it."""
    told = "rank 1 cannot read a peer's memory (process_vm_readv: Operation not permitted)"
    for reach, why in (("pulled", told if can_pull(job) else "cannot read a peer's memory"),
                       ("auto", "has a system call filter")):
        output = job.run(3, [job.program("heap"), "unreadable"], TERRACE_REACH=reach,
                         TERRACE_TRIALS="off")  # the MPI would not notice, and fail
        output.expect_right().expect_at_work(*PULLED)
        said = re.search("terrace: nothing is pulled: (.*)", output.text)
        expect(said is not None and why in said.group(1), "it is not in the report")
        expect(("TERRACE_REACH is pulled, but " in output.text) == (reach == "pulled"),
               "said where nobody asked, or not said")
        for collective in PULLED:
            expect(output.reached(collective, "pulled") == 0, collective + " was pulled")


def unreadable_late(job: Job) -> None:
    """What could be read no longer can: the job ends, and says why."""
    if not can_pull(job):
        print("not looked at: process_vm_readv is refused here")
        return
    output = job.run(2, [job.program("heap"), "unreadable_late"], seconds=60,
                     TERRACE_REACH="pulled")
    expect("at work" in output.text, "the program did not come far enough")
    expect(output.status != 0, "blocks that cannot be read, yet the job succeeded")
    expect(re.search(r"rank 1 of a communicator cannot read \d+ bytes at 0x\w+ of rank 0 "
                     r"\(process \d+\), .*process_vm_readv: Operation not permitted",
                     output.text) is not None, "nobody was told why")


def attached(job: Job, ranks: int, words: List[str], **variables: str) -> Output:
    """Runs a program for whom a library of the tests' own plays XPMEM. No MPI shall use it."""
    folder = job.build.parent / "xpmem"
    paths = [str(folder)] + [path for path in [os.environ.get("LD_LIBRARY_PATH")] if path]
    return job.run(ranks, words, LD_LIBRARY_PATH=":".join(paths), TERRACE_REACH="attached",
                   TERRACE_TRIALS="off",  # what is played takes longer than the MPI
                   UCX_TLS="^xpmem", OMPI_MCA_smsc="^xpmem", MPIR_CVAR_CH4_XPMEM_ENABLE="0",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", **ASSUMED_COSTS, **variables)


def can_play_xpmem(job: Job) -> bool:
    """The library has to look into its peers."""
    if can_pull(job):
        return True
    print("not looked at: ranks may not read each other's memory here")
    return False


def attached_collectives(job: Job) -> None:
    """Every size, type and place of the usual test, whose long buffers are malloc's, in a file."""
    if not can_play_xpmem(job):
        return
    output = attached(job, 3, [job.program("collectives"), str(1 << 20)], TERRACE_SHARED_HEAP="1")
    output.expect_right().expect_at_work()
    for collective in ("bcast", "reduce", "allreduce"):
        expect(output.reached(collective, "attached") > 0, "no attached " + collective)
    expect("direct" not in output.text, "the shared heap was used")


def attached_blocks(ranks: int):
    """The collectives with blocks, in place, with any root, beside those of other layouts."""
    def test(job: Job) -> None:
        if not can_play_xpmem(job):
            return
        words = [job.program("blocks"), "40000"]
        # What peers write to has to be in a file, for the library that plays XPMEM.
        output = attached(job, ranks, words, TERRACE_SHARED_HEAP="4096").expect_right()
        expect_reached(output, ranks, "attached")
    return test


def attached_heap(ranks: int, *situations: str):
    def test(job: Job) -> None:
        if not can_play_xpmem(job):
            return
        output = attached(job, ranks, [job.program("heap")] + list(situations)).expect_right()
        for collective in ("bcast", "reduce", "allreduce"):
            expect(output.reached(collective, "attached") > 0, "no attached " + collective)
    return test


def not_attached(job: Job) -> None:
    """A rank is refused something, so all ranks bounce, and are told why."""
    for refused, why in (("device", "rank 1 cannot use /dev/xpmem: No such file or directory"),
                         ("make", "rank 1 cannot offer its memory (xpmem_make: Cannot allocate"),
                         ("get", "rank 1 cannot attach a peer's memory (xpmem_get: Permission"),
                         ("attach", "rank 1 cannot attach a peer's memory (xpmem_attach: Cannot")):
        output = attached(job, 3 if refused == "get" else 2, [job.program("heap"), "not_attached"],
                          REFUSED_BY_XPMEM=refused).expect_right().expect_at_work("allreduce")
        for told in ("terrace: nothing is attached: ", "TERRACE_REACH is attached, but "):
            expect(told + why in output.text, "not told: %s%s" % (told, why))
        expect(output.reached("allreduce", "attached") == 0, "attached in spite of it")
    output = job.run(2, [job.program("heap"), "not_attached"], TERRACE_REACH="attached",
                     REFUSED_BY_XPMEM="").expect_right()
    expect("nothing is attached: rank 0 finds no libxpmem.so.0" in output.text or
           Path("/dev/xpmem").exists(), "nobody misses the library")


def cut_off(situation: str, error: str):
    """What could be attached no longer can: the job ends, and says why."""
    def test(job: Job) -> None:
        if not can_play_xpmem(job):
            return
        output = attached(job, 2, [job.program("heap"), situation])
        expect("at work" in output.text, "the program did not come far enough")
        expect(output.status != 0, "memory that cannot be attached, yet the job succeeded")
        expect(re.search(r"rank [01] of a communicator cannot attach \d+ bytes at 0x\w+ of rank "
                         r"[01] \(process \d+\), .*xpmem_attach: " + error,
                         output.text) is not None, "nobody was told why")
    return test


ROWS = {
    "check_finds_no_difference_on_a_device": row(checked_devices, spins=True),
    "a_gpu_runtime_that_cannot_be_asked_leaves_all_to_the_mpi": gpu_runtime,
    "buffers_on_a_device_at_all_ranks": devices(3, "libcuda.so.1"),
    "buffers_on_a_device_at_one_rank": devices(3, "libcuda.so.1", 1),
    "buffers_on_a_device_by_hip": devices(2, "libamdhip64.so.6"),
    "a_shared_heap_makes_long_calls_direct": row(shared_heap_collectives, of_adapters=True),
    "a_shared_heap_makes_long_blocks_of_2_ranks_direct": shared_heap_blocks(2),
    "a_shared_heap_makes_long_blocks_of_3_ranks_direct": shared_heap_blocks(3),
    "a_shared_heap_and_buffers_elsewhere": shared_heap(3, "mixed"),
    "a_shared_heap_is_a_malloc": shared_heap(2, "churn", "threads"),
    "a_shared_heap_heeds_advice_and_lets_blocks_grow": shared_heap(2, "advice", "growth"),
    "a_shared_heap_survives_forks": row(shared_heap(3, "forks"), of_adapters=True),
    "a_large_shared_heap_survives_a_fork": shared_heap(2, "large_fork"),
    "one_rank_without_a_heap_makes_all_bounce": one_rank_without_heap,
    "long_blocks_of_3_ranks_are_pulled": pulled_blocks(3),
    "one_unreadable_rank_makes_all_bounce": unreadable,
    "attached_memory_makes_long_calls_direct": row(attached_collectives, of_adapters=True),
    "attached_memory_makes_long_blocks_of_2_ranks_direct": attached_blocks(2),
    "attached_memory_makes_long_blocks_of_3_ranks_direct": attached_blocks(3),
    "attached_memory_may_be_unmapped_and_moved": attached_heap(3, "moved"),
    "attached_memory_is_let_go_when_there_is_too_much": attached_heap(2, "many"),
    "one_rank_that_cannot_attach_makes_all_bounce": not_attached,
    "a_rank_that_can_attach_no_more_ends_the_job": row(
        cut_off("not_attached_late", "Cannot allocate"), sleeps=True, ends_jobs=True),
    "a_buffer_that_cannot_be_attached_ends_the_job": row(
        cut_off("not_touched", "Bad address"), ends_jobs=True),
    "a_rank_that_becomes_unreadable_ends_the_job": row(
        unreadable_late, sleeps=True, ends_jobs=True),
}
