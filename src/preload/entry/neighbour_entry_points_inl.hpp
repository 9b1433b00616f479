// SPDX-License-Identifier: BSD-3-Clause
// The entry points of neighbourhood collectives, blocking, nonblocking and persistent, with counts
// of int and as MPI_X_c. Included once for each, as entry_points_with_counts_inl.hpp is.

#define TERRACE_LIST(...) __VA_ARGS__

// NAME: of a collective, as MPI spells it. IS_REGULAR: as in calls.hpp. PARAMETERS, ARGUMENTS: of
// MPI_Neighbor_X, in parentheses, but for the communicator. INPUT, OUTPUT: its buffers.
#define TERRACE_ALONG_EDGES(NAME, COLLECTIVE, IS_REGULAR, PARAMETERS, ARGUMENTS, INPUT, OUTPUT) \
  TERRACE_ENTRY(MPI_Neighbor_##NAME)(TERRACE_LIST PARAMETERS, HandleWord comm) {                \
    if (TERRACE_IS_OURS(MPI_Neighbor_##NAME))                                                   \
      if (const auto error = run_neighbour_exchange(                                            \
              Collective::COLLECTIVE, {handle_in<Comm>(comm), IS_REGULAR, INPUT, OUTPUT}))      \
        return *error;                                                                          \
    return forward(next_neighbours<Number, kNames>().NAME, TERRACE_LIST ARGUMENTS, comm);       \
  }                                                                                             \
  TERRACE_ENTRY(MPI_Ineighbor_##NAME)                                                           \
  (TERRACE_LIST PARAMETERS, HandleWord comm, void* request) {                                   \
    if (TERRACE_IS_OUR_START(MPI_Ineighbor_##NAME)) {                                           \
      StartedRequest started(request);                                                          \
      if (start_neighbour_exchange(Collective::COLLECTIVE,                                      \
                                   {handle_in<Comm>(comm), IS_REGULAR, INPUT, OUTPUT},          \
                                   started.handle))                                             \
        return started.give();                                                                  \
    }                                                                                           \
    return forward(next_neighbours<Number, kNames, void*>().NAME, TERRACE_LIST ARGUMENTS, comm, \
                   request);                                                                    \
  }                                                                                             \
  TERRACE_ALONG_EDGES_AGAIN(NAME, COLLECTIVE, IS_REGULAR, PARAMETERS, ARGUMENTS, INPUT, OUTPUT)

#if TERRACE_PERSISTENT
#define TERRACE_ALONG_EDGES_AGAIN(NAME, COLLECTIVE, IS_REGULAR, PARAMETERS, ARGUMENTS, INPUT, \
                                  OUTPUT)                                                     \
  TERRACE_ENTRY(MPI_Neighbor_##NAME##_init)                                                   \
  (TERRACE_LIST PARAMETERS, HandleWord comm, HandleWord info, void* request) {                \
    if (TERRACE_IS_OUR_START(MPI_Neighbor_##NAME##_init)) {                                   \
      StartedRequest given(request);                                                          \
      if (initialize_neighbour_exchange(Collective::COLLECTIVE,                               \
                                        {handle_in<Comm>(comm), IS_REGULAR, INPUT, OUTPUT},   \
                                        given.handle))                                        \
        return given.give();                                                                  \
    }                                                                                         \
    return forward(next_neighbours<Number, kNames, HandleWord, void*>().NAME,                 \
                   TERRACE_LIST ARGUMENTS, comm, info, request);                              \
  }
#else
#define TERRACE_ALONG_EDGES_AGAIN(NAME, COLLECTIVE, IS_REGULAR, PARAMETERS, ARGUMENTS, INPUT, \
                                  OUTPUT)
#endif

TERRACE_ALONG_EDGES(allgather, neighbour_allgather, true,
                    (const void* input, Number count, HandleWord type, void* output,
                     Number output_count, HandleWord output_type),
                    (input, count, type, output, output_count, output_type),
                    one_block(input, &count, type),
                    blocks_in_a_row(output, output_count, output_type))
TERRACE_ALONG_EDGES(allgatherv, neighbour_allgather, true,
                    (const void* input, Number count, HandleWord type, void* output,
                     const Number* counts, const Displacement* places, HandleWord output_type),
                    (input, count, type, output, counts, places, output_type),
                    one_block(input, &count, type), blocks(output, counts, places, output_type))
TERRACE_ALONG_EDGES(alltoall, neighbour_alltoall, true,
                    (const void* input, Number count, HandleWord type, void* output,
                     Number output_count, HandleWord output_type),
                    (input, count, type, output, output_count, output_type),
                    blocks_in_a_row(input, count, type),
                    blocks_in_a_row(output, output_count, output_type))
TERRACE_ALONG_EDGES(alltoallv, neighbour_alltoall, false,
                    (const void* input, const Number* counts, const Displacement* places,
                     HandleWord type, void* output, const Number* output_counts,
                     const Displacement* output_places, HandleWord output_type),
                    (input, counts, places, type, output, output_counts, output_places,
                     output_type),
                    blocks(input, counts, places, type),
                    blocks(output, output_counts, output_places, output_type))
// Displacements are addresses even with counts of int.
TERRACE_ALONG_EDGES(alltoallw, neighbour_alltoall, false,
                    (const void* input, const Number* counts, const std::intptr_t* places,
                     const Datatype* types, void* output, const Number* output_counts,
                     const std::intptr_t* output_places, const Datatype* output_types),
                    (input, counts, places, types, output, output_counts, output_places,
                     output_types),
                    typed_blocks(input, counts, places, types),
                    typed_blocks(output, output_counts, output_places, output_types))

#undef TERRACE_ALONG_EDGES
#undef TERRACE_ALONG_EDGES_AGAIN
#undef TERRACE_LIST
