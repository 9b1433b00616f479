// SPDX-License-Identifier: BSD-3-Clause
// Operations of jobs and ranks: begin, make progress, wait, end.
#include "threadranks/ranks/rank_state.hpp"

#include <sched.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/contract.hpp"
#include "base/number.hpp"
#include "base/say.hpp"
#include "base/switch.hpp"
#include "engine/signature.hpp"
#include "threadranks/ranks/forked_child.hpp"

namespace terrace::threadranks {

namespace {

/// Contexts below this one are those of the two communicators that always exist.
constexpr std::uint32_t kEverybody = kContextStep, kSelf = 2 * kContextStep,
                        kFirstContext = 3 * kContextStep;

std::uint32_t usable_pus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::uint32_t>(CPU_COUNT(&set));
}

std::vector<Rank> all_ranks(Rank count) {
  std::vector<Rank> ranks(count);
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  return ranks;
}

}  // namespace

namespace {

std::vector<Rank> first_ranks_of(const terrace_ranks_settings& settings) {
  if (settings.transport == nullptr) return {0, static_cast<Rank>(settings.ranks)};
  std::vector<Rank> first{0};
  for (int process = 0; process < settings.process_count; ++process)
    first.push_back(first.back() + static_cast<Rank>(settings.processes[process].ranks));
  return first;
}

FibreSettings fibre_settings_of(const terrace_ranks_settings& settings) {
  FibreSettings wanted;
  wanted.workers = static_cast<std::uint32_t>(settings.workers);
  wanted.stack_bytes = settings.worker_stack_bytes;
  wanted.prepare_thread = settings.prepare_worker;
  for (int worker = 0; settings.worker_pus != nullptr && worker < settings.workers; ++worker) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(settings.worker_pus[worker]), &set);
    wanted.bindings.push_back(set);
  }
  return wanted;
}

}  // namespace

RanksJob::RanksJob(const terrace_ranks_settings& settings,
                   std::unique_ptr<RemoteCalls> make_remote_calls(RanksJob&))
    : settings_(settings),
      first_ranks_(first_ranks_of(settings)),
      usable_pus_(threadranks::usable_pus()),
      contexts_(kFirstContext + kContextStep * static_cast<std::uint32_t>(settings.process)),
      everybody_(new SharedCommunicator(*this, kEverybody, all_ranks(first_ranks_.back()))),
      mailboxes_(first_ranks_.back(), nullptr),
      remote_calls_(make_remote_calls(*this)) {
  if (settings.transport == nullptr) settings_.process = 0;
  communicators_[kEverybody] = everybody_;
  for (Rank rank = first_rank(); rank < first_rank() + ranks_here(); ++rank) {
    ranks_.push_back(std::make_unique<RankState>(*this, rank));
    mailboxes_[rank] = &ranks_.back()->messages().mailbox();
  }
  if (settings.transport != nullptr) connect();
  if (settings.workers > 0) {
    scheduler_ = FibreScheduler::begin(fibre_settings_of(settings));
    other_processes_.resize(static_cast<std::size_t>(settings.workers));
  }
}

void RanksJob::connect() {
  for (int process = 0; process < settings_.process_count; ++process)
    nodes_.emplace_back(settings_.processes[process].node);
  network_ = std::make_unique<ProcessNetwork>(settings_, mailboxes_);
  network_->has_begun_here = &has_begun;
  network_->remote_calls = remote_calls_.get();
  for (const auto& rank : ranks_) rank->messages().mailbox().network = network_.get();
}

/// Frees messages that no receive took, while all mailboxes exist.
RanksJob::~RanksJob() {
  for (int round = 0; round < 2; ++round)
    for (const auto& rank : ranks_) rank->messages().progress();
  // While all ranks are there, to which the copies in them go back.
  for (const auto& rank : ranks_) rank->messages().forget_all();
}

int RanksJob::process_of(Rank rank) const {
  const auto behind = std::upper_bound(first_ranks_.begin(), first_ranks_.end(), rank);
  return static_cast<int>(behind - first_ranks_.begin()) - 1;
}

const std::string& RanksJob::node_of(Rank rank) const {
  static const std::string& none = *new std::string;
  return nodes_.empty() ? none : nodes_[static_cast<std::size_t>(process_of(rank))];
}

/// Each process draws numbers of its own.
std::uint32_t RanksJob::next_context() {
  const std::uint32_t step = kContextStep * static_cast<std::uint32_t>(process_count());
  // relaxed: only to be different; no partner.
  const std::uint32_t context = contexts_.fetch_add(step, std::memory_order_relaxed);
  // Numbers that wrap around would mix the messages of two communicators.
  TERRACE_REQUIRE(context >= kFirstContext && context % kContextStep == 0, context);
  return context;
}

SharedCommunicator& RanksJob::shared_of(std::uint32_t context, std::vector<Rank> members,
                                        std::size_t first_group) {
  const std::lock_guard lock(mutex_);
  SharedCommunicator*& shared = communicators_[context];
  if (shared == nullptr)
    shared = new SharedCommunicator(*this, context, std::move(members), first_group);
  return *shared;
}

void RanksJob::forget(SharedCommunicator& shared) {
  if (shared.context != kSelf) {
    const std::lock_guard lock(mutex_);
    communicators_.erase(shared.context);
  }
  delete &shared;
}

void RanksJob::note(const std::string& sentence) {
  const std::lock_guard lock(mutex_);
  if (notes_.size() < kMostNotes) notes_.insert(sentence);
}

void RanksJob::add_notes(CallTally& tally) {
  const std::lock_guard lock(mutex_);
  for (const std::string& sentence : notes_) tally.note(sentence);
}

namespace {

/// Seconds that a rank waits before it says so; 0 in the variable: forever.
double stall_seconds() {
  const char* const text = std::getenv("TERRACE_STALL_SECONDS");
  const auto seconds = text != nullptr ? number_from_text<std::uint32_t>(text) : std::nullopt;
  if (!seconds) return WaitPolicy{}.stall_seconds;
  return *seconds == 0 ? std::numeric_limits<double>::infinity() : *seconds;
}

/// About as long as a line takes to come from another core that is far.
constexpr std::uint32_t kSpinsAcrossWorkers = 32;

/// Interval for waking ranks: to wake up, look, and sleep again takes some 5 us. If a core has more
/// than a few ranks, those that sleep until they are woken do so once in so long for each of them
/// at most, and so leave nine tenths of the core to the one that they wait for.
constexpr std::uint64_t kNapNsPerRank = 50'000, kFewRanksOfCore = 8;

std::uint64_t longest_woken_nap_ns(std::uint64_t usual_ns, const RanksJob& job) {
  const std::uint64_t of_core = job.ranks_on_cores() / std::max(job.usable_pus(), 1u);
  return of_core <= kFewRanksOfCore ? usual_ns : std::max(usual_ns, kNapNsPerRank * of_core);
}

}  // namespace

RankState::RankState(RanksJob& job, Rank rank)
    : job_(job),
      rank_(rank),
      wait_environment_(*this),
      waiting_(WaitPolicy::for_mpi_ranks(job.ranks_on_cores(), job.usable_pus(), true)),
      waiting_beside_threads_(
          WaitPolicy::for_mpi_ranks(2 * job.ranks_on_cores(), job.usable_pus(), true)),
      everybody_(std::make_unique<Communicator>(*this, job.everybody(), static_cast<int>(rank))),
      self_(std::make_unique<Communicator>(
          *this, *new SharedCommunicator(job, kSelf, std::vector<Rank>{rank}), 0)) {
  sent_.kind = Request::Kind::send;
  sent_.is_active = sent_.is_shared = true;
  everybody_->name = "MPI_COMM_WORLD";
  self_->name = "MPI_COMM_SELF";
  everybody_->is_predefined = self_->is_predefined = true;
  messages_.mailbox().owner_has_core = !job.is_oversubscribed();
  if (job.settings().workers > 0) waiting_.spins_across = kSpinsAcrossWorkers;
  // A fibre sleeps with its worker, whose other fibres nothing wakes.
  if (job.settings().workers == 0)
    waiting_.longest_woken_nap_ns = longest_woken_nap_ns(waiting_.longest_nap_ns, job);
  waiting_.stall_seconds = waiting_beside_threads_.stall_seconds = stall_seconds();
  if (rank == 0 && switch_in_environment("TERRACE_REPORT") == true)
    tally = std::make_unique<CallTally>();
}

namespace {

[[noreturn]] void end_for_absent(const RankState& absent, int code) {
  absent.end_job(code != 0 ? code : 1,
                 "rank " + std::to_string(absent.rank()) + " has ended with code " +
                     std::to_string(code) +
                     " and without MPI_Init, which other ranks have called, so they may wait for "
                     "it for ever");
}

}  // namespace

void RankState::begin() {
  TERRACE_ASSERT(phase != MpiPhase::initialized);
  phase = MpiPhase::initialized;
  // seq_cst, all: of a rank that begins and one that leaves, one sees the other. Partner: `leave`.
  job_.has_begun.store(true);
  if (const int absent = job_.absent.load(); absent >= 0)
    end_for_absent(job_.rank(static_cast<Rank>(absent)), 0);
  if (const ProcessNetwork* const network = job_.network();
      network && network->absent_process() >= 0)
    end_job(1, "the ranks of another process of the job have ended without MPI_Init");
}

void RankState::has_own_thread() {
  if (own_thread == std::thread::id()) own_thread = std::this_thread::get_id();
}

/// Neighbours in rank have the same worker.
void RankState::be_fibre() {
  FibreScheduler* const scheduler = job_.scheduler();
  if (scheduler == nullptr || keeps_thread_ || fibre::is_here() || call_lock_.is_needed() ||
      own_thread != std::this_thread::get_id())
    return;
  const std::uint64_t index = rank_ - job_.first_rank();
  // release: pairs with the acquire in `send_signal`.
  fibre_.store(scheduler->enter(static_cast<std::uint32_t>(index * scheduler->worker_count() /
                                                           job_.ranks_here())),
               std::memory_order_release);
}

void RankState::keep_thread() {
  if (job_.scheduler() == nullptr || own_thread != std::this_thread::get_id()) return;
  fibre::go_home();
  keeps_thread_ = true;
  count_kept_thread();
}

void RankState::allow_threads(bool are_several) {
  if (are_several) {
    fibre::go_home();
    count_kept_thread();
  }
  call_lock_.set_needed(are_several);
}

void RankState::count_kept_thread() {
  if (job_.scheduler() == nullptr || std::exchange(is_counted_, true)) return;
  // relaxed: a count, for the report.
  job_.ranks_that_keep_threads.fetch_add(1, std::memory_order_relaxed);
}

RankHome RankState::home() const {
  RankHome home;
  if (!fibre::is_here()) return home;
  home.worker = fibre::worker();
  if (const int* const pus = job_.settings().worker_pus; pus != nullptr)
    home.pu = static_cast<std::uint32_t>(pus[*home.worker]);
  return home;
}

bool RankState::send_signal(int signal) {
  // acquire: pairs with the release in `be_fibre`.
  Fibre* const fibre = fibre_.load(std::memory_order_acquire);
  return fibre != nullptr && job_.scheduler()->send(*fibre, signal);
}

void RankState::leave(int code) {
  if (!may_call() && (phase == MpiPhase::finalized || has_had_sessions)) return;
  if (!may_call()) {
    // seq_cst, both: as in `begin`, its partner.
    job_.absent.store(static_cast<int>(rank_));
    if (job_.has_begun.load()) end_for_absent(*this, code);
    return;
  }
  end_job(code != 0 ? code : 1, "rank " + std::to_string(rank_) + " has ended with code " +
                                    std::to_string(code) + " and without " +
                                    (open_sessions > 0 ? "MPI_Session_finalize" : "MPI_Finalize") +
                                    ", so other ranks may wait for it for ever");
}

void RankState::look_after_meetings() {
  std::erase_if(left_meetings_, [](const auto& one) { return one->receiving.is_done; });
  std::erase_if(unmatched_, [](PartitionedSide* one) { return one->attach_if_matched(); });
  has_meetings_ = !left_meetings_.empty() || !unmatched_.empty();
}

void RankState::progress() {
  TERRACE_ASSERT(call_lock_.permits_caller(), rank_);
  if (messages_.has_network()) [[unlikely]]
    job_.network()->drive();
  messages_.progress();
  if (has_meetings_) [[unlikely]]
    look_after_meetings();
  if (watched_.empty() || is_progressing_) return;
  is_progressing_ = true;
  for (std::size_t i = 0; i < watched_.size();) {
    Communicator* const one = watched_[i];
    one->advance();
    // An operator of the program lets other threads in, who watch and unwatch others.
    if (i < watched_.size() && watched_[i] == one && one->is_idle())
      unwatch(*one);
    else
      ++i;
  }
  is_progressing_ = false;
}

/// Fetches what all of them await, then looks at this one for about as long as a line takes.
void RankState::complete_beside_others(StartedCollective& started) {
  constexpr int kLooks = 64;
  for (const Communicator* one : watched_) one->prefetch_awaited();
  for (int looks = 0; looks < kLooks && !started.is_over; ++looks) {
    if (looks > 0) pause();
    started.on->advance();
  }
  if (started.is_over && started.on->is_idle()) unwatch(*started.on);
}

namespace {

/// Polls before a message is copied to be left, about as long as the copy takes: a receiver that
/// waits already has come by then.
constexpr int kLooksBeforeLeaving = 32;

}  // namespace

void RankState::finish(RendezvousSend* sending) {
  if (sending == nullptr) return;
  for (int looks = 0; sending->may_buffer && !fibre::is_here() && looks < kLooksBeforeLeaving;
       ++looks) {
    if (sending->is_done()) break;
    progress();
    pause();
  }
  if (sending->is_done() || !sending->may_buffer || !sending->buffer_send())
    wait([&] { return sending->is_done(); });
  sending->release();
}

void RankState::detach(std::unique_ptr<Request> request) {
  std::erase_if(detached_, [](const auto& one) { return one->is_over(); });
  TERRACE_ASSERT(request != nullptr && request->is_active);
  detached_.push_back(std::move(request));
}

/// Drops receives that have no message, and may have no sender; waits for all other detached
/// requests.
void RankState::settle() {
  std::erase_if(detached_, [](const auto& one) {
    return one->kind == Request::Kind::receive && !one->receiving.is_landing;
  });
  for (const auto& request : detached_) wait([&] { return request->is_over(); });
  detached_.clear();
  for (Communicator* const communicator : communicators) communicator->compare_calls();
}

std::string RankState::communicator_behind() {
  const CriticalSection critical(call_lock_);
  const auto found = std::find_if(communicators.begin(), communicators.end(),
                                  [](Communicator* one) { return one->is_behind(); });
  return found != communicators.end() ? (*found)->what() : "";
}

namespace {

/// A line of the report on how ranks have been scheduled, or "".
std::string fibres_of(const RanksJob& job) {
  if (job.scheduler() == nullptr) return "";
  const FibreCounts counts = job.scheduler()->counts();
  return "ranks: fibres of " + std::to_string(job.scheduler()->worker_count()) + " workers, " +
         std::to_string(counts.switches) + " switches, " + std::to_string(counts.blocked) +
         " times one slept in the system, and " + std::to_string(counts.computing) +
         " times one computed for long, and " + std::to_string(counts.moved) +
         " moved to a worker that had less to do; " +
         // relaxed: a count.
         std::to_string(job.ranks_that_keep_threads.load(std::memory_order_relaxed)) +
         " ranks keep their threads\n";
}

}  // namespace

void RankState::report() {
  if (!tally) return;
  const std::string of_processes =
      job_.process_count() > 1 ? " of " + std::to_string(job_.process_count()) + " processes" : "";
  job_.add_notes(*tally);
  say("report of rank 0 of " + std::to_string(job_.rank_count()) + ", ranks that are threads" +
      of_processes + "\n" + tally->text() + fibres_of(job_) + "terrace: end of report");
  tally.reset();
}

void RankWaitEnvironment::progress() noexcept {
  const CriticalSection critical(state_.call_lock());
  state_.progress();
}

bool RankWaitEnvironment::may_have_to_progress() noexcept {
  return state_.may_have_to_progress();
}

/// Ranks that take turns on the cores and compute look like other processes to one that yields. But
/// then they have used the cores: since this thread last asked, three quarters at least of the time
/// that all cores had. Another process that computes on each core leaves them less, if there are
/// not three times as many ranks.
bool RankWaitEnvironment::were_peers_at_work(std::uint64_t now) noexcept {
  struct Reading {
    std::uint64_t at = 0, used = 0;
  };
  static thread_local Reading last;
  const RanksJob& job = state_.job();
  if (!job.is_oversubscribed()) return false;
  timespec used{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return false;
  const Reading before =
      std::exchange(last, {now, static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000u +
                                    static_cast<std::uint64_t>(used.tv_nsec)});
  const std::uint64_t could_use = (last.at - before.at) * job.usable_pus();
  return before.at != 0 && (last.used - before.used) * 4 >= could_use * 3;
}

/// On behalf of all fibres of the worker, which have looked in vain.
void RankWaitEnvironment::yield() noexcept {
  const fibre::WaitsForAll waits;
  WaitEnvironment::yield();
}

/// Ends a child that a rank has forked: a wait there would never end. Most calls that wait are
/// refused before; a wait for a request is not.
///
/// Who wakes this fibre wakes its worker; who has news for another fibre there does not, so the
/// worker sleeps for as long as waking it would take.
void RankWaitEnvironment::sleep(const WaitTarget& wait_target, std::uint64_t seen,
                                std::uint64_t most_ns) noexcept {
  if (phase_of_parent())
    state_.end_job(1, std::string(state_.current_function()) + ": " + kObstacleInChild);
  constexpr std::uint64_t kLongestOfWorkerNs = 50'000;
  const fibre::WaitsForAll waits;
  WaitEnvironment::sleep(wait_target, seen,
                         fibre::has_worker() ? std::min(most_ns, kLongestOfWorkerNs) : most_ns);
}

OtherProcesses& RankWaitEnvironment::other_processes() noexcept {
  if (fibre::has_worker()) return state_.job().other_processes_of_worker(fibre::worker());
  return WaitEnvironment::other_processes();
}

void RankWaitEnvironment::stalled(double seconds) noexcept {
  const std::string& node = state_.job().node_of(state_.rank());
  const std::string behind = state_.communicator_behind();
  std::fprintf(stderr, "terrace: rank %u%s%s has waited %.3g s in %s%s%s%s\n", state_.rank(),
               node.empty() ? "" : " on node ", node.c_str(), seconds, state_.current_function(),
               behind.empty() ? "" : ", and has not begun the nonblocking collective of ",
               behind.c_str(), behind.empty() ? "" : " that others have");
}

void RankWaitEnvironment::mismatched(const CallMismatch& mismatch) noexcept {
  state_.end_job(1, to_text(mismatch, "rank " + std::to_string(state_.rank()),
                            "another member of the same communicator") +
                        ": all members must make the same calls");
}

void RankState::end_job(int code, const std::string& why) const {
  for (;;) job_.settings().abort(static_cast<int>(rank_), code, why.c_str());
}

}  // namespace terrace::threadranks
