// SPDX-License-Identifier: BSD-3-Clause
// A job of ranks that are threads of this process, or of several: the state that all ranks of this
// one share, and the state of each. Includes no MPI header: adapters convert handles of an ABI to
// these objects.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/rank.hpp"
#include "engine/call_tally.hpp"
#include "engine/performance_variables.hpp"
#include "fibres/fibres.hpp"
#include "team/poll_backoff.hpp"
#include "threadranks/network/process_network.hpp"
#include "threadranks/rank_abi.h"
#include "threadranks/ranks/call_lock.hpp"
#include "threadranks/ranks/communicator.hpp"
#include "threadranks/ranks/requests.hpp"

namespace terrace::threadranks {

class RanksJob;
class RankState;

/// The phase of a rank's life in MPI.
enum class MpiPhase : std::uint8_t { before, initialized, finalized };

/// Makes progress on the rank's messages and collectives while it waits.
class RankWaitEnvironment final : public WaitEnvironment {
 public:
  explicit RankWaitEnvironment(RankState& state) : state_(state) {}
  void progress() noexcept override;
  bool may_have_to_progress() noexcept override;
  bool were_peers_at_work(std::uint64_t now_ns) noexcept override;
  bool pass(bool begins) noexcept override { return fibre::pass(begins); }
  void yield() noexcept override;
  void sleep(const WaitTarget& wait_target, std::uint64_t seen,
             std::uint64_t most_ns) noexcept override;
  OtherProcesses& other_processes() noexcept override;
  void stalled(double seconds) noexcept override;
  void mismatched(const CallMismatch& mismatch) noexcept override;

 private:
  RankState& state_;
};

/// Counts of what a rank has done, always on: for MPI_T.
struct RankCounts {
  std::array<CallCounts, kCollectiveCount> calls{};
  std::uint64_t teams = 0;

  void add(Collective collective, std::size_t bytes) {
    CallCounts& counts = calls[static_cast<std::size_t>(collective)];
    ++counts.run;
    counts.bytes += bytes;
  }
};

/// One rank. Only its threads use it, one at a time: those that call MPI hold its lock.
class RankState {
 public:
  RankState(RanksJob& job, Rank rank);
  RankState(const RankState&) = delete;
  RankState& operator=(const RankState&) = delete;

  RanksJob& job() const { return job_; }
  Rank rank() const { return rank_; }
  CallLock& call_lock() { return call_lock_; }
  RankMessages& messages() { return messages_; }
  NumberedObjects& numbers() { return numbers_; }
  FreeListsOfRank& free_lists() { return free_lists_; }
  WaitEnvironment& wait_environment() { return wait_environment_; }
  const WaitPolicy& waiting() const { return waiting_; }
  Communicator& everybody() { return *everybody_; }
  Communicator& self() { return *self_; }

  /// MPI_Init, in which the other ranks have to take part.
  void begin();
  /// The calling thread is the rank's own, which runs its main.
  void has_own_thread();
  /// The rank's own thread is a fibre from now on, where ranks are, and if no other thread may
  /// call.
  void be_fibre();
  /// The rank's own thread, which calls this, is no fibre from now on, for good.
  void keep_thread();
  /// Returns where the rank runs, as far as it is a fibre; a detached one, too.
  RankHome home() const;
  /// Sends its fibre a signal. False: it is none. Safe in signal handlers.
  bool send_signal(int signal);
  /// Its program has ended.
  void leave(int code);
  /// Ends the job; does not return.
  [[noreturn]] void end_job(int code, const std::string& why) const;

  /// Several threads may call at once from now on, or no longer.
  void allow_threads(bool are_several);
  /// The rank is in that function of MPI, for messages. Of several threads, each remembers its own.
  void enter_function(const char* name) { function_ = name; }
  const char* current_function() const {
    return call_lock_.is_needed() ? CallLock::function_of_thread() : function_;
  }
  /// Takes in arrived messages, and advances collectives in progress.
  void progress();
  /// Returns when `done()`; makes progress on everything else meanwhile. Other threads of the rank
  /// may call meanwhile, before this one goes on as well, so that what was done may hold no longer;
  /// none of them calls `done`.
  template <class Done>
  void wait(Done&& done) {
    wait(done, false);
  }
  /// Waits likewise; who ends the wait notifies this rank's mailbox.
  template <class Done>
  void wait_to_be_woken(Done&& done) {
    wait(done, true);
  }
  /// Waits for the message of a receive that a blocking call has posted.
  void wait_for(const PostedRecv& receiving) {
    const auto done = [&] { return receiving.is_done; };
    if (done()) return;
    if (has_other_progress())
      progress();
    else
      messages_.progress_until_done(receiving);
    if (!done()) wait_further(done, false);
  }
  /// Whether `done()`, for programs that poll in loops: while oversubscribed, other ranks get the
  /// core now and then.
  template <class Done>
  bool test(Done&& done) {
    if (!done()) progress();
    if (done()) {
      patience_.renew();
      return true;
    }
    if (fibre::pass(true)) {
      // For kernel threads that no worker runs, such as those of ranks that sleep often.
      if (patience_.ends()) wait_environment_.yield();
      return done();
    }
    if ((messages_.mailbox().owner_has_core && !call_lock_.is_needed()) || !patience_.ends())
      return false;
    if (call_lock_.is_needed()) [[unlikely]] {
      const Unlocked unlocked(call_lock_);
      WaitingAmongThreads<Done> condition(*this, done);
      yield_cpu(condition, waiting_, wait_environment_);
    } else {
      Waiting<Done> condition(*this, done);
      yield_cpu(condition, waiting_, wait_environment_);
    }
    return done();
  }
  /// Waits for a blocking send, or null: returns when its buffer may be used again.
  void finish(RendezvousSend* sending);
  /// Whether `progress` may have something to do, for which this rank is not woken: receives that
  /// are posted, collectives and meetings in progress, messages of other processes, or what another
  /// thread of the rank begins.
  bool may_have_to_progress() {
    return call_lock_.is_needed() || has_meetings_ || !watched_.empty() ||
           messages_.has_posted_receives() || messages_.mailbox().network != nullptr;
  }
  /// Advances this communicator's collectives until all are complete.
  void watch(Communicator& communicator) {
    if (std::exchange(communicator.is_watched, true)) return;
    watched_.push_back(&communicator);
  }
  void unwatch(Communicator& communicator) {
    if (!std::exchange(communicator.is_watched, false)) return;
    if (watched_.back() == &communicator)
      watched_.pop_back();
    else
      std::erase(watched_, &communicator);
  }
  /// Whether a nonblocking or persistent collective is in progress.
  bool has_collectives() const { return !watched_.empty(); }
  /// Completes a started collective, as a blocking call would. Where something else is in progress,
  /// for which peers may wait, it may leave it to `wait`; a rank without a core of its own makes
  /// progress on that between its turns.
  void complete(StartedCollective& started) {
    if (messages_.has_posted_receives() || messages_.has_network() || has_meetings_) return;
    if (watched_.size() > 1 && messages_.mailbox().owner_has_core)
      complete_beside_others(started);
    else
      started.on->complete(started);
  }
  /// Lets a started receiver of a partitioned message meet its sender when that has come.
  void watch(PartitionedSide& receiver) {
    unmatched_.push_back(&receiver);
    has_meetings_ = true;
  }
  void unwatch(PartitionedSide& receiver) { std::erase(unmatched_, &receiver); }
  /// Keeps a meeting whose receiver has been freed, until the sender's message has come.
  void leave(std::unique_ptr<PartitionedMeeting> meeting) {
    left_meetings_.push_back(std::move(meeting));
    has_meetings_ = true;
  }
  /// The request of all sends that are over at once.
  Request& request_of_sent() { return sent_; }
  /// A request that the program has freed lives until it is complete.
  void detach(std::unique_ptr<Request> request);
  /// Completes what can complete by itself, before MPI_Finalize returns, and compares last calls.
  void settle();
  /// Names one whose other members have begun nonblocking calls that this rank has not; "": none.
  std::string communicator_behind();
  /// Prints the report once, if it is wanted (TERRACE_REPORT) and this rank prints it.
  void report();

  /// Types that the program has asked for by digits and range: each is made once.
  using TypesByPrecision = std::map<std::tuple<Maker, int, int>, std::shared_ptr<Datatype>>;
  TypesByPrecision& types_by_precision() { return types_by_precision_; }

  /// Whether MPI may be called, begun by MPI_Init or by a session.
  bool may_call() const { return phase == MpiPhase::initialized || open_sessions > 0; }

  MpiPhase phase = MpiPhase::before;
  int open_sessions = 0;
  bool has_had_sessions = false;
  bool has_threaded_parts = false;  ///< sessions or tools that have MPI_THREAD_MULTIPLE
  int thread_level = 0;             ///< the ABI's number, for MPI_Query_thread
  std::thread::id main_thread;      ///< the one that initialized MPI
  std::thread::id own_thread;       ///< the one that runs main
  AttachedBuffer attached;
  std::map<const Datatype*, Attributes> of_predefined;         ///< attached to predefined types
  std::map<const Datatype*, std::string> names_of_predefined;  ///< set by this rank
  RankCounts counts;
  std::unique_ptr<CallTally> tally;           ///< for the report; null: this rank gives none
  std::shared_ptr<void> tools;                ///< the adapter's state of MPI_T
  std::shared_ptr<void> errhandler_of_files;  ///< the adapter's, of files that are opened
  std::shared_ptr<void> representations;      ///< the adapter's, of data in files
  std::shared_ptr<void> predefined_objects;   ///< the adapter's: where the program has them
  std::set<Communicator*> communicators;      ///< that this rank is a member of

 private:
  /// Whether there is more to make progress on than what lies in the mailbox.
  bool has_other_progress() const {
    return messages_.has_network() || has_meetings_ || !watched_.empty();
  }
  /// Counts it, once, among the ranks that keep their threads.
  void count_kept_thread();

  /// A thread that waits. Threads may outnumber the cores although ranks do not, so one that is not
  /// alone does not spin for long. Made and destroyed with the rank's lock.
  class WaitingThread {
   public:
    explicit WaitingThread(RankState& state) : state_(state), others_(state.waiting_threads_++) {}
    ~WaitingThread() { --state_.waiting_threads_; }
    WaitingThread(const WaitingThread&) = delete;
    WaitingThread& operator=(const WaitingThread&) = delete;

    const WaitPolicy& policy() const {
      return others_ == 0 ? state_.waiting_ : state_.waiting_beside_threads_;
    }

   private:
    RankState& state_;
    int others_;
  };
  void look_after_meetings();
  void complete_beside_others(StartedCollective& started);
  template <class Done>
  void wait(Done& done, bool is_woken) {
    if (done()) return;
    progress();
    if (!done()) wait_further(done, is_woken);
  }
  /// After a first look.
  template <class Done>
  void wait_further(Done& done, bool is_woken) {
    if (call_lock_.is_needed()) [[unlikely]]
      return wait_among_threads(done);
    Waiting<Done> condition(*this, done, is_woken);
    wait_until(condition, waiting_, wait_environment_);
  }
  template <class Done>
  void wait_among_threads(Done& done) {
    const WaitingThread own(*this);
    const Unlocked unlocked(call_lock_);
    WaitingAmongThreads<Done> condition(*this, done);
    wait_until(condition, own.policy(), wait_environment_);
  }
  template <class Done>
  class Waiting final : public Condition {
   public:
    Waiting(RankState& state, Done& done, bool is_woken = false)
        : state_(state), done_(done), is_woken_(is_woken) {}
    bool holds() noexcept override {
      state_.progress();
      return done_();
    }
    WaitTarget missing() noexcept override { return state_.messages().mailbox().wait_target(); }
    bool is_woken() noexcept override { return is_woken_; }

   private:
    RankState& state_;
    Done& done_;
    bool is_woken_;
  };
  /// A wait that takes the rank's lock for each look.
  template <class Done>
  class WaitingAmongThreads final : public Condition {
   public:
    WaitingAmongThreads(RankState& state, Done& done) : state_(state), waiting_(state, done) {}
    bool holds() noexcept override {
      const CriticalSection critical(state_.call_lock_);
      return waiting_.holds();
    }
    WaitTarget missing() noexcept override { return waiting_.missing(); }

   private:
    RankState& state_;
    Waiting<Done> waiting_;
  };

  RanksJob& job_;
  Rank rank_;
  CallLock call_lock_;
  NumberedObjects numbers_;     ///< outlives the objects with numbers
  FreeListsOfRank free_lists_;  ///< outlives what comes from it
  TypesByPrecision types_by_precision_;
  RankMessages messages_;
  RankWaitEnvironment wait_environment_;
  WaitPolicy waiting_, waiting_beside_threads_;
  int waiting_threads_ = 0;
  PollBackoff patience_;
  const char* function_ = "";
  std::vector<Communicator*> watched_;
  bool has_meetings_ = false;  ///< of partitioned messages, whose senders have not come
  std::vector<PartitionedSide*> unmatched_;
  std::vector<std::unique_ptr<PartitionedMeeting>> left_meetings_;
  std::atomic<Fibre*> fibre_{nullptr};  ///< the last one that its own thread has been
  bool keeps_thread_ = false;
  bool is_counted_ = false;  ///< by `count_kept_thread`
  bool is_progressing_ = false;
  std::unique_ptr<Communicator> everybody_, self_;
  Request sent_;
  std::vector<std::unique_ptr<Request>> detached_;  ///< freed before they were complete
};

class RanksJob {
 public:
  /// `make_remote_calls` makes what carries out calls of other processes: the windows of this one,
  /// which are above this folder.
  RanksJob(const terrace_ranks_settings& settings,
           std::unique_ptr<RemoteCalls> make_remote_calls(RanksJob&));
  ~RanksJob();
  RanksJob(const RanksJob&) = delete;
  RanksJob& operator=(const RanksJob&) = delete;

  /// Ranks of this process.
  Rank ranks_here() const { return static_cast<Rank>(settings_.ranks); }
  Rank first_rank() const { return first_ranks_[static_cast<std::size_t>(settings_.process)]; }
  /// Ranks of the job.
  Rank rank_count() const { return first_ranks_.back(); }
  bool is_here(Rank rank) const { return rank - first_rank() < ranks_here(); }
  int process() const { return settings_.process; }
  int process_count() const { return static_cast<int>(first_ranks_.size()) - 1; }
  int process_of(Rank rank) const;
  /// The name of the node that the rank is on; "" in a job of one process.
  const std::string& node_of(Rank rank) const;

  /// A rank of this process.
  RankState& rank(Rank rank) { return *ranks_[rank - first_rank()]; }
  /// Null: the rank is in another process.
  Mailbox* mailbox_of(Rank rank) const { return mailboxes_[rank]; }
  RemoteCalls& remote_calls() { return *remote_calls_; }
  /// The network to the other processes; null if there are none.
  ProcessNetwork* network() const { return network_.get(); }
  const terrace_ranks_settings& settings() const { return settings_; }

  SharedCommunicator& everybody() { return *everybody_; }
  /// Numbers for the messages of a communicator, `kContextStep`, of which this is the first.
  std::uint32_t next_context();
  /// Returns what members of a communicator in this process share: made for the first of them that
  /// asks.
  SharedCommunicator& shared_of(std::uint32_t context, std::vector<Rank> members,
                                std::size_t first_group);
  /// Frees it, when its last member has left.
  void forget(SharedCommunicator& shared);
  /// A line of the report of rank 0, if that is in this process.
  void note(const std::string& sentence);
  void add_notes(CallTally& tally);

  /// Ranks of all processes, on the cores of this one.
  Rank ranks_on_cores() const {
    return static_cast<Rank>(std::max(settings_.ranks, settings_.ranks_on_cores));
  }
  std::uint32_t usable_pus() const { return usable_pus_; }
  /// Null: the ranks are threads.
  FibreScheduler* scheduler() const { return scheduler_.get(); }
  OtherProcesses& other_processes_of_worker(std::uint32_t worker) {
    return other_processes_[worker];
  }
  bool is_oversubscribed() const { return ranks_on_cores() > usable_pus_; }

  std::atomic<bool> has_begun{false};                     ///< some rank has called MPI_Init
  std::atomic<int> absent{-1};                            ///< a rank that has ended without it
  std::atomic<std::uint32_t> ranks_that_keep_threads{0};  ///< instead of being fibres

 private:
  void connect();

  terrace_ranks_settings settings_;
  std::vector<Rank> first_ranks_;  ///< by process, and behind the last one how many there are
  std::vector<std::string> nodes_;
  std::uint32_t usable_pus_;
  std::atomic<std::uint32_t> contexts_;
  static constexpr std::size_t kMostNotes = 16;
  std::mutex mutex_;
  std::set<std::string> notes_;
  std::unordered_map<std::uint32_t, SharedCommunicator*> communicators_;  ///< by context
  SharedCommunicator* everybody_;  ///< its last member frees it
  std::vector<Mailbox*> mailboxes_;
  std::vector<std::unique_ptr<RankState>> ranks_;
  std::unique_ptr<RemoteCalls> remote_calls_;
  std::unique_ptr<ProcessNetwork> network_;  ///< gone before what it calls
  std::unique_ptr<FibreScheduler> scheduler_;
  std::vector<OtherProcesses> other_processes_;  ///< by worker
};

/// The calling thread's rank; null outside of ranks.
RankState* current_rank() noexcept;
/// A rank of the process's job; null: there is none.
RankState* rank_of_process(int rank) noexcept;
/// The calling thread is that rank from now on; null: none.
void set_current_rank(RankState* rank) noexcept;
/// The calling thread's rank; a program without a launcher is the only rank of its own job.
RankState& rank_of_caller();
/// Whether the calling thread belongs to a rank; otherwise `rank_of_caller` ends the job.
bool is_caller_of_a_rank() noexcept;

}  // namespace terrace::threadranks
