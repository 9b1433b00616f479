# What ctest cannot know of single tests on a fresh clone.

# Ranks that spin for each other: next to another test they take a scheduler's turn for each call,
# two minutes instead of three seconds.
set_tests_properties(execute.Run.shows_a_line_when_all_its_values_are_there PROPERTIES PROCESSORS 2)
foreach(ranks 2 3 4 8)
  set_tests_properties("execute.Ranks/Threads.mixed_calls_give_right_results/${ranks}"
                       PROPERTIES PROCESSORS 2)
endforeach()

# Longest first, or a core has nothing to do in the end.
set_tests_properties(
  verify.VerifySweep.proves_every_algorithm_on_every_shape_with_every_root
  verify.VerifySweep.finds_every_contract_true_or_cautious
  "execute.Ranks/InterleavedTriples.of_calls_give_right_results_in_every_order/4"
  "execute.Ranks/InterleavedTriples.of_calls_give_right_results_in_every_order/3"
  PROPERTIES COST 100)
