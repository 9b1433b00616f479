// SPDX-License-Identifier: BSD-3-Clause
// Packs signatures into numbers, and prints them.
#include "engine/signature.hpp"

namespace terrace {

namespace {

// Bits of `CallIdentity::what`: the collective, the order, the combination, the root.
constexpr std::uint32_t kOrderShift = 8, kCombinationShift = 16, kRootShift = 32;
constexpr std::uint64_t kCombinationMask = std::uint64_t{0xffff} << kCombinationShift;

constexpr std::uint32_t kOperatorBits = 4;  // a combination is one more than type and operator

/// Sums of integers and the like are the same bits whether there is a sign or none.
bool depends_on_sign(Operator op) {
  return op == Operator::minimum || op == Operator::maximum;
}

Type signed_type(Type type) {
  switch (type) {
    case Type::uint8:
      return Type::int8;
    case Type::uint16:
      return Type::int16;
    case Type::uint32:
      return Type::int32;
    case Type::uint64:
      return Type::int64;
    default:
      return type;
  }
}

}  // namespace

Combination::Combination(Type type, Operator op) {
  const Type kind = depends_on_sign(op) ? type : signed_type(type);
  number_ = static_cast<std::uint16_t>(
      (static_cast<unsigned>(kind) << kOperatorBits | static_cast<unsigned>(op)) + 1);
}

std::string to_text(Combination combination) {
  if (combination == Combination()) return "";
  if (combination == Combination::of_others()) return "an operator of the program or the MPI";
  const unsigned number = combination.number() - 1u;
  const auto op = static_cast<Operator>(number & ((1u << kOperatorBits) - 1));
  return std::string(to_text(op)) + " of " + to_text(static_cast<Type>(number >> kOperatorBits));
}

CallIdentity identity_of(const Signature& signature) {
  const std::uint64_t root = is_rooted(signature.collective) ? signature.root : 0;
  return {signature.bytes,
          static_cast<std::uint64_t>(signature.collective) |
              std::uint64_t{signature.in_rank_order} << kOrderShift |
              std::uint64_t{signature.combination.number()} << kCombinationShift |
              root << kRootShift,
          signature.lengths};
}

Signature signature_from(const CallIdentity& identity) {
  Signature signature;
  signature.collective = static_cast<Collective>(identity.what & 0xff);
  signature.bytes = identity.bytes;
  signature.root = static_cast<Rank>(identity.what >> kRootShift);
  signature.in_rank_order = (identity.what >> kOrderShift & 1) != 0;
  signature.combination =
      Combination::from_number(static_cast<std::uint16_t>(identity.what >> kCombinationShift));
  signature.lengths = identity.lengths;
  return signature;
}

std::string to_text(const Signature& signature) {
  std::string text = to_text(signature.collective);
  if (signature.collective == Collective::barrier) return text;
  if (signature.lengths != Signature::kToldLengths)
    text += (is_vector(signature.collective) ? " of up to " : " of ") +
            std::to_string(signature.bytes) + " bytes";
  const std::string combination = to_text(signature.combination);
  if (!combination.empty()) text += ", " + combination + ",";
  if (signature.in_rank_order) text += " in the order of ranks";
  if (is_rooted(signature.collective)) {
    const Collective plan = planned_as(signature.collective);
    const bool is_to_root = plan == Collective::reduce || plan == Collective::gather;
    text += (is_to_root ? " to rank " : " from rank ") + std::to_string(signature.root);
  }
  if (text.back() == ',') text.pop_back();
  return text;
}

std::string to_text(const CallMismatch& mismatch, const std::string& mine,
                    const std::string& theirs) {
  const std::string own = to_text(signature_from(mismatch.mine));
  if (mismatch.mine == mismatch.theirs)
    return mine + " and " + theirs + " have made different calls before " + own;
  const std::string other = to_text(signature_from(mismatch.theirs));
  return mine + " makes " + own + " where " + theirs + " makes " + other +
         (other == own ? " with blocks of other lengths" : "");
}

}  // namespace terrace
