// SPDX-License-Identifier: BSD-3-Clause
// The cache in front of an endpoint: the arguments of the last call of a collective, and the
// prepared call that it left. A call with the same arguments needs no other check.
#pragma once

#include <cstdint>

#include "base/contract.hpp"
#include "base/handles.hpp"
#include "engine/team_endpoint.hpp"

namespace terrace {

/// Only with predefined types and operators, whose handles never change their meaning, and with
/// buffers that are used where they lie.
struct LastCall {
  Handle type = 0;
  Handle op = 0;
  std::int64_t count = 0;
  int root = 0;
  bool is_in_place = false;  ///< input and output are the same
  bool has_output = true;    ///< this rank has an output
  std::size_t bytes = 0;     ///< of the signature
  TeamEndpoint::PreparedCall* prepared = nullptr;
  std::uint64_t version = 0;  ///< of the endpoint's prepared calls
  // The rest is for exchanges of blocks, whose type and count above are those given:
  bool has_input = true;   ///< this rank has an input
  Handle wanted_type = 0;  ///< of the blocks that it gets
  std::int64_t wanted_count = 0;

  /// An exchange that is not in place.
  static LastCall exchange(Handle type, std::int64_t count, Handle wanted_type,
                           std::int64_t wanted_count, int root, bool has_input, bool has_output) {
    LastCall call{type, 0, count, root, false, has_output};
    call.has_input = has_input;
    call.wanted_type = wanted_type;
    call.wanted_count = wanted_count;
    return call;
  }

  bool is(Handle its_type, Handle its_op, std::int64_t its_count, int its_root) const {
    return prepared != nullptr && type == its_type && op == its_op && count == its_count &&
           root == its_root;
  }
  /// Compares an exchange of blocks.
  bool is_exchange(Handle its_type, std::int64_t its_count, Handle its_wanted_type,
                   std::int64_t its_wanted_count, int its_root) const {
    return is(its_type, 0, its_count, its_root) && wanted_type == its_wanted_type &&
           wanted_count == its_wanted_count;
  }
  /// Whether `endpoint` can repeat the prepared call now. Ask exactly once for each call, right
  /// before it.
  [[gnu::always_inline]] bool may_be_repeated(TeamEndpoint& endpoint) const {
    TERRACE_ASSERT(prepared != nullptr);
    return version == endpoint.prepared_version() && endpoint.may_repeat(*prepared);
  }
  void note(const TeamEndpoint& endpoint) {
    prepared = endpoint.last_prepared();
    version = endpoint.prepared_version();
  }
};

}  // namespace terrace
