// SPDX-License-Identifier: BSD-3-Clause
// A signature: what the ranks of a call must agree on, as numbers that ranks can compare.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/collectives.hpp"
#include "kernels/kernels.hpp"
#include "team/memory.hpp"

namespace terrace {

/// By what operator elements of what type are combined. Types of integers that differ in sign alone
/// are one where that makes no difference to the result.
class Combination {
 public:
  Combination() = default;  ///< nothing is combined
  Combination(Type type, Operator op);
  /// By an operator, or elements of a type, that the MPI or the program alone knows.
  static Combination of_others() { return Combination(kOthers); }
  static Combination from_number(std::uint16_t number) { return Combination(number); }

  std::uint16_t number() const { return number_; }
  bool operator==(const Combination&) const = default;

 private:
  static constexpr std::uint16_t kOthers = 0xffff;
  explicit Combination(std::uint16_t number) : number_(number) {}

  std::uint16_t number_ = 0;
};

/// "sum of float64", "an operator of the program or the MPI"; "" of nothing.
std::string to_text(Combination combination);

struct Signature {
  Collective collective = Collective::barrier;
  std::size_t bytes = 0;       ///< of one rank's vector
  Rank root = 0;               ///< of rooted collectives
  bool in_rank_order = false;  ///< by an operator that does not commute
  Combination combination = {};
  std::uint64_t lengths = 0;  ///< of blocks that differ: a hash, or kToldLengths

  /// The lengths of blocks themselves are told, before these are moved.
  static constexpr std::uint64_t kToldLengths = 1;

  bool operator==(const Signature&) const = default;
};

CallIdentity identity_of(const Signature& signature);
Signature signature_from(const CallIdentity& identity);

/// "allreduce of 8 bytes", "reduce of 8 bytes, sum of float64, to rank 2", "barrier".
std::string to_text(const Signature& signature);

/// Both calls, or that they differ in a call too long ago: "mine makes X where theirs makes Y".
std::string to_text(const Mismatch& mismatch, const std::string& mine, const std::string& theirs);

}  // namespace terrace
