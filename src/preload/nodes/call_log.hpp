// SPDX-License-Identifier: BSD-3-Clause
// The last calls of a rank over several nodes. Each message says in which call its sender is, and
// is compared with them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/contract.hpp"
#include "base/rank.hpp"
#include "team/call_identity.hpp"

namespace terrace::preload {

/// The beginning of each message.
struct MessageHeader {
  std::uint64_t call = 0;
  CallIdentity identity;
  std::uint64_t from = 0;
};

class CallLog {
 public:
  /// The next call begins, on all ranks.
  void begin(const CallIdentity& identity) {
    ++calls_;
    identities_[calls_ % kRemembered] = identity;
  }
  std::uint64_t calls() const { return calls_; }
  /// Header of the present call.
  MessageHeader header(Rank own) const {
    TERRACE_ASSERT(calls_ > 0, own);
    return {calls_, present(), own};
  }
  const CallIdentity& present() const { return identities_[calls_ % kRemembered]; }
  /// The call of this rank that has the header's number, if it is another one. Null: it is the
  /// same, or has not begun, or was too long ago.
  const CallIdentity* difference(const MessageHeader& theirs) const {
    TERRACE_ASSERT(theirs.call > 0, theirs.call, theirs.from);
    const bool is_known = theirs.call <= calls_ && theirs.call + kRemembered > calls_;
    const CallIdentity& mine = identities_[theirs.call % kRemembered];
    return is_known && !(mine == theirs.identity) ? &mine : nullptr;
  }
  /// Now and then, to answer inquiries of ranks that always wait for this one.
  bool is_time_to_answer() const { return calls_ % kRemembered == 0; }

 private:
  static constexpr std::size_t kRemembered = 64;

  std::uint64_t calls_ = 0;
  std::array<CallIdentity, kRemembered> identities_;
};

}  // namespace terrace::preload
