// SPDX-License-Identifier: BSD-3-Clause
// MPI_Reduce_local computes "in op inout" into inout. To combine operands from the first to
// the last, as kernels do, inout is a copy of the next operand, and in is the result so
// far.
#include "preload/dispatch/local_reduction.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/cache_aligned.hpp"
#include "base/say.hpp"

namespace terrace::preload {

namespace {

/// Sum and operand together should fit a core's first-level cache.
constexpr std::size_t kBytesAtOnce = std::size_t{16} << 10;
constexpr std::intptr_t kAlignment = kLineBytes;

std::size_t elements_at_once(const TypeLayout& layout, std::size_t count) {
  const auto distance = static_cast<std::size_t>(std::abs(layout.extent));
  const std::size_t most = std::max({layout.bytes, layout.true_extent, distance});
  return std::clamp<std::size_t>(kBytesAtOnce / most, 1, std::max<std::size_t>(count, 1));
}

}  // namespace

LocalReduction::Place::Place(const TypeLayout& layout, std::size_t elements) {
  const std::intptr_t steps = static_cast<std::intptr_t>(elements - 1) * layout.extent;
  const std::intptr_t lowest = layout.true_lower + std::min<std::intptr_t>(steps, 0);
  const auto bytes = layout.true_extent + static_cast<std::size_t>(std::abs(steps));
  memory_ = std::make_unique<std::byte[]>(bytes + 2 * kAlignment);
  auto begin = reinterpret_cast<std::intptr_t>(memory_.get());
  begin += (lowest - begin) & (kAlignment - 1);  // aligned as `lowest` would be in an array
  origin_ = reinterpret_cast<void*>(begin - lowest);
}

LocalReduction::LocalReduction(UnderlyingMpi& underlying, Handle communicator, Handle type,
                               const TypeLayout& layout, Handle op, std::size_t count)
    : underlying_(underlying),
      communicator_(communicator),
      type_(type),
      layout_(layout),
      op_(op),
      elements_at_once_(elements_at_once(layout, count)),
      sum_(layout, elements_at_once_),
      next_(layout, elements_at_once_) {
  if (!layout.is_dense()) packed_ = std::make_unique<std::byte[]>(elements_at_once_ * layout.bytes);
}

void LocalReduction::combine(const void* const* operands, std::size_t operand_count,
                             void* const* targets, std::size_t target_count,
                             std::size_t element_count) noexcept {
  for (std::size_t done = 0; done < element_count; done += elements_at_once_)
    combine_some(operands, operand_count, targets, target_count, done,
                 std::min(elements_at_once_, element_count - done));
}

void LocalReduction::combine_some(const void* const* operands, std::size_t operand_count,
                                  void* const* targets, std::size_t target_count, std::size_t begin,
                                  std::size_t elements) {
  const std::size_t offset = begin * layout_.bytes, bytes = elements * layout_.bytes;
  for (std::size_t i = 0; i < operand_count; ++i) {
    lay_out(static_cast<const std::byte*>(operands[i]) + offset, elements);
    if (i > 0) add(elements);
    std::swap(sum_, next_);
  }
  const void* sum = without_gaps(elements);
  for (std::size_t t = 0; t < target_count; ++t)
    std::memcpy(static_cast<std::byte*>(targets[t]) + offset, sum, bytes);
}

void LocalReduction::lay_out(const void* operand, std::size_t elements) {
  const std::size_t bytes = elements * layout_.bytes;
  if (layout_.is_dense())
    std::memcpy(next_.origin(), operand, bytes);
  else if (!underlying_.unpack(communicator_, operand, bytes, next_.origin(),
                               static_cast<std::int64_t>(elements), type_))
    give_up("could not unpack operands of a reduction");
}

const void* LocalReduction::without_gaps(std::size_t elements) {
  if (layout_.is_dense()) return sum_.origin();
  if (!underlying_.pack(communicator_, sum_.origin(), static_cast<std::int64_t>(elements), type_,
                        packed_.get(), elements * layout_.bytes))
    give_up("could not pack what a reduction has combined");
  return packed_.get();
}

/// Ends the job: peers wait for a result that this rank cannot give.
void LocalReduction::add(std::size_t elements) {
  try {
    if (!underlying_.reduce_local(sum_.origin(), next_.origin(), elements, type_, op_))
      give_up("refused MPI_Reduce_local in a reduction");
  } catch (...) {
    give_up("let an operator's exception through; operators must not throw");
  }
}

void LocalReduction::give_up(const char* why) noexcept {
  say("the MPI " + std::string(why) +
      ". Ending the job (with TERRACE=off, such calls fall back to the MPI)");
  underlying_.end_job();
}

}  // namespace terrace::preload
