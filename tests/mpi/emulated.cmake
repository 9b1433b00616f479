# The preload built for another processor, under Debian's MPIs for it, which are a root for the
# emulator by themselves. Launchers are this machine's. Included by CMakeLists.txt of this folder.
set(mpis ${PROJECT_SOURCE_DIR}/build/aarch64-mpis)
set(libraries_of_mpis ${mpis}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
set(emulator_option --emulator "qemu-aarch64-static -L ${mpis}")
set(seconds_of_a_row 600)

set(words_mpich -I${mpis}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/mpich -L${libraries_of_mpis})
set(libraries_mpich -lmpich)
set(words_openmpi -I${libraries_of_mpis}/openmpi/include -L${libraries_of_mpis}/openmpi/lib)
set(libraries_openmpi -lmpi)

# In these the MPI itself does little. MPICH 4.0 alone hangs here, in half of the runs, where ranks
# use windows or nonblocking calls (the situation passive_target, the soak).
set(rows_of_mpich abi_is_as_in_mpi_h collectives_of_2_ranks collectives_of_3_ranks
    blocks_of_2_ranks blocks_of_3_ranks types_and_operators_of_2_ranks
    operators_of_the_programs_of_2_ranks layouts_differ_between_ranks
    errors_are_returned_where_a_handler_returns callbacks_may_call_on_what_is_freed
    buffers_at_one_address_may_be_apart reproducible_sums_have_the_documented_bits
    another_collective_is_named a_killed_rank_leaves_nothing a_shared_heap_makes_long_calls_direct)
set(rows_of_openmpi ${rows_of_mpich} a_soak_of_3_ranks pending_isend_progresses
    what_came_before_a_barrier_is_seen_at_once passive_target_progresses
    pending_iallreduce_progresses threads_use_different_communicators
    communicators_are_freed_in_any_order late_ranks_are_awaited
    mixed_calls_do_not_disturb_each_other all_ranks_get_the_same_bits
    callbacks_may_call_while_mpi_ends buffers_that_mpi_does_not_allow_are_errors
    types_that_are_not_committed_are_errors off_means_off misspelt_settings_are_said
    check_finds_no_difference a_users_plan_runs a_plan_runs_by_its_name
    idle_teams_serve_later_communicators short_lives_have_no_teams intercommunicators_and_mergers
    another_root_is_named another_size_is_named calls_that_do_not_match_are_told
    a_killed_rank_ends_the_job a_rank_that_leaves_ends_the_job a_stopped_rank_is_awaited
    a_late_rank_is_named performance_variables_are_told
    a_gpu_runtime_that_cannot_be_asked_leaves_all_to_the_mpi buffers_on_a_device_at_all_ranks
    buffers_on_a_device_at_one_rank buffers_on_a_device_by_hip)
foreach(family mpich openmpi)
  if(NOT EXISTS ${mpis})
    add_test(NAME mpi.aarch64_${family} COMMAND ${CMAKE_COMMAND} -E echo
             "skipped: no MPIs for AArch64 in build/aarch64-mpis (./dev sweep --aarch64)")
    set_tests_properties(mpi.aarch64_${family} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped")
    continue()
  endif()
  find_program(mpirun_${family} mpirun.${family})
  set(words ${words_${family}} -Wl,-rpath-link,${libraries_of_mpis} -Wl,--allow-shlib-undefined
      -Wl,--push-state,--no-as-needed ${libraries_${family}} -Wl,--pop-state)
  tests_for(aarch64_${family} ${family} "${CMAKE_C_COMPILER};${words}"
            "${CMAKE_CXX_COMPILER};${words}" "${mpirun_${family}}" "" "" "" "${rows_of_${family}}")
endforeach()
