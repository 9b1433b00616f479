// SPDX-License-Identifier: BSD-3-Clause
// The entry points that exist both with counts of int, and as MPI_X_c with MPI_Count. Included once
// for each by entry_points_inl.hpp, with `Number` as the type of counts, `Displacement` as that of
// displacements, TERRACE_ENTRY, and TERRACE_IS_OURS.

TERRACE_ENTRY(MPI_Bcast)(void* buffer, Number count, HandleWord type, int root, HandleWord comm) {
  if (TERRACE_IS_OURS(MPI_Bcast)) {
    const Handle mask = handle_mask();
    const MpiCall call{comm & mask, nullptr, buffer, count, type & mask, 0, root};
    if (repeat(Collective::bcast, call) || run_bcast(call)) return kSuccess;
  }
  return forward(next_collectives<Number, kNames>().bcast, buffer, count, type, root, comm);
}

TERRACE_ENTRY(MPI_Reduce)
(const void* input, void* output, Number count, HandleWord type, HandleWord op, int root,
 HandleWord comm) {
  if (TERRACE_IS_OURS(MPI_Reduce)) {
    const Handle mask = handle_mask();
    const MpiCall call{comm & mask, input, output, count, type & mask, op & mask, root};
    if (repeat(Collective::reduce, call) || run_reduction(Collective::reduce, call))
      return kSuccess;
  }
  return forward(next_collectives<Number, kNames>().reduce, input, output, count, type, op, root,
                 comm);
}

// Reductions without a root. Who repeats a call and who runs it anew each get a call of their own,
// so that the first stays in registers.
#define TERRACE_COMBINING(NAME, LOWER)                                                       \
  TERRACE_ENTRY(NAME)                                                                        \
  (const void* input, void* output, Number count, HandleWord type, HandleWord op,            \
   HandleWord comm) {                                                                        \
    if (TERRACE_IS_OURS(NAME)) {                                                             \
      const Handle mask = handle_mask();                                                     \
      const auto call = [&] {                                                                \
        return MpiCall{comm & mask, input, output, count, type & mask, op & mask};           \
      };                                                                                     \
      if (repeat(Collective::LOWER, call()) || run_reduction(Collective::LOWER, call()))     \
        return kSuccess;                                                                     \
    }                                                                                        \
    return forward(next_collectives<Number, kNames>().LOWER, input, output, count, type, op, \
                   comm);                                                                    \
  }
TERRACE_COMBINING(MPI_Allreduce, allreduce)
TERRACE_COMBINING(MPI_Reduce_scatter_block, reduce_scatter_block)
TERRACE_COMBINING(MPI_Scan, scan)
TERRACE_COMBINING(MPI_Exscan, exscan)
#undef TERRACE_COMBINING

// Exchanges of one block from or to each rank, with and without a root.
#define TERRACE_MOVING(NAME, LOWER)                                                              \
  TERRACE_ENTRY(NAME)                                                                            \
  (const void* input, Number count, HandleWord type, void* output, Number output_count,          \
   HandleWord output_type, HandleWord comm) {                                                    \
    if (TERRACE_IS_OURS(NAME)) {                                                                 \
      const Handle mask = handle_mask();                                                         \
      const RegularExchange call{                                                                \
          comm & mask, {input, count, type & mask}, {output, output_count, output_type & mask}}; \
      if (repeat(Collective::LOWER, call) || run_exchange(Collective::LOWER, call))              \
        return kSuccess;                                                                         \
    }                                                                                            \
    return forward(next_collectives<Number, kNames>().LOWER, input, count, type, output,         \
                   output_count, output_type, comm);                                             \
  }
TERRACE_MOVING(MPI_Allgather, allgather)
TERRACE_MOVING(MPI_Alltoall, alltoall)
#undef TERRACE_MOVING

#define TERRACE_MOVING(NAME, LOWER)                                                      \
  TERRACE_ENTRY(NAME)                                                                    \
  (const void* input, Number count, HandleWord type, void* output, Number output_count,  \
   HandleWord output_type, int root, HandleWord comm) {                                  \
    if (TERRACE_IS_OURS(NAME)) {                                                         \
      const Handle mask = handle_mask();                                                 \
      const RegularExchange call{comm & mask,                                            \
                                 {input, count, type & mask},                            \
                                 {output, output_count, output_type & mask},             \
                                 root};                                                  \
      if (repeat(Collective::LOWER, call) || run_exchange(Collective::LOWER, call))      \
        return kSuccess;                                                                 \
    }                                                                                    \
    return forward(next_collectives<Number, kNames>().LOWER, input, count, type, output, \
                   output_count, output_type, root, comm);                               \
  }
TERRACE_MOVING(MPI_Gather, gather)
TERRACE_MOVING(MPI_Scatter, scatter)
#undef TERRACE_MOVING

// The v-collectives.

TERRACE_ENTRY(MPI_Allgatherv)
(const void* input, Number count, HandleWord type, void* output, const Number* counts,
 const Displacement* places, HandleWord output_type, HandleWord comm) {
  if (TERRACE_IS_OURS(MPI_Allgatherv))
    if (const auto error = run_vector_exchange(
            Collective::allgatherv, {handle_in<Comm>(comm), one_block(input, &count, type),
                                     blocks(output, counts, places, output_type)}))
      return *error;
  return forward(next_collectives<Number, kNames>().allgatherv, input, count, type, output, counts,
                 places, output_type, comm);
}

TERRACE_ENTRY(MPI_Gatherv)
(const void* input, Number count, HandleWord type, void* output, const Number* counts,
 const Displacement* places, HandleWord output_type, int root, HandleWord comm) {
  if (TERRACE_IS_OURS(MPI_Gatherv))
    if (const auto error = run_vector_exchange(
            Collective::gatherv, {handle_in<Comm>(comm), one_block(input, &count, type),
                                  blocks(output, counts, places, output_type), root}))
      return *error;
  return forward(next_collectives<Number, kNames>().gatherv, input, count, type, output, counts,
                 places, output_type, root, comm);
}

TERRACE_ENTRY(MPI_Scatterv)
(const void* input, const Number* counts, const Displacement* places, HandleWord type, void* output,
 Number count, HandleWord output_type, int root, HandleWord comm) {
  if (TERRACE_IS_OURS(MPI_Scatterv))
    if (const auto error = run_vector_exchange(
            Collective::scatterv, {handle_in<Comm>(comm), blocks(input, counts, places, type),
                                   one_block(output, &count, output_type), root}))
      return *error;
  return forward(next_collectives<Number, kNames>().scatterv, input, counts, places, type, output,
                 count, output_type, root, comm);
}

TERRACE_ENTRY(MPI_Alltoallv)
(const void* input, const Number* counts, const Displacement* places, HandleWord type, void* output,
 const Number* output_counts, const Displacement* output_places, HandleWord output_type,
 HandleWord comm) {
  if (TERRACE_IS_OURS(MPI_Alltoallv))
    if (const auto error = run_vector_exchange(
            Collective::alltoallv, {handle_in<Comm>(comm), blocks(input, counts, places, type),
                                    blocks(output, output_counts, output_places, output_type)}))
      return *error;
  return forward(next_collectives<Number, kNames>().alltoallv, input, counts, places, type, output,
                 output_counts, output_places, output_type, comm);
}

TERRACE_ENTRY(MPI_Alltoallw)
(const void* input, const Number* counts, const Displacement* places, const Datatype* types,
 void* output, const Number* output_counts, const Displacement* output_places,
 const Datatype* output_types, HandleWord comm) {
  if (TERRACE_IS_OURS(MPI_Alltoallw))
    if (const auto error =
            run_vector_exchange(Collective::alltoallw,
                                {handle_in<Comm>(comm), typed_blocks(input, counts, places, types),
                                 typed_blocks(output, output_counts, output_places, output_types)}))
      return *error;
  return forward(next_collectives<Number, kNames>().alltoallw, input, counts, places, types, output,
                 output_counts, output_places, output_types, comm);
}

TERRACE_ENTRY(MPI_Reduce_scatter)
(const void* input, void* output, const Number* counts, HandleWord type, HandleWord op,
 HandleWord comm) {
  if (TERRACE_IS_OURS(MPI_Reduce_scatter) &&
      run_reduce_scatter(
          {handle_in<Comm>(comm), input, output, 0, handle_in<Datatype>(type), handle_in<Op>(op)},
          counts))
    return kSuccess;
  return forward(next_collectives<Number, kNames>().reduce_scatter, input, output, counts, type, op,
                 comm);
}
