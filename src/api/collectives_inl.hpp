// SPDX-License-Identifier: BSD-3-Clause
// The collectives of the C library, once for all ways to make a call: each checks its arguments,
// and leaves the rest to the way.
#pragma once

#include "api/argument_checks.hpp"
#include "api/entry.hpp"

namespace terrace::collectives {

// A way is called with the team and the rank, the arguments that must be equal on all ranks, the
// buffers and elements as `TeamEndpoint::make_call` takes them, and a function that makes the call
// on an endpoint.

/// Bytes that are only moved.
inline Elements moved(std::size_t bytes) {
  Elements elements;
  elements.count = bytes;
  return elements;
}

template <class Way>
terrace_status barrier(const Way& way, terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  return way(team, rank, CheckedCall{}, nullptr, nullptr, moved(0),
             [](TeamEndpoint& endpoint) { return endpoint.barrier(); });
}

template <class Way>
terrace_status bcast(const Way& way, void* buffer, size_t count, terrace_type type, int root,
                     terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  if (const terrace_status status = check_elements(count, type)) return status;
  if (const terrace_status status = check_root(team, root)) return status;
  if (const terrace_status status = check_output("the buffer", buffer, rank, count)) return status;
  const CheckedCall request = {Collective::bcast, count, Type(type), Operator::sum, Rank(root)};
  const std::size_t bytes = count * size_of(Type(type));
  return way(team, rank, request, buffer, buffer, moved(bytes),
             [&](TeamEndpoint& endpoint) { return endpoint.bcast(buffer, bytes, Rank(root)); });
}

template <class Way>
terrace_status reduce(const Way& way, const void* input, void* output, size_t count,
                      terrace_type type, terrace_operator op, int root, terrace_team* team,
                      int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  if (const terrace_status status = check_root(team, root)) return status;
  Elements elements;
  if (const terrace_status status = find_elements(count, type, op, elements)) return status;
  if (rank != root) {
    output = nullptr;
    if (input == TERRACE_IN_PLACE) return in_place_off_root(rank, root, "output: give its input");
  }
  if (rank == root)
    if (const terrace_status status = check_output("the output", output, rank, count))
      return status;
  if (input == TERRACE_IN_PLACE) input = output;
  if (input == nullptr && count != 0) return no_buffer("the input", rank, count);
  if (rank == root) {
    if (const terrace_status status = check_overlap(input, output, count * elements.bytes, rank))
      return status;
  }
  const CheckedCall request = {Collective::reduce, count, Type(type), Operator(op), Rank(root)};
  return way(team, rank, request, input, output, elements, [&](TeamEndpoint& endpoint) {
    return endpoint.reduce(input, output, elements, Rank(root));
  });
}

/// Collectives that combine the vectors of all ranks into one of the same length at all ranks.
template <class Way>
terrace_status combine(const Way& way, Collective collective,
                       bool (TeamEndpoint::*work)(const void*, void*, const Elements&),
                       const void* input, void* output, size_t count, terrace_type type,
                       terrace_operator op, terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  Elements elements;
  if (const terrace_status status = find_elements(count, type, op, elements)) return status;
  if (const terrace_status status = check_pair(input, output, count, count * elements.bytes, rank))
    return status;
  const CheckedCall request = {collective, count, Type(type), Operator(op), 0};
  return way(team, rank, request, input, output, elements,
             [&](TeamEndpoint& endpoint) { return (endpoint.*work)(input, output, elements); });
}

template <class Way>
terrace_status allreduce(const Way& way, const void* input, void* output, size_t count,
                         terrace_type type, terrace_operator op, terrace_team* team,
                         int rank) noexcept {
  return combine(way, Collective::allreduce, &TeamEndpoint::allreduce, input, output, count, type,
                 op, team, rank);
}

template <class Way>
terrace_status scan(const Way& way, const void* input, void* output, size_t count,
                    terrace_type type, terrace_operator op, terrace_team* team, int rank) noexcept {
  return combine(way, Collective::scan, &TeamEndpoint::scan, input, output, count, type, op, team,
                 rank);
}

template <class Way>
terrace_status exscan(const Way& way, const void* input, void* output, size_t count,
                      terrace_type type, terrace_operator op, terrace_team* team,
                      int rank) noexcept {
  if (rank == 0 && input != TERRACE_IN_PLACE) output = const_cast<void*>(input);  // it has none
  return combine(way, Collective::exscan, &TeamEndpoint::exscan, input, output, count, type, op,
                 team, rank);
}

template <class Way>
terrace_status allgather(const Way& way, const void* input, void* output, size_t count,
                         terrace_type type, terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  if (const terrace_status status = check_blocks(team, count, type)) return status;
  const std::size_t bytes = count * size_of(Type(type));
  if (const terrace_status status = check_output("the output", output, rank, count)) return status;
  if (input == TERRACE_IN_PLACE) input = block_of(output, rank, bytes);
  if (const terrace_status status =
          check_block_buffers(input, output, team, rank, count, bytes, true))
    return status;
  const CheckedCall request = {Collective::allgather, count, Type(type), Operator::sum, 0};
  return way(team, rank, request, input, output, moved(bytes),
             [&](TeamEndpoint& endpoint) { return endpoint.allgather(input, output, bytes); });
}

/// Gather and scatter, which mirror each other: the root has all blocks.
template <class Way>
terrace_status move_with_root(const Way& way, Collective collective, const void* own_block,
                              const void* all_blocks, size_t count, terrace_type type, int root,
                              terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  if (const terrace_status status = check_blocks(team, count, type)) return status;
  if (const terrace_status status = check_root(team, root)) return status;
  const bool gathers = collective == Collective::gather;
  const char* const own = gathers ? "the input" : "the output";
  const std::size_t bytes = count * size_of(Type(type));
  if (rank != root) {
    all_blocks = nullptr;
    if (own_block == TERRACE_IN_PLACE)
      return in_place_off_root(rank, root,
                               gathers ? "output: give its input" : "input: give an output");
    if (own_block == nullptr && count != 0) return no_buffer(own, rank, count);
  } else {
    if (all_blocks == TERRACE_IN_PLACE)
      return fail(TERRACE_ERR_ARGUMENT, "%s of rank %d is TERRACE_IN_PLACE: %s belongs in %s",
                  gathers ? "the output" : "the input", rank,
                  gathers ? "TERRACE_IN_PLACE" : "in a scatter it", gathers ? "input" : "output");
    if (own_block == TERRACE_IN_PLACE) own_block = block_of(all_blocks, rank, bytes);
    if (const terrace_status status =
            check_block_buffers(own_block, all_blocks, team, rank, count, bytes, gathers))
      return status;
  }
  const CheckedCall request = {collective, count, Type(type), Operator::sum, Rank(root)};
  const void* const input = gathers ? own_block : all_blocks;
  void* const output = const_cast<void*>(gathers ? all_blocks : own_block);
  return way(team, rank, request, input, output, moved(bytes), [&](TeamEndpoint& endpoint) {
    return endpoint.make_call(collective, input, output, {bytes}, Rank(root));
  });
}

template <class Way>
terrace_status gather(const Way& way, const void* input, void* output, size_t count,
                      terrace_type type, int root, terrace_team* team, int rank) noexcept {
  return move_with_root(way, Collective::gather, input, output, count, type, root, team, rank);
}

template <class Way>
terrace_status scatter(const Way& way, const void* input, void* output, size_t count,
                       terrace_type type, int root, terrace_team* team, int rank) noexcept {
  return move_with_root(way, Collective::scatter, output, input, count, type, root, team, rank);
}

template <class Way>
terrace_status alltoall(const Way& way, const void* input, void* output, size_t count,
                        terrace_type type, terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  if (const terrace_status status = check_blocks(team, count, type)) return status;
  const std::size_t bytes = count * size_of(Type(type)), blocks = team->threads.rank_count();
  if (const terrace_status status = check_pair(input, output, count, bytes * blocks, rank))
    return status;
  const CheckedCall request = {Collective::alltoall, count, Type(type), Operator::sum, 0};
  return way(team, rank, request, input, output, moved(bytes),
             [&](TeamEndpoint& endpoint) { return endpoint.alltoall(input, output, bytes); });
}

template <class Way>
terrace_status reduce_scatter_block(const Way& way, const void* input, void* output, size_t count,
                                    terrace_type type, terrace_operator op, terrace_team* team,
                                    int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  if (const terrace_status status = check_blocks(team, count, type)) return status;
  Elements elements;
  if (const terrace_status status = find_elements(count, type, op, elements)) return status;
  const std::size_t bytes = count * elements.bytes, blocks = team->threads.rank_count();
  if (const terrace_status status = check_output("the output", output, rank, count)) return status;
  if (input == TERRACE_IN_PLACE) input = output;
  if (input == nullptr && count != 0) return no_buffer("the input", rank, count * blocks);
  if (input != output)
    if (const terrace_status status = check_apart(input, bytes * blocks, output, bytes, rank))
      return status;
  const CheckedCall request = {Collective::reduce_scatter_block, count, Type(type), Operator(op),
                               0};
  return way(team, rank, request, input, output, elements, [&](TeamEndpoint& endpoint) {
    return endpoint.reduce_scatter_block(input, output, elements);
  });
}

}  // namespace terrace::collectives
