// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a call must agree on, in a number that travels with its lines and can be read.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/collectives.hpp"

namespace terrace {

struct Signature {
  Collective collective = Collective::barrier;
  std::size_t bytes = 0;       ///< of one rank's vector; beyond 2^42 modulo that
  Rank root = 0;               ///< of rooted collectives
  bool in_rank_order = false;  ///< by an operator that does not commute

  bool operator==(const Signature&) const = default;
};

std::uint64_t signature_of(const Signature& signature);
Signature signature_from(std::uint64_t number);

/// "allreduce of 8 bytes", "bcast of 64 bytes from rank 3", "barrier".
std::string to_text(const Signature& signature);

}  // namespace terrace
