// SPDX-License-Identifier: BSD-3-Clause
// Checks of the arguments of calls, the same however a call is made.
#pragma once

#include <cstdint>
#include <limits>

#include "api/entry.hpp"
#include "api/failures.hpp"
#include "kernels/kernels.hpp"

namespace terrace {

inline constexpr std::uint32_t kTypes = TERRACE_FLOAT64 + 1;
inline constexpr std::uint32_t kOperators = TERRACE_BITWISE_XOR + 1;
inline constexpr std::size_t kMostCount = std::numeric_limits<std::ptrdiff_t>::max() / 8;

inline terrace_status check_member(const terrace_team* team, int rank) noexcept {
  if (team == nullptr)
    return fail(TERRACE_ERR_ARGUMENT, "the team is null: make one with terrace_team_create");
  const Rank ranks = team->threads.rank_count();
  if (static_cast<unsigned>(rank) >= ranks)
    return fail(TERRACE_ERR_ARGUMENT, "rank %d is not in the team: its ranks are 0 to %u", rank,
                ranks - 1);
  return TERRACE_OK;
}

/// Checks that all calls with elements share.
inline terrace_status check_elements(std::size_t count, terrace_type type) noexcept {
  if (static_cast<unsigned>(type) >= kTypes)
    return fail(TERRACE_ERR_ARGUMENT, "%d is no type: take a terrace_type, as TERRACE_DOUBLE",
                static_cast<int>(type));
  if (count > kMostCount)
    return fail(TERRACE_ERR_ARGUMENT,
                "%zu elements do not fit an address space: was a negative "
                "number given?",
                count);
  return TERRACE_OK;
}

inline terrace_status check_root(const terrace_team* team, int root) noexcept {
  if (static_cast<unsigned>(root) < team->threads.rank_count()) return TERRACE_OK;
  return fail(TERRACE_ERR_ARGUMENT, "root %d is not in the team: its ranks are 0 to %u", root,
              team->threads.rank_count() - 1);
}

inline terrace_status no_buffer(const char* which, int rank, std::size_t count) noexcept {
  return fail(TERRACE_ERR_ARGUMENT, "%s of rank %d is null: expected room for %zu elements", which,
              rank, count);
}

/// Checks the buffer of a result.
inline terrace_status check_output(const char* which, const void* output, int rank,
                                   std::size_t count) noexcept {
  if (count == 0) return TERRACE_OK;
  if (output == nullptr) return no_buffer(which, rank, count);
  if (output != TERRACE_IN_PLACE) return TERRACE_OK;
  return fail(TERRACE_ERR_ARGUMENT,
              "%s of rank %d is TERRACE_IN_PLACE: TERRACE_IN_PLACE belongs in input", which, rank);
}

/// `input` must not be TERRACE_IN_PLACE; it may be the same address as `output`.
inline terrace_status check_overlap(const void* input, const void* output, std::size_t bytes,
                                    int rank) noexcept {
  const auto from = reinterpret_cast<std::uintptr_t>(input);
  const auto to = reinterpret_cast<std::uintptr_t>(output);
  const std::uintptr_t distance = from < to ? to - from : from - to;
  if (distance == 0 || distance >= bytes) return TERRACE_OK;
  return fail(TERRACE_ERR_ARGUMENT,
              "input and output of rank %d overlap: they lie %zu bytes apart, the elements take "
              "%zu; use separate buffers, or TERRACE_IN_PLACE",
              rank, static_cast<std::size_t>(distance), bytes);
}

/// Buffers of equal length; resolves TERRACE_IN_PLACE.
inline terrace_status check_pair(const void*& input, const void* output, std::size_t count,
                                 std::size_t bytes, int rank) noexcept {
  if (input == nullptr && count != 0) return no_buffer("the input", rank, count);
  if (const terrace_status status = check_output("the output", output, rank, count)) return status;
  if (input == TERRACE_IN_PLACE) input = output;
  return check_overlap(input, output, bytes, rank);
}

inline terrace_status in_place_off_root(int rank, int root, const char* what) noexcept {
  return fail(TERRACE_ERR_ARGUMENT, "rank %d gives TERRACE_IN_PLACE, but root %d alone has an %s",
              rank, root, what);
}

/// Buffers of different length, in calls that are not in place.
inline terrace_status check_apart(const void* input, std::size_t input_bytes, const void* output,
                                  std::size_t output_bytes, int rank) noexcept {
  const auto from = reinterpret_cast<std::uintptr_t>(input);
  const auto to = reinterpret_cast<std::uintptr_t>(output);
  const bool are_apart = from < to ? to - from >= input_bytes : from - to >= output_bytes;
  if (are_apart || input_bytes == 0) return TERRACE_OK;
  return fail(TERRACE_ERR_ARGUMENT,
              "input and output of rank %d overlap: they take %zu and %zu bytes; use separate "
              "buffers, or TERRACE_IN_PLACE",
              rank, input_bytes, output_bytes);
}

/// Checks that all calls with a block of `count` elements for each rank share.
inline terrace_status check_blocks(const terrace_team* team, std::size_t count,
                                   terrace_type type) noexcept {
  if (const terrace_status status = check_elements(count, type)) return status;
  const Rank ranks = team->threads.rank_count();
  if (count <= kMostCount / ranks) return TERRACE_OK;
  return fail(TERRACE_ERR_ARGUMENT, "%u blocks of %zu elements do not fit an address space", ranks,
              count);
}

/// The address of a rank's own block in a buffer.
inline void* block_of(const void* buffer, int rank, std::size_t block_bytes) noexcept {
  if (buffer == nullptr) return nullptr;
  const auto* bytes = static_cast<const std::byte*>(buffer);
  return const_cast<std::byte*>(bytes) + static_cast<std::size_t>(rank) * block_bytes;
}

/// Checks a rank's single block against a buffer with one block per rank: null is an error, as is
/// an overlap other than in place.
inline terrace_status check_block_buffers(const void* own_block, const void* all_blocks,
                                          const terrace_team* team, int rank, std::size_t count,
                                          std::size_t block_bytes, bool own_is_input) noexcept {
  const char* const names[] = {"the output", "the input"};
  const std::size_t ranks = team->threads.rank_count();
  if (count != 0 && all_blocks == nullptr)
    return no_buffer(names[own_is_input ? 0 : 1], rank, count * ranks);
  if (count != 0 && own_block == nullptr)
    return no_buffer(names[own_is_input ? 1 : 0], rank, count);
  if (own_block == block_of(all_blocks, rank, block_bytes)) return TERRACE_OK;
  return check_apart(own_block, block_bytes, all_blocks, block_bytes * ranks, rank);
}

inline terrace_status find_elements(std::size_t count, terrace_type type, terrace_operator op,
                                    Elements& elements) noexcept {
  if (const terrace_status status = check_elements(count, type)) return status;
  if (static_cast<unsigned>(op) >= kOperators)
    return fail(TERRACE_ERR_ARGUMENT, "%d is no operator: take a terrace_operator, as TERRACE_SUM",
                static_cast<int>(op));
  elements.count = count;
  elements.bytes = size_of(Type(type));
  elements.reduction = find_reduction(Type(type), Operator(op));
  elements.is_exact = is_integer(Type(type));
  elements.combination = Combination(Type(type), Operator(op));
  if (elements.reduction != nullptr) return TERRACE_OK;
  return fail(TERRACE_ERR_UNSUPPORTED, "%s of %s is not defined: take an integer type",
              to_text(Operator(op)), to_text(Type(type)));
}

}  // namespace terrace
