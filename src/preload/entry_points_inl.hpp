// SPDX-License-Identifier: BSD-3-Clause
// The entry points that there are twice: with counts of int, and as MPI_X_c with MPI_Count.
// Included once for each, with `Number` as the type of counts, `Place` as that of displacements,
// and TERRACE_NAME for their names.

TERRACE_ENTRY TERRACE_NAME(MPI_Bcast)(void* buffer, Number count, Word type, int root, Word comm) {
  if (run_bcast(
          {handle_in<Comm>(comm), nullptr, buffer, count, handle_in<Datatype>(type), 0, root}))
    return kSuccess;
  return forward(next_collectives<Number>().bcast, buffer, count, type, root, comm);
}

TERRACE_ENTRY TERRACE_NAME(MPI_Reduce)(const void* input, void* output, Number count, Word type,
                                       Word op, int root, Word comm) {
  if (run_reduction(Collective::reduce, {handle_in<Comm>(comm), input, output, count,
                                         handle_in<Datatype>(type), handle_in<Op>(op), root}))
    return kSuccess;
  return forward(next_collectives<Number>().reduce, input, output, count, type, op, root, comm);
}

// What combines elements, without a root.
#define TERRACE_COMBINING(NAME, LOWER)                                                       \
  TERRACE_ENTRY TERRACE_NAME(NAME)(const void* input, void* output, Number count, Word type, \
                                   Word op, Word comm) {                                     \
    if (run_reduction(Collective::LOWER, {handle_in<Comm>(comm), input, output, count,       \
                                          handle_in<Datatype>(type), handle_in<Op>(op)}))    \
      return kSuccess;                                                                       \
    return forward(next_collectives<Number>().LOWER, input, output, count, type, op, comm);  \
  }
TERRACE_COMBINING(MPI_Allreduce, allreduce)
TERRACE_COMBINING(MPI_Reduce_scatter_block, reduce_scatter_block)
TERRACE_COMBINING(MPI_Scan, scan)
TERRACE_COMBINING(MPI_Exscan, exscan)
#undef TERRACE_COMBINING

// What moves a block from or to each rank, with and without a root.
#define TERRACE_MOVING(NAME, LOWER)                                                            \
  TERRACE_ENTRY TERRACE_NAME(NAME)(const void* input, Number count, Word type, void* output,   \
                                   Number output_count, Word output_type, Word comm) {         \
    if (run_exchange(Collective::LOWER,                                                        \
                     {handle_in<Comm>(comm),                                                   \
                      {input, count, handle_in<Datatype>(type)},                               \
                      {output, output_count, handle_in<Datatype>(output_type)}}))              \
      return kSuccess;                                                                         \
    return forward(next_collectives<Number>().LOWER, input, count, type, output, output_count, \
                   output_type, comm);                                                         \
  }
TERRACE_MOVING(MPI_Allgather, allgather)
TERRACE_MOVING(MPI_Alltoall, alltoall)
#undef TERRACE_MOVING

#define TERRACE_MOVING(NAME, LOWER)                                                                \
  TERRACE_ENTRY TERRACE_NAME(NAME)(const void* input, Number count, Word type, void* output,       \
                                   Number output_count, Word output_type, int root, Word comm) {   \
    if (run_exchange(Collective::LOWER, {handle_in<Comm>(comm),                                    \
                                         {input, count, handle_in<Datatype>(type)},                \
                                         {output, output_count, handle_in<Datatype>(output_type)}, \
                                         root}))                                                   \
      return kSuccess;                                                                             \
    return forward(next_collectives<Number>().LOWER, input, count, type, output, output_count,     \
                   output_type, root, comm);                                                       \
  }
TERRACE_MOVING(MPI_Gather, gather)
TERRACE_MOVING(MPI_Scatter, scatter)
#undef TERRACE_MOVING

// Blocks of different length.

TERRACE_ENTRY TERRACE_NAME(MPI_Allgatherv)(const void* input, Number count, Word type, void* output,
                                           const Number* counts, const Place* places,
                                           Word output_type, Word comm) {
  if (run_uneven_exchange(Collective::allgatherv,
                          {handle_in<Comm>(comm), one_block(input, &count, type),
                           blocks(output, counts, places, output_type)}))
    return kSuccess;
  return forward(next_collectives<Number>().allgatherv, input, count, type, output, counts, places,
                 output_type, comm);
}

TERRACE_ENTRY TERRACE_NAME(MPI_Gatherv)(const void* input, Number count, Word type, void* output,
                                        const Number* counts, const Place* places, Word output_type,
                                        int root, Word comm) {
  if (run_uneven_exchange(Collective::gatherv,
                          {handle_in<Comm>(comm), one_block(input, &count, type),
                           blocks(output, counts, places, output_type), root}))
    return kSuccess;
  return forward(next_collectives<Number>().gatherv, input, count, type, output, counts, places,
                 output_type, root, comm);
}

TERRACE_ENTRY TERRACE_NAME(MPI_Scatterv)(const void* input, const Number* counts,
                                         const Place* places, Word type, void* output, Number count,
                                         Word output_type, int root, Word comm) {
  if (run_uneven_exchange(Collective::scatterv,
                          {handle_in<Comm>(comm), blocks(input, counts, places, type),
                           one_block(output, &count, output_type), root}))
    return kSuccess;
  return forward(next_collectives<Number>().scatterv, input, counts, places, type, output, count,
                 output_type, root, comm);
}

TERRACE_ENTRY TERRACE_NAME(MPI_Alltoallv)(const void* input, const Number* counts,
                                          const Place* places, Word type, void* output,
                                          const Number* output_counts, const Place* output_places,
                                          Word output_type, Word comm) {
  if (run_uneven_exchange(Collective::alltoallv,
                          {handle_in<Comm>(comm), blocks(input, counts, places, type),
                           blocks(output, output_counts, output_places, output_type)}))
    return kSuccess;
  return forward(next_collectives<Number>().alltoallv, input, counts, places, type, output,
                 output_counts, output_places, output_type, comm);
}

TERRACE_ENTRY TERRACE_NAME(MPI_Alltoallw)(const void* input, const Number* counts,
                                          const Place* places, const Datatype* types, void* output,
                                          const Number* output_counts, const Place* output_places,
                                          const Datatype* output_types, Word comm) {
  if (run_uneven_exchange(Collective::alltoallw,
                          {handle_in<Comm>(comm), typed_blocks(input, counts, places, types),
                           typed_blocks(output, output_counts, output_places, output_types)}))
    return kSuccess;
  return forward(next_collectives<Number>().alltoallw, input, counts, places, types, output,
                 output_counts, output_places, output_types, comm);
}

TERRACE_ENTRY TERRACE_NAME(MPI_Reduce_scatter)(const void* input, void* output,
                                               const Number* counts, Word type, Word op,
                                               Word comm) {
  if (run_reduce_scatter(
          {handle_in<Comm>(comm), input, output, 0, handle_in<Datatype>(type), handle_in<Op>(op)},
          Numbers(counts)))
    return kSuccess;
  return forward(next_collectives<Number>().reduce_scatter, input, output, counts, type, op, comm);
}
