// SPDX-License-Identifier: BSD-3-Clause
// Progress of one-sided calls to other processes that have requests.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace terrace::threadranks {

struct WindowErrors;

/// Progress of a call with a request. Shared by the request and what is on its way.
struct RemoteProgress {
  std::atomic<std::uint32_t> left{1};  ///< pieces; one is the call itself
  std::atomic<bool> has_failed{false};
  std::shared_ptr<WindowErrors> errors;  ///< its window's error handling

  // relaxed: `pass` follows, and releases. Partner: `Request::outcome`, after `is_over`.
  void note_failure() noexcept { has_failed.store(true, std::memory_order_relaxed); }
  // release: pairs with the acquire in `is_over`; what was got is there.
  void pass() noexcept { left.fetch_sub(1, std::memory_order_release); }
  // acquire: pairs with the release in `pass`.
  bool is_over() const noexcept { return left.load(std::memory_order_acquire) == 0; }
};
using SharedProgress = std::shared_ptr<RemoteProgress>;

}  // namespace terrace::threadranks
