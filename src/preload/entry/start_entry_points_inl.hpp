// SPDX-License-Identifier: BSD-3-Clause
// The entry points of nonblocking collectives that exist both with counts of int, and as MPI_X_c.
// Included once for each, as entry_points_with_counts_inl.hpp is.

TERRACE_ENTRY(MPI_Ibcast)
(void* buffer, Number count, HandleWord type, int root, HandleWord comm, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Ibcast)) {
    const Handle mask = handle_mask();
    const MpiCall call{comm & mask, nullptr, buffer, count, type & mask, 0, root};
    StartedRequest started(request);
    if (start_again(Collective::bcast, call, started.handle) || start_bcast(call, started.handle))
      return started.give();
  }
  return forward(next_starts<Number, kNames>().bcast, buffer, count, type, root, comm, request);
}

TERRACE_ENTRY(MPI_Ireduce)
(const void* input, void* output, Number count, HandleWord type, HandleWord op, int root,
 HandleWord comm, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Ireduce)) {
    const Handle mask = handle_mask();
    const MpiCall call{comm & mask, input, output, count, type & mask, op & mask, root};
    StartedRequest started(request);
    if (start_again(Collective::reduce, call, started.handle) ||
        start_reduction(Collective::reduce, call, started.handle))
      return started.give();
  }
  return forward(next_starts<Number, kNames>().reduce, input, output, count, type, op, root, comm,
                 request);
}

// The v-collectives.

TERRACE_ENTRY(MPI_Iallgatherv)
(const void* input, Number count, HandleWord type, void* output, const Number* counts,
 const Displacement* places, HandleWord output_type, HandleWord comm, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Iallgatherv)) {
    StartedRequest started(request);
    if (start_vector_exchange(Collective::allgatherv,
                              {handle_in<Comm>(comm), one_block(input, &count, type),
                               blocks(output, counts, places, output_type)},
                              started.handle))
      return started.give();
  }
  return forward(next_starts<Number, kNames>().allgatherv, input, count, type, output, counts,
                 places, output_type, comm, request);
}

TERRACE_ENTRY(MPI_Igatherv)
(const void* input, Number count, HandleWord type, void* output, const Number* counts,
 const Displacement* places, HandleWord output_type, int root, HandleWord comm, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Igatherv)) {
    StartedRequest started(request);
    if (start_vector_exchange(Collective::gatherv,
                              {handle_in<Comm>(comm), one_block(input, &count, type),
                               blocks(output, counts, places, output_type), root},
                              started.handle))
      return started.give();
  }
  return forward(next_starts<Number, kNames>().gatherv, input, count, type, output, counts, places,
                 output_type, root, comm, request);
}

TERRACE_ENTRY(MPI_Iscatterv)
(const void* input, const Number* counts, const Displacement* places, HandleWord type, void* output,
 Number count, HandleWord output_type, int root, HandleWord comm, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Iscatterv)) {
    StartedRequest started(request);
    if (start_vector_exchange(Collective::scatterv,
                              {handle_in<Comm>(comm), blocks(input, counts, places, type),
                               one_block(output, &count, output_type), root},
                              started.handle))
      return started.give();
  }
  return forward(next_starts<Number, kNames>().scatterv, input, counts, places, type, output, count,
                 output_type, root, comm, request);
}

TERRACE_ENTRY(MPI_Ialltoallv)
(const void* input, const Number* counts, const Displacement* places, HandleWord type, void* output,
 const Number* output_counts, const Displacement* output_places, HandleWord output_type,
 HandleWord comm, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Ialltoallv)) {
    StartedRequest started(request);
    if (start_vector_exchange(Collective::alltoallv,
                              {handle_in<Comm>(comm), blocks(input, counts, places, type),
                               blocks(output, output_counts, output_places, output_type)},
                              started.handle))
      return started.give();
  }
  return forward(next_starts<Number, kNames>().alltoallv, input, counts, places, type, output,
                 output_counts, output_places, output_type, comm, request);
}

TERRACE_ENTRY(MPI_Ialltoallw)
(const void* input, const Number* counts, const Displacement* places, const Datatype* types,
 void* output, const Number* output_counts, const Displacement* output_places,
 const Datatype* output_types, HandleWord comm, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Ialltoallw)) {
    StartedRequest started(request);
    if (start_vector_exchange(Collective::alltoallw,
                              {handle_in<Comm>(comm), typed_blocks(input, counts, places, types),
                               typed_blocks(output, output_counts, output_places, output_types)},
                              started.handle))
      return started.give();
  }
  return forward(next_starts<Number, kNames>().alltoallw, input, counts, places, types, output,
                 output_counts, output_places, output_types, comm, request);
}

TERRACE_ENTRY(MPI_Ireduce_scatter)
(const void* input, void* output, const Number* counts, HandleWord type, HandleWord op,
 HandleWord comm, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Ireduce_scatter)) {
    StartedRequest started(request);
    if (start_reduce_scatter(
            {handle_in<Comm>(comm), input, output, 0, handle_in<Datatype>(type), handle_in<Op>(op)},
            counts, started.handle))
      return started.give();
  }
  return forward(next_starts<Number, kNames>().reduce_scatter, input, output, counts, type, op,
                 comm, request);
}

// Those of blocks of one length.

#define TERRACE_COMBINING(NAME, LOWER)                                                             \
  TERRACE_ENTRY(NAME)                                                                              \
  (const void* input, void* output, Number count, HandleWord type, HandleWord op, HandleWord comm, \
   void* request) {                                                                                \
    if (TERRACE_IS_OUR_START(NAME)) {                                                              \
      const Handle mask = handle_mask();                                                           \
      const MpiCall call{comm & mask, input, output, count, type & mask, op & mask};               \
      StartedRequest started(request);                                                             \
      if (start_again(Collective::LOWER, call, started.handle) ||                                  \
          start_reduction(Collective::LOWER, call, started.handle))                                \
        return started.give();                                                                     \
    }                                                                                              \
    return forward(next_starts<Number, kNames>().LOWER, input, output, count, type, op, comm,      \
                   request);                                                                       \
  }
TERRACE_COMBINING(MPI_Iallreduce, allreduce)
TERRACE_COMBINING(MPI_Ireduce_scatter_block, reduce_scatter_block)
TERRACE_COMBINING(MPI_Iscan, scan)
TERRACE_COMBINING(MPI_Iexscan, exscan)
#undef TERRACE_COMBINING

#define TERRACE_MOVING(NAME, LOWER)                                                               \
  TERRACE_ENTRY(NAME)                                                                             \
  (const void* input, Number count, HandleWord type, void* output, Number output_count,           \
   HandleWord output_type, HandleWord comm, void* request) {                                      \
    if (TERRACE_IS_OUR_START(NAME)) {                                                             \
      const Handle mask = handle_mask();                                                          \
      const RegularExchange call{                                                                 \
          comm & mask, {input, count, type & mask}, {output, output_count, output_type & mask}};  \
      StartedRequest started(request);                                                            \
      if (start_again(Collective::LOWER, call, started.handle) ||                                 \
          start_exchange(Collective::LOWER, call, started.handle))                                \
        return started.give();                                                                    \
    }                                                                                             \
    return forward(next_starts<Number, kNames>().LOWER, input, count, type, output, output_count, \
                   output_type, comm, request);                                                   \
  }
TERRACE_MOVING(MPI_Iallgather, allgather)
TERRACE_MOVING(MPI_Ialltoall, alltoall)
#undef TERRACE_MOVING

#define TERRACE_MOVING(NAME, LOWER)                                                               \
  TERRACE_ENTRY(NAME)                                                                             \
  (const void* input, Number count, HandleWord type, void* output, Number output_count,           \
   HandleWord output_type, int root, HandleWord comm, void* request) {                            \
    if (TERRACE_IS_OUR_START(NAME)) {                                                             \
      const Handle mask = handle_mask();                                                          \
      const RegularExchange call{comm & mask,                                                     \
                                 {input, count, type & mask},                                     \
                                 {output, output_count, output_type & mask},                      \
                                 root};                                                           \
      StartedRequest started(request);                                                            \
      if (start_again(Collective::LOWER, call, started.handle) ||                                 \
          start_exchange(Collective::LOWER, call, started.handle))                                \
        return started.give();                                                                    \
    }                                                                                             \
    return forward(next_starts<Number, kNames>().LOWER, input, count, type, output, output_count, \
                   output_type, root, comm, request);                                             \
  }
TERRACE_MOVING(MPI_Igather, gather)
TERRACE_MOVING(MPI_Iscatter, scatter)
#undef TERRACE_MOVING
