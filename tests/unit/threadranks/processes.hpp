// SPDX-License-Identifier: BSD-3-Clause
// Several jobs in one program as the processes of one job, with a transport in memory between them:
// what thread ranks over several nodes do, where sanitizers see all of it.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "threadranks/ranks/rank_state.hpp"
#include "threadranks/windows/window_service.hpp"

namespace terrace::testing_ranks {

/// Messages on their way. Each process has a box; a send completes some tests after it began. A
/// test may hold back messages to a process, and count them.
class TestTransport {
 public:
  explicit TestTransport(int processes) : boxes_(static_cast<std::size_t>(processes)) {}

  /// From now on, lets only so many more messages to that process arrive.
  void hold(int process, std::size_t more = 0) {
    Box& box = box_of(process);
    const std::lock_guard lock(box.mutex);
    box.may_arrive = more;
    match(box);
  }
  void release(int process) { hold(process, kAll); }
  /// Messages to that process that have not arrived.
  std::size_t held(int process) {
    Box& box = box_of(process);
    const std::lock_guard lock(box.mutex);
    return box.messages.size();
  }
  /// How often that process has tested whether something is complete. If it has often since its
  /// last send, it waits.
  std::size_t looks(int process) {
    Box& box = box_of(process);
    const std::lock_guard lock(box.mutex);
    return box.looks;
  }
  std::size_t looks_since_send(int process) {
    Box& box = box_of(process);
    const std::lock_guard lock(box.mutex);
    return box.looks - box.looks_at_send;
  }

  /// The transport as that process sees it; lives as long as this.
  const terrace_ranks_transport* of(int process) {
    ends_.push_back({this, process, {}});
    End& end = ends_.back();
    end.table = {&end, send, receive, test, withdraw};
    return &end.table;
  }

 private:
  struct End {
    TestTransport* all;
    int process;
    terrace_ranks_transport table;
  };
  struct Operation {
    int process, channel;
    std::byte* at;
    std::size_t bytes;
    bool is_send;
    int looks_left;  ///< until a send is complete
    bool is_done;    ///< of a receive
  };
  struct Message {
    int from, channel;
    std::vector<std::byte> bytes;
  };
  static constexpr std::size_t kAll = ~std::size_t{0};
  struct Box {
    std::mutex mutex;
    std::size_t may_arrive = kAll;
    std::size_t looks = 0, looks_at_send = 0;
    std::deque<Message> messages;
    std::deque<Operation*> posted;
  };

  Box& box_of(int process) { return boxes_[static_cast<std::size_t>(process)]; }
  static void match(Box& box) {
    for (auto receive = box.posted.begin(); receive != box.posted.end() && box.may_arrive > 0;) {
      Operation& one = **receive;
      auto message = box.messages.begin();
      while (message != box.messages.end() &&
             (message->channel != one.channel || message->from != one.process))
        ++message;
      if (message == box.messages.end()) {
        ++receive;
        continue;
      }
      if (message->bytes.size() > one.bytes) std::abort();
      if (!message->bytes.empty())
        std::memcpy(one.at, message->bytes.data(), message->bytes.size());
      one.is_done = true;
      if (box.may_arrive != kAll) --box.may_arrive;
      box.messages.erase(message);
      receive = box.posted.erase(receive);
    }
  }

  static End& end_of(void* self) { return *static_cast<End*>(self); }
  static Operation* operation_of(const terrace_ranks_request* request) {
    return reinterpret_cast<Operation*>(static_cast<std::uintptr_t>(request->handle));
  }
  static void send(void* self, int process, int channel, const void* from, std::size_t bytes,
                   terrace_ranks_request* request) {
    End& end = end_of(self);
    {
      Box& own = end.all->box_of(end.process);
      const std::lock_guard lock(own.mutex);
      own.looks_at_send = own.looks;
    }
    Box& box = end.all->box_of(process);
    const auto* const begin = static_cast<const std::byte*>(from);
    const std::lock_guard lock(box.mutex);
    box.messages.push_back({end.process, channel, {begin, begin + bytes}});
    match(box);
    auto* const made = new Operation{process, channel, nullptr, bytes, true, 3, false};
    request->handle = reinterpret_cast<std::uintptr_t>(made);
  }
  static void receive(void* self, int process, int channel, void* to, std::size_t bytes,
                      terrace_ranks_request* request) {
    End& end = end_of(self);
    Box& box = end.all->box_of(end.process);
    auto* const made =
        new Operation{process, channel, static_cast<std::byte*>(to), bytes, false, 0, false};
    request->handle = reinterpret_cast<std::uintptr_t>(made);
    const std::lock_guard lock(box.mutex);
    box.posted.push_back(made);
    match(box);
  }
  static int test(void* self, terrace_ranks_request* request) {
    End& end = end_of(self);
    Operation* const operation = operation_of(request);
    {
      Box& box = end.all->box_of(end.process);
      const std::lock_guard lock(box.mutex);
      ++box.looks;
      if (!operation->is_done && (!operation->is_send || --operation->looks_left > 0)) return 0;
    }
    delete operation;
    return 1;
  }
  static void withdraw(void* self, terrace_ranks_request* request) {
    End& end = end_of(self);
    Box& box = end.all->box_of(end.process);
    const std::lock_guard lock(box.mutex);
    Operation* const operation = operation_of(request);
    std::erase(box.posted, operation);
    delete operation;
  }

  std::vector<Box> boxes_;
  std::deque<End> ends_;
};

/// The processes of a job.
class TestProcesses {
 public:
  /// `sizes`: the ranks of each.
  TestProcesses(const std::vector<int>& sizes, void (*abort)(int, int, const char*))
      : transport_(static_cast<int>(sizes.size())) {
    static const char* const kNodes[] = {"n0", "n1", "n2", "n3"};
    int total = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      told_.push_back({sizes[i], kNodes[i % 4]});
      total += sizes[i];
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      terrace_ranks_settings settings{};
      settings.bytes = sizeof settings;
      settings.ranks = sizes[i];
      settings.abort = abort;
      settings.transport = transport_.of(static_cast<int>(i));
      settings.processes = told_.data();
      settings.process_count = static_cast<int>(sizes.size());
      settings.process = static_cast<int>(i);
      settings.ranks_on_cores = total;
      jobs_.push_back(
          std::make_unique<threadranks::RanksJob>(settings, threadranks::WindowService::make));
    }
  }

  TestTransport& transport() { return transport_; }
  std::vector<std::unique_ptr<threadranks::RanksJob>>& jobs() { return jobs_; }
  threadranks::RankState& rank(int rank) {
    for (const auto& job : jobs_)
      if (job->is_here(static_cast<Rank>(rank))) return job->rank(static_cast<Rank>(rank));
    std::abort();
  }

 private:
  TestTransport transport_;
  std::vector<terrace_ranks_process> told_;
  std::vector<std::unique_ptr<threadranks::RanksJob>> jobs_;
};

/// So many ranks in so many processes, unevenly.
inline std::vector<int> uneven_sizes(int ranks, int processes) {
  std::vector<int> sizes;
  for (int left = ranks; left > 0;) {
    const int more = std::min(processes - static_cast<int>(sizes.size()) - 1, left - 1);
    const int now = more == 0 ? left : std::max(1, std::min(left - more, left * 2 / 3));
    sizes.push_back(now);
    left -= now;
  }
  return sizes;
}

}  // namespace terrace::testing_ranks
