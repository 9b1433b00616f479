// SPDX-License-Identifier: BSD-3-Clause
// A signature: what the ranks of a call must agree on, as numbers that ranks can compare.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/collectives.hpp"
#include "kernels/kernels.hpp"
#include "team/call_identity.hpp"
#include "team/call_mismatch.hpp"

namespace terrace {

/// An operator and an element type. Integer types that differ only in sign count as one where the
/// result is the same.
class Combination {
 public:
  Combination() = default;  ///< nothing is combined
  Combination(Type type, Operator op);
  /// A combination by an operator, or of a type, that only the MPI or the program knows.
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

  /// The lengths are exchanged before the blocks are moved.
  static constexpr std::uint64_t kToldLengths = 1;

  bool operator==(const Signature&) const = default;
};

CallIdentity identity_of(const Signature& signature);
Signature signature_from(const CallIdentity& identity);

/// "allreduce of 8 bytes", "reduce of 8 bytes, sum of float64, to rank 2", "barrier".
std::string to_text(const Signature& signature);

/// Both calls, as in "mine makes X where theirs makes Y", or that the calls differed too long ago
/// to say which.
std::string to_text(const CallMismatch& mismatch, const std::string& mine,
                    const std::string& theirs);

}  // namespace terrace
