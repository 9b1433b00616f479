// SPDX-License-Identifier: BSD-3-Clause
// A job of ranks that are threads of this process: the state that all ranks share, and the state of
// each. Includes no MPI header: adapters turn handles of an ABI into these objects.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/rank.hpp"
#include "engine/call_tally.hpp"
#include "engine/performance_variables.hpp"
#include "threadranks/matching/requests.hpp"
#include "threadranks/rank_abi.h"
#include "threadranks/ranks/communicator.hpp"

namespace terrace::threadranks {

class RanksJob;
class RankState;

/// How far a rank has come with MPI.
enum class Life : std::uint8_t { before, initialized, finalized };

/// The outside of a rank that waits: messages and collectives that are on their way go on.
class RankWaitEnvironment final : public WaitEnvironment {
 public:
  explicit RankWaitEnvironment(RankState& state) : state_(state) {}
  void progress() noexcept override;
  void stalled(double seconds) noexcept override;
  void mismatched(const Mismatch& mismatch) noexcept override;

 private:
  RankState& state_;
};

/// How many looks in vain a rank goes on for before it lets others have its core: a program that
/// looks may have other work in between, and beside other processes the core is gone for
/// milliseconds. So each time that brought nothing the next comes later, until a look finds
/// something.
class PollBackoff {
 public:
  static constexpr std::uint32_t kLeast = 16, kMost = 1024;

  /// After a look in vain.
  bool ends() noexcept {
    if (++looks_ < length_) return false;
    looks_ = 0;
    length_ = std::min(2 * length_, kMost);
    return true;
  }
  void renew() noexcept {
    looks_ = 0;
    length_ = kLeast;
  }

 private:
  std::uint32_t looks_ = 0, length_ = kLeast;
};

/// What a rank has done, in numbers that are always counted: for MPI_T.
struct RankCounts {
  std::array<CallCounts, kCollectiveCount> calls{};
  std::uint64_t teams = 0;

  void add(Collective collective, std::size_t bytes) {
    CallCounts& counts = calls[static_cast<std::size_t>(collective)];
    ++counts.run;
    counts.bytes += bytes;
  }
};

/// One rank. Only its threads use it, one at a time.
class RankState {
 public:
  RankState(RanksJob& job, Rank rank);
  RankState(const RankState&) = delete;
  RankState& operator=(const RankState&) = delete;

  RanksJob& job() const { return job_; }
  Rank rank() const { return rank_; }
  RankMessages& messages() { return messages_; }
  NumberedObjects& numbers() { return numbers_; }
  FreeListsOfRank& free_lists() { return free_lists_; }
  WaitEnvironment& wait_environment() { return wait_environment_; }
  const WaitPolicy& waiting() const { return waiting_; }
  Communicator& everybody() { return *everybody_; }
  Communicator& self() { return *self_; }

  /// MPI_Init: the others have to come, too.
  void begin();
  /// Its program has ended.
  void leave(int code);
  /// Ends the job; does not return.
  [[noreturn]] void end_job(int code, const std::string& why) const;

  /// Takes what has come, and advances collectives that are on their way.
  void progress();
  /// Returns when `done()`; everything else goes on meanwhile.
  template <class Done>
  void wait(Done&& done) {
    if (done()) return;
    progress();
    if (done()) return;
    Waiting<Done> condition(*this, done);
    wait_until(condition, waiting_, wait_environment_);
  }
  /// Whether `done()`, for programs that look in loops: where ranks outnumber cores, others get
  /// the core now and then.
  template <class Done>
  bool test(Done&& done) {
    if (!done()) progress();
    if (done()) {
      patience_.renew();
      return true;
    }
    if (messages_.mailbox().owner_has_core || !patience_.ends()) return false;
    Waiting<Done> condition(*this, done);
    yield_cpu(condition, waiting_, wait_environment_);
    return done();
  }
  /// Of a blocking send, or null: returns when its buffer may be used again.
  void finish(RendezvousSend* sending);
  /// Advances this communicator's collectives until none is on its way.
  void watch(Communicator& communicator) {
    unwatch(communicator);
    watched_.push_back(&communicator);
  }
  void unwatch(Communicator& communicator) { std::erase(watched_, &communicator); }
  /// A request that the program has given up lives until it is over.
  void detach(std::unique_ptr<Request> request);
  /// Ends what can end by itself, before MPI_Finalize returns, and compares last calls.
  void settle();
  /// Prints the report, if it is wanted (TERRACE_REPORT) and this rank gives it, once.
  void report();

  /// Whether there is MPI to call, begun by MPI_Init or by a session.
  bool may_call() const { return life == Life::initialized || open_sessions > 0; }

  Life life = Life::before;
  int open_sessions = 0;
  bool has_had_sessions = false;
  int thread_level = 0;         ///< as the ABI's number, for MPI_Query_thread
  std::thread::id main_thread;  ///< which has initialized MPI
  void* attached = nullptr;     ///< as MPI_Buffer_detach has to tell
  std::int64_t attached_bytes = 0;
  std::map<const Datatype*, Attributes> of_predefined;         ///< attached to predefined types
  std::map<const Datatype*, std::string> names_of_predefined;  ///< that this rank has given them
  const char* current_function = "";  ///< the function that waits, for sentences
  RankCounts counts;
  std::unique_ptr<CallTally> tally;       ///< for the report; null: this rank gives none
  std::shared_ptr<void> tools;            ///< the adapter's: what tools have of MPI_T
  std::set<Communicator*> communicators;  ///< that this rank is a member of

 private:
  template <class Done>
  class Waiting final : public Condition {
   public:
    Waiting(RankState& state, Done& done) : state_(state), done_(done) {}
    bool holds() noexcept override {
      state_.progress();
      return done_();
    }
    WaitTarget missing() noexcept override { return state_.messages().mailbox().wait_target(); }

   private:
    RankState& state_;
    Done& done_;
  };

  RanksJob& job_;
  Rank rank_;
  NumberedObjects numbers_;     ///< before what gives its number back
  FreeListsOfRank free_lists_;  ///< outlives what comes from it
  RankMessages messages_;
  RankWaitEnvironment wait_environment_;
  WaitPolicy waiting_;
  PollBackoff patience_;
  std::vector<Communicator*> watched_;
  bool is_progressing_ = false;
  std::unique_ptr<Communicator> everybody_, self_;
  std::vector<std::unique_ptr<Request>> detached_;  ///< gone before what they need
};

class RanksJob {
 public:
  explicit RanksJob(const terrace_ranks_settings& settings);
  ~RanksJob();
  RanksJob(const RanksJob&) = delete;
  RanksJob& operator=(const RanksJob&) = delete;

  /// Also while ranks are being made, who ask whether they are too many for the cores.
  Rank rank_count() const { return static_cast<Rank>(settings_.ranks); }
  RankState& rank(Rank rank) { return *ranks_[rank]; }
  const terrace_ranks_settings& settings() const { return settings_; }
  SharedCommunicator& everybody() { return *everybody_; }
  std::uint32_t next_context();
  std::uint32_t usable_pus() const { return usable_pus_; }
  bool is_oversubscribed() const { return rank_count() > usable_pus_; }

  std::atomic<bool> has_begun{false};  ///< some rank has called MPI_Init
  std::atomic<int> absent{-1};         ///< a rank that has ended without it

 private:
  terrace_ranks_settings settings_;
  std::uint32_t usable_pus_;
  SharedCommunicator* everybody_;  ///< its last member frees it
  std::atomic<std::uint32_t> contexts_;
  std::vector<std::unique_ptr<RankState>> ranks_;
};

/// Of the calling thread; null outside of ranks.
RankState* current_rank() noexcept;
/// The same, for a program without a launcher: it is the only rank of its own job.
RankState& rank_of_caller();

std::uint64_t now_ns() noexcept;

}  // namespace terrace::threadranks
