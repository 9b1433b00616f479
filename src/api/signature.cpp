// SPDX-License-Identifier: BSD-3-Clause
// Packing signatures, and saying them.
#include "api/signature.hpp"

namespace terrace {

namespace {

// And a bit for the order.
constexpr std::uint32_t kRootBits = 16, kBytesBits = 42, kCollectiveBits = 5;
constexpr std::uint32_t kOrderShift = kRootBits + kBytesBits + kCollectiveBits;

}  // namespace

std::uint64_t signature_of(const Signature& signature) {
  const std::uint64_t root = is_rooted(signature.collective) ? signature.root : 0;
  const std::uint64_t bytes = signature.bytes & ((std::uint64_t{1} << kBytesBits) - 1);
  return (std::uint64_t{signature.in_rank_order} << kOrderShift) |
         (static_cast<std::uint64_t>(signature.collective) << (kRootBits + kBytesBits)) |
         (root << kBytesBits) | bytes;
}

Signature signature_from(std::uint64_t number) {
  Signature signature;
  signature.collective =
      static_cast<Collective>((number >> (kRootBits + kBytesBits)) & ((1u << kCollectiveBits) - 1));
  signature.in_rank_order = number >> kOrderShift != 0;
  signature.root = static_cast<Rank>((number >> kBytesBits) & ((1u << kRootBits) - 1));
  signature.bytes = number & ((std::uint64_t{1} << kBytesBits) - 1);
  return signature;
}

std::string to_text(const Signature& signature) {
  std::string text = to_text(signature.collective);
  if (signature.collective == Collective::barrier) return text;
  text += (is_uneven(signature.collective) ? " of up to " : " of ") +
          std::to_string(signature.bytes) + " bytes";
  if (signature.in_rank_order) text += " by an operator that does not commute";
  if (!is_rooted(signature.collective)) return text;
  const Collective plan = planned_as(signature.collective);
  const bool is_to_root = plan == Collective::reduce || plan == Collective::gather;
  const char* word = is_to_root ? " to rank " : " from rank ";
  return text + word + std::to_string(signature.root);
}

}  // namespace terrace
