#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every sentence of docs/guarantees.md has a test that shows it: this says which, and whether all
sentences are among them and all tests are there.

guarantees.py --check | --list | --self-test"""

import argparse
import re
import sys
from pathlib import Path
from typing import Dict, List, Sequence

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "guarantees.md"


# Sentences by how they begin, in the order of the page, and the tests that show them: a row under
# MPIs or of thread ranks by its name, a unit test as Suite.name; of what takes how long, the bench
# that measures it.
SAYS_WHAT_THE_PAGE_IS_ABOUT: Sequence[str] = ()
SHOWN_BY: Dict[str, Sequence[str]] = {
    "For programs that run preloaded.": SAYS_WHAT_THE_PAGE_IS_ABOUT,
    "Where this page is silent": SAYS_WHAT_THE_PAGE_IS_ABOUT,
    "Blocking collectives on communicators": (
        "mpi.collectives_of_3_ranks", "mpi.blocks_of_3_ranks"),
    "If the last three communicators": (
        "mpi.short_lives_have_no_teams", "mpi.idle_teams_serve_later_communicators"),
    "Some calls fall back": ("mpi.communicators_that_cannot_be_teams_fall_back",),
    "Whether Terrace runs a call": (
        "mpi.layouts_differ_between_ranks", "mpi.a_soak_of_3_ranks",
        "mpi.wrong_types_are_said_to_the_communicators_handler"),
    "So all ranks decide alike": (
        "mpi.mixed_calls_do_not_disturb_each_other", "mpi.a_soak_of_3_ranks"),
    "Eleven collectives on communicators": (
        "mpi.elements_composed_over_2_nodes", "mpi.elements_composed_over_uneven_nodes",
        "mpi.calls_composed_over_2_nodes", "mpi.a_rank_is_not_told_over_2_nodes"),
    "Their allreduce gives": ("Lanes.give_the_same_sum_to_all_ranks",),
    "Nonblocking collectives run on": (
        "mpi.nonblocking_kinds_of_3_ranks", "mpi.nonblocking_orders_of_3_ranks"),
    "A rank that has started one": (
        "mpi.nonblocking_progress_of_3_ranks",
        "StartedCalls.are_over_on_each_rank_while_the_others_are_away"),
    "So do the first 16 persistent": (
        "mpi.persistent_kinds_of_3_ranks", "mpi.persistent_uneven_blocks_of_3_ranks",
        "mpi.persistent_orders_of_3_ranks"),
    "Blocks of different length are": (
        "mpi.nonblocking_progress_of_3_ranks", "mpi.nonblocking_orders_of_3_ranks",
        "mpi.persistent_blocks_left_to_faster_mpis"),
    "Reductions of the program's": ("mpi.nonblocking_orders_of_3_ranks",),
    "Neighbourhood collectives, in all": (
        "mpi.neighbours_of_any_graph_of_3_ranks", "mpi.neighbours_who_shall_not_read_memory"),
    "Where several edges join": (
        "mpi.neighbours_of_any_graph_of_3_ranks", "mpi.neighbours_of_grids"),
    "Terrace never runs intercomm": (
        "mpi.pending_collectives_of_all_kinds_may_be_between",
        "mpi.intercommunicators_and_mergers", "mpi.communicators_as_the_standard_says"),
    "Your MPI runs these": (
        "mpi.pending_isend_progresses", "mpi.pending_iallreduce_progresses",
        "mpi.passive_target_progresses"),
    "After Terrace's barrier, MPI_Iprobe": ("mpi.what_came_before_a_barrier_is_seen_at_once",),
    "barrier |": ("Verify.names_a_rank_that_may_leave_a_barrier_early",
                  "Teams.pass_a_barrier_together"),
    "allreduce, reduce_scatter_block": ("Collectives.promise_what_mpi_does",
                                        "Verify.tells_which_ranks_hear_from_all"),
    "bcast |": ("Collectives.promise_what_mpi_does",
                "VerifyContracts.names_what_a_contract_leaves_out"),
    "reduce, gather |": ("Collectives.promise_what_mpi_does",
                         "VerifyContracts.names_what_a_contract_leaves_out"),
    "scatter |": ("Collectives.promise_what_mpi_does",
                  "VerifyContracts.names_what_a_contract_leaves_out"),
    "scan, exscan |": ("Collectives.promise_what_mpi_does",
                       "Verify.says_in_which_order_the_last_rank_of_a_scan_combines"),
    "vector collectives (with": ("Vector.blocks_arrive_whole_by_every_plan",
                                      "mpi.blocks_that_are_too_long_are_errors"),
    "other calls of no bytes": ("mpi.blocks_of_3_ranks", "mpi.collectives_of_3_ranks",
                                "Calls.accept_null_buffers_where_there_is_nothing_to_do"),
    "Programs must not rely on more": (
        "EndpointStateTest.waits_for_the_reader_of_scratch_that_comes_round",
        "EndpointStateTest.waits_for_the_reader_of_a_line_that_comes_round"),
    "When a call returns": ("VerifySweep.finds_every_contract_true_or_cautious",
                            "InterleavedTriples.of_calls_give_right_results_in_every_order"),
    "Integers, logical and bitwise": ("mpi.types_and_operators_of_3_ranks",
                                      "Kernels.equal_the_reference_at_every_short_length"),
    "Floating point: all ranks": ("mpi.all_ranks_get_the_same_bits",
                                  "Verify.names_ranks_that_round_differently"),
    "Two ranks have one order.": (
        "Collectives.combine_in_an_order_that_does_not_depend_on_the_root",
        "mpi.reproducible_sums_have_the_documented_bits"),
    "With more ranks, the same program": ("KnownCostsFile.tells_later_processes",
                                  "Tuning.is_the_same_on_ranks_that_are_told_of_it",
                                  "TeamProbe.tells_all_ranks_the_same_costs",
                                  "mpi.the_same_program_gets_the_same_bits_again"),
    "Bits may change with": ("Reproducible.is_not_what_teams_are_unless_asked",),
    "They may also change": ("TeamEndpoint.looks_at_its_machine_between_calls",),
    "Within a run, sums of one size": (
        "TeamEndpoint.keeps_the_order_of_sums_whatever_exact_calls_run",
                                       "TeamEndpoint.looks_at_its_machine_between_calls"),
    "`TERRACE_REPRODUCIBLE=1` rules": ("mpi.reproducible_sums_have_the_documented_bits",
                                       "mpi.the_same_program_gets_the_same_bits_again"),
    "An operator that does not commute": (
        "mpi.operators_of_the_programs_of_5_ranks",
        "Combiner.keeps_the_ranks_order_in_every_collective_that_combines"),
    "`TERRACE_REPRODUCIBLE=1`: the bits": (
        "Reproducible.teams_have_the_documented_bits_on_every_machine",
        "mpi.reproducible_sums_have_the_documented_bits"),
    "Nonblocking reductions keep": (
        "mpi.reproducible_sums_are_blocking_ones",
        "mpi.pending_collectives_of_all_kinds_may_be_between"),
    "Products and sums are never fused": ("KernelTable.adds_from_left_to_right",
                                 "Kernels.equal_the_reference_at_every_short_length"),
    "300 KiB of shared memory": ("TeamEndpoint.allocates_scratch_when_a_call_first_needs_it",
                                 "mpi.a_killed_rank_leaves_nothing", "bench.footprint"),
    "Plans are made at the first call": ("Allocations.are_none_once_calls_are_known",
        "TeamEndpoint.finds_what_was_decided_for_hundreds_of_sizes",
                                         "bench.build_time"),
    "The measured costs of a machine": (
        "KnownCostsFile.is_another_for_each_kind_of_processor",
        "KnownCostsFile.leaves_nothing_beside_itself"),
    "The first three jobs": ("KnownCostsFile.tells_later_processes",
                             "KnownCostsFile.lets_a_process_measure_a_regime_once",
                             "KnownCostsFile.wants_three_measurements_and_none_older_than_a_month",
                                        "mpi.the_same_program_gets_the_same_bits_again",
                                        "bench.footprint"),
    "The first 20 to 400 calls": ("Trial.finds_what_is_faster_within_200_calls",
                                  "mpi.the_fastest_way_of_2_ranks_is_found_out"),
    "`TERRACE_TRIALS=off`": ("mpi.the_fastest_way_of_2_ranks_is_found_out",),
    "Ranks that wait spin": (
        "Waiting.keeps_the_core_while_there_are_enough",
        "Waiting.drives_the_mpi_below_before_and_between_naps",
        "Waiting.gives_other_processes_one_turn_and_then_sleeps"),
    "Long blocks may be read by the kernel": (
        "mpi.long_blocks_of_3_ranks_are_pulled", "mpi.pulling_is_tried_before_it_is_chosen",
        "mpi.one_unreadable_rank_makes_all_bounce"),
    "With `TERRACE_REACH=attached`": ("mpi.attached_memory_makes_long_calls_direct",),
    "Of calls over several nodes, ranks": (
        "mpi.calls_that_differ_are_told_over_2_nodes",
        "LaneMismatch.of_a_rank_that_has_gone_on_is_told_at_its_next_call"),
    "Ranks that make calls that do not match": (
        "mpi.calls_that_do_not_match_are_told", "threadranks.calls_that_do_not_match_are_told",
        "Mismatches.are_told_by_both_names",
        "Verify.finds_ranks_that_would_not_be_told_that_their_calls_differ",
        "MismatchesOfMany.are_told_while_others_are_late",
        "mpi.last_calls_that_do_not_match_fail_the_program",
        "threadranks.pending_calls_that_do_not_match_are_told"),
    "The job ends and both calls are named": (
        "mpi.calls_that_do_not_match_are_told", "threadranks.calls_that_do_not_match_are_told"),
    "If they hear of each other only": ("mpi.last_calls_that_do_not_match_fail_the_program",),
    "User-defined operators are only compared": (
        "mpi.an_operator_that_does_not_commute_at_one_rank_is_named",),
    "A block of a gatherv": ("mpi.blocks_that_are_too_long_are_errors",
                             "threadranks.blocks_that_are_too_long_are_errors"),
    "A rank that dies or exits": ("mpi.a_killed_rank_ends_the_job",
                                   "mpi.a_rank_that_leaves_ends_the_job",
                                   "mpi.a_rank_that_becomes_another_ends_the_job",
                                   "mpi.a_rank_that_dies_in_the_mpi_ends_a_checked_job"),
    "A launcher that notices the death": ("mpi.a_killed_rank_leaves_nothing",),
    "So does one that frees the communicator": ("mpi.a_rank_that_ends_mpi_early_is_named",),
    "One that is late": ("mpi.a_late_rank_is_named",),
    "Before MPI_Init has returned": ("mpi.a_killed_rank_leaves_nothing",),
    "Calls with wrong arguments fall back to the MPI": (
        "mpi.errors_are_returned_where_a_handler_returns",
        "mpi.buffers_that_mpi_does_not_allow_are_errors"),
    "If only some ranks make the mistake": ("mpi.a_call_that_is_wrong_at_one_rank_is_waited_for",),
    "Anything that Terrace needs": (
        "mpi.a_rank_without_terrace_is_noticed", "mpi.off_means_off",
        "mpi.communicators_that_cannot_be_teams_fall_back"),
}


def sentences_of(text: str) -> List[str]:
    """Rows of tables count as one sentence each, but for their heads."""
    found = []
    for block in re.split(r"\n\s*\n|\n(?=\* )", text):
        lines = block.strip().splitlines()
        if not lines or lines[0].startswith("#"):
            continue
        if lines[0].startswith("|"):
            found += [re.sub(r"^\|\s*|\s*\|$", "", line) for line in lines[2:]]
            continue
        plain = re.sub(r"^\* ", "", " ".join(lines))
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", plain)
        found += re.split(r"(?<=[.)])\s+(?=[A-Z`])", plain)
    return found


def tests_there_are() -> List[str]:
    names = ["bench." + folder.name for folder in (ROOT / "bench").iterdir() if folder.is_dir()]
    for room, tables in (("mpi", "subjects/*.py"), ("threadranks", "run.py")):
        for path in (ROOT / "tests" / room).glob(tables):
            rows = re.findall(r'^    "(\w+)":', path.read_text(), re.M)
            names += ["%s.%s" % (room, row) for row in rows]
    for file in (ROOT / "tests" / "unit").glob("*/*_test.cpp"):
        names += [".".join(test) for test in
                  re.findall(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", file.read_text(), re.M)]
    return names


def faults_of(text: str, shown_by: Dict[str, Sequence[str]], tests: Sequence[str]) -> List[str]:
    found = []
    beginnings = list(shown_by)
    sentences = sentences_of(text)
    for sentence in sentences:
        mine = [one for one in beginnings if sentence.startswith(one)]
        if len(mine) != 1:
            found.append("%d entries for: %s" % (len(mine), sentence))
    for beginning, names in shown_by.items():
        if not any(sentence.startswith(beginning) for sentence in sentences):
            found.append("no sentence begins: " + beginning)
        found += ["there is no test %s, for: %s" % (name, beginning)
                  for name in names if name not in tests]
    return found


def self_test() -> int:
    text = "# A\n\nIt runs. It ends.\n\n| call | ends |\n|---|---|\n| barrier | soon |\n"
    entries = {"It runs": ("Suite.runs",), "It ends": ("Suite.ends",), "barrier |": ()}
    tests = ["Suite.runs", "Suite.ends"]
    holds = (sentences_of(text) == ["It runs.", "It ends.", "barrier | soon"]
             and faults_of(text, entries, tests) == []
             and faults_of(text, entries, tests[:1])
             == ["there is no test Suite.ends, for: It ends"]
             and faults_of(text + "\nIt flies.\n", entries, tests) == ["0 entries for: It flies."]
             and faults_of("It runs.", entries, tests) == ["no sentence begins: It ends",
                                                           "no sentence begins: barrier |"])
    print("finds what is missing" if holds else "FAILED: misses what is missing")
    return 0 if holds else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="complain of what is missing")
    what.add_argument("--list", action="store_true", help="print all sentences with their tests")
    what.add_argument("--self-test", action="store_true", help="check this program")
    chosen = parser.parse_args()
    if chosen.self_test:
        return self_test()
    if chosen.list:
        for sentence in sentences_of(PAGE.read_text()):
            names = [SHOWN_BY[one] for one in SHOWN_BY if sentence.startswith(one)]
            print("%s\n    %s" % (sentence, ", ".join(names[0]) if names else "no entry"))
        return 0
    faults = faults_of(PAGE.read_text(), SHOWN_BY, tests_there_are())
    for fault in faults:
        print("FAILED: " + fault)
    if not faults:
        print("all %d sentences have their tests" % len(sentences_of(PAGE.read_text())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
