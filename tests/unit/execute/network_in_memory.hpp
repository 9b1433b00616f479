// SPDX-License-Identifier: BSD-3-Clause
// A network for the executor's tests. Messages of a pair come in order; those of different pairs
// overtake each other, as a seed decides. It takes all liberties that a real one may take: it reads
// a message at once or as late as possible, and spoils the places of an expected one that has been
// sent, before it comes.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "team/messenger.hpp"

namespace terrace::sequences {

class NetworkInMemory {
 public:
  /// Delays are up to `most_looks` looks of any rank.
  NetworkInMemory(Rank ranks, std::uint64_t seed, std::uint64_t most_looks = 40)
      : random_(seed), most_looks_(most_looks) {
    for (Rank rank = 0; rank < ranks; ++rank)
      messengers_.push_back(std::make_unique<OfRank>(*this, rank));
  }

  Messenger& messenger_of(Rank rank) { return *messengers_[rank]; }
  /// From now on, no message comes any more, and those who wait are told so.
  void fail() {
    const std::lock_guard lock(mutex_);
    has_failed_ = true;
  }
  /// "" if all that was sent has been received, and halves fitted.
  std::string complaint() {
    const std::lock_guard lock(mutex_);
    for (const auto& [pair, messages] : channels_)
      if (!messages.empty())
        return "a message of rank " + std::to_string(pair.first) + " to rank " +
               std::to_string(pair.second) + " was not received";
    return complaint_;
  }
  std::size_t messages() const { return sent_; }

 private:
  struct Sent {
    std::vector<MessageValue> values;
    std::vector<std::vector<std::byte>> copies;  ///< empty: read when it is received
    std::uint64_t comes = 0;
    std::optional<std::uint64_t> goes;  ///< nothing: not before it has been received
  };

  class OfRank final : public Messenger {
   public:
    OfRank(NetworkInMemory& network, Rank rank) : network_(network), rank_(rank) {}
    void send(Rank to, std::span<const MessageValue> values) noexcept override {
      const std::lock_guard lock(network_.mutex_);
      sent_.push_back(network_.start(rank_, to, values));
    }
    void expect(Rank from, std::span<const MessageValue> places) noexcept override {
      const std::lock_guard lock(network_.mutex_);
      if (!places_.empty()) network_.complaint_ = "two messages are expected at a time";
      from_ = from;
      places_.assign(places.begin(), places.end());
    }
    MessageState look_for_expected() noexcept override {
      const std::lock_guard lock(network_.mutex_);
      ++network_.now_;
      if (network_.has_failed_) return MessageState::failed;
      if (!network_.take(from_, rank_, places_)) return MessageState::on_its_way;
      places_.clear();
      return MessageState::over;
    }
    MessageState look_for_gone(std::uint32_t newest) noexcept override {
      const std::lock_guard lock(network_.mutex_);
      const std::uint64_t now = ++network_.now_;
      if (network_.has_failed_) return MessageState::failed;
      while (sent_.size() > newest && sent_.front()->goes && *sent_.front()->goes <= now)
        sent_.pop_front();
      return sent_.size() > newest ? MessageState::on_its_way : MessageState::over;
    }

   private:
    NetworkInMemory& network_;
    Rank rank_;
    std::deque<std::shared_ptr<Sent>> sent_;  ///< that may not have gone
    Rank from_ = 0;
    std::vector<MessageValue> places_;
  };

  std::uint64_t later() { return now_ + random_() % (most_looks_ + 1); }

  std::shared_ptr<Sent> start(Rank from, Rank to, std::span<const MessageValue> values) {
    auto sent = std::make_shared<Sent>();
    ++sent_;
    sent->values.assign(values.begin(), values.end());
    sent->comes = later();
    if (random_() % 2 == 0) {  // eager
      for (const MessageValue& value : values)
        sent->copies.emplace_back(value.at, value.at + value.bytes);
      sent->goes = later();
    }
    channels_[{from, to}].push_back(sent);
    return sent;
  }

  bool take(Rank from, Rank to, const std::vector<MessageValue>& places) {
    std::deque<std::shared_ptr<Sent>>& channel = channels_[{from, to}];
    if (channel.empty()) return false;
    const std::shared_ptr<Sent> sent = channel.front();
    if (sent->comes > now_) {
      for (const MessageValue& place : places)
        if (place.bytes != 0) std::memset(place.at, 0xee, place.bytes);
      return false;
    }
    channel.pop_front();
    if (sent->values.size() != places.size()) complaint_ = "halves of different numbers of values";
    for (std::size_t i = 0; i < places.size() && complaint_.empty(); ++i) {
      if (sent->values[i].bytes != places[i].bytes) complaint_ = "halves of different length";
      if (places[i].bytes == 0 || !complaint_.empty()) continue;
      std::memcpy(places[i].at, sent->goes ? sent->copies[i].data() : sent->values[i].at,
                  places[i].bytes);
    }
    if (!sent->goes) sent->goes = later();
    return true;
  }

  std::mutex mutex_;  ///< guards all that follows, and what messengers hold
  std::mt19937_64 random_;
  std::uint64_t most_looks_, now_ = 0;
  bool has_failed_ = false;
  std::size_t sent_ = 0;
  std::string complaint_;
  std::map<std::pair<Rank, Rank>, std::deque<std::shared_ptr<Sent>>> channels_;
  std::vector<std::unique_ptr<OfRank>> messengers_;
};

}  // namespace terrace::sequences
