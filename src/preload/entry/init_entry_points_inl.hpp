// SPDX-License-Identifier: BSD-3-Clause
// The entry points that initialize persistent collectives, with counts of int and as MPI_X_init_c.
// Included once for each, as entry_points_with_counts_inl.hpp is.

TERRACE_ENTRY(MPI_Bcast_init)
(void* buffer, Number count, HandleWord type, int root, HandleWord comm, HandleWord info,
 void* request) {
  if (TERRACE_IS_OUR_START(MPI_Bcast_init)) {
    const Handle mask = handle_mask();
    StartedRequest given(request);
    if (initialize_bcast({comm & mask, nullptr, buffer, count, type & mask, 0, root}, given.handle))
      return given.give();
  }
  return forward(next_inits<Number, kNames>().bcast, buffer, count, type, root, comm, info,
                 request);
}

TERRACE_ENTRY(MPI_Reduce_init)
(const void* input, void* output, Number count, HandleWord type, HandleWord op, int root,
 HandleWord comm, HandleWord info, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Reduce_init)) {
    const Handle mask = handle_mask();
    StartedRequest given(request);
    if (initialize_reduction(Collective::reduce,
                             {comm & mask, input, output, count, type & mask, op & mask, root},
                             given.handle))
      return given.give();
  }
  return forward(next_inits<Number, kNames>().reduce, input, output, count, type, op, root, comm,
                 info, request);
}

// The v-collectives.

TERRACE_ENTRY(MPI_Allgatherv_init)
(const void* input, Number count, HandleWord type, void* output, const Number* counts,
 const Displacement* places, HandleWord output_type, HandleWord comm, HandleWord info,
 void* request) {
  if (TERRACE_IS_OUR_START(MPI_Allgatherv_init)) {
    StartedRequest given(request);
    if (initialize_vector_exchange(Collective::allgatherv,
                                   {handle_in<Comm>(comm), one_block(input, &count, type),
                                    blocks(output, counts, places, output_type)},
                                   given.handle))
      return given.give();
  }
  return forward(next_inits<Number, kNames>().allgatherv, input, count, type, output, counts,
                 places, output_type, comm, info, request);
}

TERRACE_ENTRY(MPI_Gatherv_init)
(const void* input, Number count, HandleWord type, void* output, const Number* counts,
 const Displacement* places, HandleWord output_type, int root, HandleWord comm, HandleWord info,
 void* request) {
  if (TERRACE_IS_OUR_START(MPI_Gatherv_init)) {
    StartedRequest given(request);
    if (initialize_vector_exchange(Collective::gatherv,
                                   {handle_in<Comm>(comm), one_block(input, &count, type),
                                    blocks(output, counts, places, output_type), root},
                                   given.handle))
      return given.give();
  }
  return forward(next_inits<Number, kNames>().gatherv, input, count, type, output, counts, places,
                 output_type, root, comm, info, request);
}

TERRACE_ENTRY(MPI_Scatterv_init)
(const void* input, const Number* counts, const Displacement* places, HandleWord type, void* output,
 Number count, HandleWord output_type, int root, HandleWord comm, HandleWord info, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Scatterv_init)) {
    StartedRequest given(request);
    if (initialize_vector_exchange(Collective::scatterv,
                                   {handle_in<Comm>(comm), blocks(input, counts, places, type),
                                    one_block(output, &count, output_type), root},
                                   given.handle))
      return given.give();
  }
  return forward(next_inits<Number, kNames>().scatterv, input, counts, places, type, output, count,
                 output_type, root, comm, info, request);
}

TERRACE_ENTRY(MPI_Alltoallv_init)
(const void* input, const Number* counts, const Displacement* places, HandleWord type, void* output,
 const Number* output_counts, const Displacement* output_places, HandleWord output_type,
 HandleWord comm, HandleWord info, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Alltoallv_init)) {
    StartedRequest given(request);
    if (initialize_vector_exchange(Collective::alltoallv,
                                   {handle_in<Comm>(comm), blocks(input, counts, places, type),
                                    blocks(output, output_counts, output_places, output_type)},
                                   given.handle))
      return given.give();
  }
  return forward(next_inits<Number, kNames>().alltoallv, input, counts, places, type, output,
                 output_counts, output_places, output_type, comm, info, request);
}

TERRACE_ENTRY(MPI_Alltoallw_init)
(const void* input, const Number* counts, const Displacement* places, const Datatype* types,
 void* output, const Number* output_counts, const Displacement* output_places,
 const Datatype* output_types, HandleWord comm, HandleWord info, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Alltoallw_init)) {
    StartedRequest given(request);
    if (initialize_vector_exchange(
            Collective::alltoallw,
            {handle_in<Comm>(comm), typed_blocks(input, counts, places, types),
             typed_blocks(output, output_counts, output_places, output_types)},
            given.handle))
      return given.give();
  }
  return forward(next_inits<Number, kNames>().alltoallw, input, counts, places, types, output,
                 output_counts, output_places, output_types, comm, info, request);
}

TERRACE_ENTRY(MPI_Reduce_scatter_init)
(const void* input, void* output, const Number* counts, HandleWord type, HandleWord op,
 HandleWord comm, HandleWord info, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Reduce_scatter_init)) {
    StartedRequest given(request);
    if (initialize_reduce_scatter(
            {handle_in<Comm>(comm), input, output, 0, handle_in<Datatype>(type), handle_in<Op>(op)},
            counts, given.handle))
      return given.give();
  }
  return forward(next_inits<Number, kNames>().reduce_scatter, input, output, counts, type, op, comm,
                 info, request);
}

// Those of blocks of one length.

#define TERRACE_COMBINING(NAME, LOWER)                                                             \
  TERRACE_ENTRY(NAME)                                                                              \
  (const void* input, void* output, Number count, HandleWord type, HandleWord op, HandleWord comm, \
   HandleWord info, void* request) {                                                               \
    if (TERRACE_IS_OUR_START(NAME)) {                                                              \
      const Handle mask = handle_mask();                                                           \
      StartedRequest given(request);                                                               \
      if (initialize_reduction(Collective::LOWER,                                                  \
                               {comm & mask, input, output, count, type & mask, op & mask},        \
                               given.handle))                                                      \
        return given.give();                                                                       \
    }                                                                                              \
    return forward(next_inits<Number, kNames>().LOWER, input, output, count, type, op, comm, info, \
                   request);                                                                       \
  }
TERRACE_COMBINING(MPI_Allreduce_init, allreduce)
TERRACE_COMBINING(MPI_Reduce_scatter_block_init, reduce_scatter_block)
TERRACE_COMBINING(MPI_Scan_init, scan)
TERRACE_COMBINING(MPI_Exscan_init, exscan)
#undef TERRACE_COMBINING

#define TERRACE_MOVING(NAME, LOWER)                                                              \
  TERRACE_ENTRY(NAME)                                                                            \
  (const void* input, Number count, HandleWord type, void* output, Number output_count,          \
   HandleWord output_type, HandleWord comm, HandleWord info, void* request) {                    \
    if (TERRACE_IS_OUR_START(NAME)) {                                                            \
      const Handle mask = handle_mask();                                                         \
      StartedRequest given(request);                                                             \
      if (initialize_exchange(Collective::LOWER,                                                 \
                              {comm & mask,                                                      \
                               {input, count, type & mask},                                      \
                               {output, output_count, output_type & mask}},                      \
                              given.handle))                                                     \
        return given.give();                                                                     \
    }                                                                                            \
    return forward(next_inits<Number, kNames>().LOWER, input, count, type, output, output_count, \
                   output_type, comm, info, request);                                            \
  }
TERRACE_MOVING(MPI_Allgather_init, allgather)
TERRACE_MOVING(MPI_Alltoall_init, alltoall)
#undef TERRACE_MOVING

#define TERRACE_MOVING(NAME, LOWER)                                                              \
  TERRACE_ENTRY(NAME)                                                                            \
  (const void* input, Number count, HandleWord type, void* output, Number output_count,          \
   HandleWord output_type, int root, HandleWord comm, HandleWord info, void* request) {          \
    if (TERRACE_IS_OUR_START(NAME)) {                                                            \
      const Handle mask = handle_mask();                                                         \
      StartedRequest given(request);                                                             \
      if (initialize_exchange(Collective::LOWER,                                                 \
                              {comm & mask,                                                      \
                               {input, count, type & mask},                                      \
                               {output, output_count, output_type & mask},                       \
                               root},                                                            \
                              given.handle))                                                     \
        return given.give();                                                                     \
    }                                                                                            \
    return forward(next_inits<Number, kNames>().LOWER, input, count, type, output, output_count, \
                   output_type, root, comm, info, request);                                      \
  }
TERRACE_MOVING(MPI_Gather_init, gather)
TERRACE_MOVING(MPI_Scatter_init, scatter)
#undef TERRACE_MOVING
