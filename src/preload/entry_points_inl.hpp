// SPDX-License-Identifier: BSD-3-Clause
// The entry points that there are twice: with counts of int, and as MPI_X_c with MPI_Count.
// Included once for each, with `Number` as the type of counts and TERRACE_NAME for their names.

TERRACE_ENTRY TERRACE_NAME(MPI_Bcast)(void* buffer, Number count, Word type, int root, Word comm) {
  if (run_bcast(
          {handle_in<Comm>(comm), nullptr, buffer, count, handle_in<Datatype>(type), 0, root}))
    return kSuccess;
  return forward(next_collectives<Number>().bcast, buffer, count, type, root, comm);
}

TERRACE_ENTRY TERRACE_NAME(MPI_Reduce)(const void* input, void* output, Number count, Word type,
                                       Word op, int root, Word comm) {
  if (run_reduce({handle_in<Comm>(comm), input, output, count, handle_in<Datatype>(type),
                  handle_in<Op>(op), root}))
    return kSuccess;
  return forward(next_collectives<Number>().reduce, input, output, count, type, op, root, comm);
}

TERRACE_ENTRY TERRACE_NAME(MPI_Allreduce)(const void* input, void* output, Number count, Word type,
                                          Word op, Word comm) {
  if (run_allreduce({handle_in<Comm>(comm), input, output, count, handle_in<Datatype>(type),
                     handle_in<Op>(op)}))
    return kSuccess;
  return forward(next_collectives<Number>().allreduce, input, output, count, type, op, comm);
}
