// SPDX-License-Identifier: BSD-3-Clause
// Messages between threads that play the ranks of a lane; they are late at random.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/signature.hpp"
#include "preload/nodes/lane.hpp"
#include "team/call_mismatch.hpp"

namespace terrace::preload {

using Bytes = std::vector<std::byte>;

/// Messages on their way between all pairs of ranks.
class Network {
 public:
  explicit Network(Rank ranks) : ranks_(ranks), calls_(ranks * ranks), inquiries_(ranks) {}

  Rank rank_count() const { return ranks_; }
  /// As when the job ends: nothing is carried any more.
  void end() { has_ended_ = true; }
  bool has_ended() const { return has_ended_; }
  void send(Rank from, Rank to, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    calls_[from * ranks_ + to].push_back(std::move(bytes));
  }
  /// Nothing: none has come, or it is late.
  std::optional<Bytes> take(Rank from, Rank to) {
    const std::lock_guard lock(mutex_);
    return take_from(calls_[from * ranks_ + to], random_() % 3 == 0);
  }
  void inquire(Rank to, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    inquiries_[to].push_back(std::move(bytes));
  }
  std::optional<Bytes> take_inquiry(Rank to) {
    const std::lock_guard lock(mutex_);
    return take_from(inquiries_[to], false);
  }

 private:
  static std::optional<Bytes> take_from(std::deque<Bytes>& queue, bool is_late) {
    if (queue.empty() || is_late) return std::nullopt;
    Bytes first = std::move(queue.front());
    queue.pop_front();
    return first;
  }

  Rank ranks_;
  std::atomic<bool> has_ended_{false};
  std::mutex mutex_;
  std::minstd_rand random_;
  std::vector<std::deque<Bytes>> calls_;
  std::vector<std::deque<Bytes>> inquiries_;
};

inline Bytes copy_of(const void* bytes, std::size_t count) {
  const auto* const at = static_cast<const std::byte*>(bytes);
  return {at, at + count};
}

class MemoryTransport final : public LaneTransport {
 public:
  MemoryTransport(Network& network, Rank rank) : network_(network), rank_(rank) {}

  Rank rank_count() const override { return network_.rank_count(); }
  Rank rank() const override { return rank_; }
  bool begin_send(const void* bytes, std::size_t count, Rank to, Transfer& transfer) override {
    network_.send(rank_, to, count == 0 ? Bytes() : copy_of(bytes, count));
    transfer.request = begun_.size();
    begun_.push_back({to, nullptr, 0});
    return true;
  }
  bool begin_receive(void* bytes, std::size_t most, Rank from, Transfer& transfer) override {
    transfer.request = begun_.size();
    begun_.push_back({from, bytes, most});
    return true;
  }
  bool look(Transfer& transfer) override {
    const Begun& one = begun_[transfer.request];
    if (one.bytes == nullptr) return transfer.is_over = true;
    const std::optional<Bytes> come = network_.take(one.peer, rank_);
    if (!come) return !network_.has_ended();
    if (come->size() > one.most) return false;
    if (!come->empty()) std::memcpy(one.bytes, come->data(), come->size());
    return transfer.is_over = true;
  }
  bool take_unexpected(void* bytes, std::size_t most) override {
    for (Rank from = 0; from < network_.rank_count(); ++from)
      if (const std::optional<Bytes> come = network_.take(from, rank_)) {
        std::memcpy(bytes, come->data(), std::min(most, come->size()));
        return true;
      }
    return false;
  }
  bool begin_inquiry(const void* bytes, std::size_t count, Rank to, Transfer& transfer) override {
    network_.inquire(to, copy_of(bytes, count));
    transfer.request = begun_.size();
    begun_.push_back({to, nullptr, 0});
    return true;
  }
  bool take_inquiry(void* bytes, std::size_t count) override {
    const std::optional<Bytes> come = network_.take_inquiry(rank_);
    if (come) std::memcpy(bytes, come->data(), std::min(count, come->size()));
    return come.has_value();
  }

 private:
  struct Begun {
    Rank peer;
    void* bytes;  ///< null: of a send, which is over at once
    std::size_t most;
  };
  Network& network_;
  Rank rank_;
  std::vector<Begun> begun_;
};

/// A rank of a lane. A mismatch ends the network.
class Observer final : public LaneObserver {
 public:
  explicit Observer(Network& network) : network_(network) {}

  void mismatched(Rank peer, const CallIdentity& mine, const CallIdentity& theirs) override {
    CallMismatch mismatch;
    mismatch.mine = mine;
    mismatch.theirs = theirs;
    told = to_text(mismatch, "I", "rank " + std::to_string(peer));
    network_.end();
  }
  void stalled(Rank peer, double) override {
    stalled_for = peer;
    // release: pairs with the acquire of whoever waits for it in another thread.
    std::atomic_ref(has_stalled).store(1, std::memory_order_release);
  }
  std::uint64_t now_ns() override {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  void yield() override { std::this_thread::yield(); }

  std::string told;
  std::optional<Rank> stalled_for;
  int has_stalled = 0;  ///< 1 once `stalled_for` is set; read by other threads

 private:
  Network& network_;
};

inline CallIdentity call_of(Collective collective, std::size_t bytes, Rank root = 0) {
  return identity_of({collective, bytes, root, false, {}, 0});
}

}  // namespace terrace::preload
