// SPDX-License-Identifier: BSD-3-Clause
// An endpoint: what one rank of a team needs to make calls. It chooses a plan, keeps the programs
// that it has run, runs them and waits. The C library, the preload and the MPI of thread ranks
// build on it.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "choose/chooser.hpp"
#include "engine/contest.hpp"
#include "engine/first_choices.hpp"
#include "engine/machine_watch.hpp"
#include "engine/plan_cache.hpp"
#include "engine/signature.hpp"
#include "execute/run.hpp"

namespace terrace {

class EndpointRecorder;
class NeighbourPrograms;
struct ProgramsOverNodes;

/// The elements of a call, and how to combine them. Without kernel and combiner they are only
/// copied.
struct Elements {
  std::size_t count = 0;
  std::size_t bytes = 1;  ///< per element
  Reduction reduction = nullptr;
  bool in_rank_order = false;    ///< the operator does not commute
  Combiner* combiner = nullptr;  ///< where there is no kernel
  bool is_exact = false;         ///< the same bits in any order
  Combination combination = {};  ///< type and operator, which must be equal on all ranks
};

inline std::size_t bytes_of(const Elements& elements) {
  return elements.count * elements.bytes;
}

class TeamEndpoint;

struct EndpointOptions {
  Reach reach = Reach::bounced;  ///< how this rank shows its own buffers where the choice is free
  TeamTraits traits;             ///< the same on all ranks
  /// Chooses plans; null: the endpoint makes a chooser with assumed costs. Built from the same
  /// values on all ranks.
  std::shared_ptr<Chooser> chooser;
  std::optional<Choice> forced;  ///< for measurements: always this choice
  bool is_reproducible =
      false;  ///< combine in an order by count (choose.hpp); the same on all ranks
  WaitPolicy waiting;
  WaitEnvironment* wait_environment = nullptr;  ///< must outlive the endpoint
  /// The core that each rank takes turns on; empty if that is not known. Must outlive the endpoint.
  std::span<const std::uint32_t> cores;
  /// The memory of this rank that peers can use where it lies; null: only what they can always use.
  /// Must outlive the endpoint.
  Reachable* reachable = nullptr;
  /// Reads peers' memory by the kernel; null: not possible between all ranks, or not wanted. Null
  /// on all ranks or on none. Must outlive the endpoint.
  Puller* puller = nullptr;
  /// Attaches peers' memory: buffers in `reachable` are then shown attached, not direct. Null on
  /// all ranks or on none. Must outlive the endpoint.
  Attacher* attacher = nullptr;
  /// Records calls and waits; null: nothing is recorded. Must outlive the endpoint.
  EndpointRecorder* recorder = nullptr;
  /// Bytes of each rank's scratch that are allocated from the beginning; 0: all. The rest of this
  /// rank's is allocated when a call first needs it. The same on all ranks.
  std::size_t first_scratch_bytes = 0;
  /// Allocates this rank's scratch up to `bytes`; false: there is no memory.
  std::function<bool(std::size_t bytes)> allocate_scratch;
  /// Measures the machine's costs between the ranks; the same on all ranks.
  bool measures = false;
  /// Measures again from time to time, since ranks may move to other cores; the same on all ranks.
  bool can_move = false;
  /// The process's knowledge of the machine; of threads alone, as it is the same on all ranks.
  MachineStart machine;
  /// Tries during the first calls of a class whether another way is faster than the choice; the
  /// same on all ranks, like the following options.
  bool tries = false;
  /// Replaces the touching of buffers after each timed call, in tests; null: they are touched.
  std::function<void(const TeamEndpoint&)> touch_for_test;
  bool can_fall_back = false;            ///< an MPI can also make calls: see `falls_back`
  bool falls_back_for_any_sums = false;  ///< even if its sums may have other bits
  double underlying_mpi_ns = 0;          ///< the time of a call of that MPI, if oversubscribed
  /// No rank continues a call of the program before all are seen to make the same one, since the
  /// caller does more than the call. The same on all ranks.
  bool confirms_calls = false;
  /// Confirms more of a call, after all ranks are seen to make the same one; may exchange words by
  /// `tell_all`. False: the call fails. Null: nothing more is confirmed.
  std::function<bool(Collective)> confirm_also;
  bool always_pulls = false;  ///< wherever possible, without measuring whether it pays
  /// The first choices of sums, where several endpoints of the same ranks share them; the same on
  /// all ranks. Null: the endpoint has its own.
  std::shared_ptr<FirstChoices> first_choices;
};

/// A team's knowledge for other teams of the same ranks: the machine's costs, and the ways that
/// trials found faster than the first choice.
struct TeamFindings {
  std::shared_ptr<Chooser> chooser;
  std::map<ClassOfCalls, Contender> ways;

  bool operator==(const TeamFindings&) const = default;
};

/// The lengths that ranks exchange before they move blocks of different length. Short blocks may
/// travel with them.
class Lengths {
 public:
  /// Bytes of a block that fit in a line together with its length.
  static constexpr std::size_t kInLine = kPayloadBytes - 2 * sizeof(std::uint64_t);
  /// Most ranks whose blocks travel so: of more, lengths alone take far fewer lines.
  static constexpr Rank kMostCarriers = 16;
  static constexpr std::size_t carried_among(Rank ranks) {
    return ranks <= kMostCarriers ? kInLine : 0;
  }

  /// Each block's first bytes, up to so many, travel with its length: a multiple of 8.
  explicit Lengths(std::size_t carried_bytes = 0) : carried_bytes_(carried_bytes) {
    TERRACE_REQUIRE(carried_bytes % sizeof(std::uint64_t) == 0, carried_bytes);
  }
  /// An exchange of lengths: the collective, and blocks of so many bytes.
  struct Exchange {
    Collective collective;
    const void* input;  ///< this rank's block where it gives one, else those for all
    void* output;       ///< likewise
    std::size_t bytes;
  };
  /// Before the exchange (arguments as for `TeamEndpoint::tell_lengths`, of that rank of so many).
  Exchange prepare(Collective collective, const BlockTables& blocks, bool can_go_on, Rank root,
                   Rank rank, Rank rank_count);
  /// The longest block of any rank; nothing: a rank cannot continue.
  std::optional<std::uint64_t> most() const;
  /// The length of a rank's block for this one.
  std::uint64_t given_by(Rank rank) const { return received_[cell_of(rank) + 1]; }
  /// Whether all blocks of all ranks have come whole, so that nothing is left to move.
  bool have_brought_blocks() const {
    const std::optional<std::uint64_t> longest = most();
    return longest && *longest <= carried_bytes_;
  }
  /// Copies the blocks that have come, whole, to where this rank wants them, but not the one that
  /// it has in place, which may be read-only. `blocks` as in `prepare`, but as long as they were
  /// given.
  void deliver(const BlockTables& blocks) const;

 private:
  static constexpr std::uint64_t kCannot = ~std::uint64_t{0};
  static constexpr std::size_t kHeadWords = 2;  ///< of a cell: the longest block, this block

  std::size_t cell_words() const { return kHeadWords + carried_bytes_ / sizeof(std::uint64_t); }
  /// The index of a rank's cell.
  std::size_t cell_of(Rank rank) const {
    TERRACE_ASSERT(rank < rank_count_, rank, rank_count_);
    return rank * cell_words();
  }

  std::size_t carried_bytes_;
  Collective plan_ = Collective::alltoall;
  Rank root_ = 0, rank_ = 0, rank_count_ = 0;
  std::vector<std::uint64_t> sent_, received_;  ///< cells by rank
};

class TeamEndpoint {
 public:
  /// `memory` and `plan_cache` must outlive the endpoint. `first_call` is the same on all ranks.
  TeamEndpoint(const TeamMemory& memory, Rank rank, PlanCache& plan_cache,
               const EndpointOptions& options, std::uint64_t first_call = 0);
  ~TeamEndpoint();

  // Each call is collective: every rank of the team makes it in the same order with the same
  // counts, sizes and root. False after calls that do not match, which the wait environment is told
  // of, or after an overrun, which a proved plan does not have; the team is then of no further use.
  bool barrier();
  /// Copies `count * bytes` bytes from the root's `buffer` to every rank's.
  bool bcast(void* buffer, std::size_t bytes, Rank root);
  /// `input` may equal `output`. `output` is used at the root only.
  bool reduce(const void* input, void* output, const Elements& elements, Rank root);
  bool allreduce(const void* input, void* output, const Elements& elements);
  /// Copies `bytes` bytes from each rank's `input` to every rank's `output`, in blocks by rank. In
  /// place, `input` is this rank's block of `output`.
  bool allgather(const void* input, void* output, std::size_t bytes);
  /// Copies `bytes` bytes from each rank's `input` to the root's `output` alone.
  bool gather(const void* input, void* output, std::size_t bytes, Rank root);
  /// Copies a block of `bytes` bytes of the root's `input` to each rank's `output`. In place, the
  /// root's `output` is its block of `input`.
  bool scatter(const void* input, void* output, std::size_t bytes, Rank root);
  /// `input` may equal `output`.
  bool alltoall(const void* input, void* output, std::size_t bytes);
  /// Combines one block per rank of `input`, and leaves `elements` at each rank. `input` may equal
  /// `output`.
  bool reduce_scatter_block(const void* input, void* output, const Elements& elements);
  /// `input` may equal `output`. An exscan does not touch rank 0's `output`.
  bool scan(const void* input, void* output, const Elements& elements);
  bool exscan(const void* input, void* output, const Elements& elements);
  /// Any of these by name. Calls that only move count bytes of a block: `{bytes}`. Root 0 if there
  /// is none; a bcast's buffer is both input and output.
  bool make_call(Collective collective, const void* input, void* output, const Elements& elements,
                 Rank root);

  /// Runs this team's part of a call of ranks on several nodes, whose other teams run theirs at the
  /// same time, by one plan with messages. Blocks have the numbers of the plan's ranks, and `root`
  /// is one of them: `input` and `output` are where block 0 is, or would be.
  bool run_over_nodes(const ProgramsOverNodes& programs, Collective collective, const void* input,
                      void* output, const Elements& elements, Rank root);

  /// Whether an element of such a call, which cannot be cut, fits the team's scratch. All elements
  /// of up to a line pair do. The same on all ranks. `waits`: all ranks are about to make the call,
  /// so calls of the endpoint's own may come first.
  bool has_room_for(Collective collective, const Elements& elements, Rank root, bool waits = true);

  /// A call with everything decided, resolved and allocated except its buffers.
  struct PreparedCall;

  /// The prepared call that this rank's last call left, for `repeat`; null if the next call like it
  /// may have to run another way. Valid until `prepared_version` changes; one with tables of
  /// blocks, until another is started with others.
  PreparedCall* last_prepared() const { return last_prepared_; }
  std::uint64_t prepared_version() const { return prepared_version_; }
  /// Frees what was prepared for all but the first few kinds of calls of each collective, as a team
  /// may never be used again.
  void forget_later_calls();
  /// Whether the next call may repeat a prepared one: nothing else is due before. Ask exactly once
  /// for each call, right before it.
  bool may_repeat(PreparedCall& prepared);
  /// The hot path of all callers: repeats a prepared call with the same arguments except the
  /// buffers. Returns as other calls do; blocks as in `PreparedCall`.
  bool repeat(PreparedCall& prepared, const void* input, void* output);
  /// Makes of the buffers of `make_call` those of `repeat`: a rank's only block becomes the one of
  /// its own number.
  void number_own_block(Collective collective, const void*& input, void*& output,
                        std::size_t bytes) const;

  // Blocks of different length. If only some ranks know some of the lengths, all must first learn
  // the longest, by `agree` in a separate call.

  /// Allgatherv, gatherv, scatterv, alltoallv, alltoallw: blocks are numbered as in the regular
  /// calls, and are in place where they are the same memory. Giver and taker of a block know its
  /// length; `most_bytes` is the longest, the same on all ranks.
  bool move_blocks(Collective collective, const BlockTables& blocks, std::size_t most_bytes,
                   Rank root);
  /// Combines block r of each input at rank r; inputs must not overlap the output. `elements`
  /// counts those of the longest block.
  bool reduce_scatter(const Block* input, const Block& output, const Elements& elements);
  /// Gives all ranks the root's `word` if the collective has a root, otherwise the greatest. A call
  /// of the team on its own.
  bool agree(Collective collective, std::uint64_t& word, Rank root);
  /// Gives all ranks `bytes` bytes of each, in order of ranks, by a call of the endpoint's own.
  bool tell_all(const void* mine, void* all, std::size_t bytes);

  /// Sends the lengths of a gatherv's, scatterv's or alltoallv's blocks (tables as for
  /// `move_blocks`) to the ranks that get them, and the longest to all. A rank that cannot continue
  /// tells all; in a scatterv, only the root is heard. `lengths` must live as long as the call.
  bool tell_lengths(Collective collective, const BlockTables& blocks, bool can_go_on, Rank root,
                    Lengths& lengths);

  // Neighbourhood collectives, by all ranks of the team: threads of one process, or processes that
  // bring a puller. Givers tell their takers how long blocks are; a block that is longer than its
  // place is cut, and `blocks.is_truncated` says so.

  bool move_along_edges(const std::shared_ptr<const NeighbourPrograms>& programs,
                        EdgeBlocks& blocks);
  /// Prepares such a call, for `repeat` or `start` without buffers. `blocks` must stay where it is
  /// until the call is over. Valid as long as the endpoint.
  PreparedCall& prepare_along_edges(const std::shared_ptr<const NeighbourPrograms>& programs,
                                    EdgeBlocks& blocks);

  /// The number of the program's calls that this rank has begun.
  std::uint64_t calls() const { return state_.call() - own_calls_; }
  std::uint64_t calls_of_all_kinds() const { return state_.call(); }
  /// A number that is equal on ranks that made the same calls, or fell back to the MPI for them.
  std::uint64_t state() const { return Hash().add(state_.call()).add(state_.history()).value(); }

  /// Uses this chooser from the next call on, as after a move to that machine. All ranks must call
  /// it between the same calls.
  void use(std::size_t machine, std::shared_ptr<Chooser> chooser);
  const Hierarchy& hierarchy() const { return plan_cache_.hierarchy(); }
  const std::shared_ptr<Chooser>& chooser() const { return options_.chooser; }
  /// Returns what the team's calls have found out so far. Another team of the same ranks that only
  /// starts calls, and so finds out nothing itself, may use it.
  std::shared_ptr<const TeamFindings> findings() const;
  /// A number that changes whenever the findings do.
  std::uint64_t findings_version() const { return findings_version_; }
  /// Chooses for started calls by another team's findings, from the next call on. All ranks must
  /// call it between the same calls, with the same findings.
  void use(std::shared_ptr<const TeamFindings> findings);
  /// Sets a listener for the outcomes of trials.
  void tell_outcomes_to(std::function<void(const std::string& sentence)> listener) {
    tell_outcome_ = std::move(listener);
  }

  /// Whether the next call, which must be this one, falls back to the MPI, on all ranks alike. If
  /// so, the caller calls `end_fallback` when the MPI has returned.
  bool falls_back(Collective collective, const Elements& elements, Rank root) {
    return open_contests_ > 0 && decides_to_fall_back(collective, elements, root);
  }
  /// This rank makes a call that the team's ranks all make elsewhere: ranks that wait in another
  /// call of the team see that it differs.
  void pass(const CallIdentity& identity) { state_.pass(identity); }
  void end_fallback();

  /// Compares calls after this rank's last one, in which ranks may not have heard of each other.
  /// False: they do not match, which the wait environment is told of.
  bool compare_calls();

  // A call that is started, left, and resumed. An endpoint has one at a time, and makes no other
  // until it is over; its buffers and blocks must stay valid. Only if peers reach all buffers, or
  // none. It makes no call of the endpoint's own, so it neither measures nor tries.

  /// Starts the single call that `make` makes on this endpoint, which returns true at once.
  /// `blocked`: it is not over.
  template <class Make>
  Progress start(Make&& make) {
    is_starting_ = true;
    make(*this);
    is_starting_ = false;
    return started_ != nullptr ? Progress::blocked : last_progress_;
  }
  /// Starts a call like a prepared one, with those buffers.
  Progress start(PreparedCall& prepared, const void* input, void* output);
  /// Whether a rank that has started such a call may leave it (`TeamTraits::leaves_calls`): once it
  /// has sent, it owes its peers nothing. The same on all ranks.
  bool can_be_left(Collective collective, const Elements& elements, Rank root);
  /// The question that choosers are asked about such a call.
  Question question_of(Collective collective, const Elements& elements) const;
  /// The plan by which such a call is started.
  const std::string& plan_of(Collective collective, const Elements& elements, Rank root) {
    return entry_for(question_of(collective, elements), root).program->name;
  }
  /// The peer that the started call waits for, as far as that is known.
  std::optional<Rank> awaited();
  /// Whether a started call is not over.
  bool has_started() const { return started_ != nullptr; }
  /// Whether it could not send yet, as a peer still reads what an earlier call sent.
  bool owes() const;
  /// The signal that the started call waits for.
  WaitTarget missing();
  /// Goes on with the started call as far as it can without waiting. It is over if the progress is
  /// any but `blocked`.
  Progress advance();
  /// Completes it, waiting as other calls do, and returns as they do.
  bool complete();
  /// Fetches the lines that it awaits, before a call on another endpoint is looked at.
  void prefetch_awaited() const;

  /// The algorithm that the last call ran, for reports ("" before the first).
  const std::string& last_plan() const;
  /// The way peers reached this rank's buffers in that call; nothing if it showed none.
  std::optional<Reach> last_reach() const {
    const bool shows = last_program_ != nullptr && last_program_->showing_step() != nullptr;
    return shows ? std::optional(last_reach_) : std::nullopt;
  }
  Rank rank() const { return state_.rank(); }

 private:
  /// The decision for a question.
  struct Entry {
    Question question;
    Rank root = 0;
    Choice choice;
    const RankProgram* program = nullptr;
    const RankProgram* pulled = nullptr;  ///< if pulling is a choice
    double predicted_ns = 0;              ///< the same on all ranks
    CopyBy copies = CopyBy::pages;        ///< as a trial may want it
  };

  /// The arguments of a run of a plan.
  struct Request {
    Collective collective;  ///< as the caller named it
    Collective question;    ///< whose plan runs
    const void* input;
    void* output;
    const Elements& elements;
    Rank root;
    const BlockTables* tables = nullptr;
    bool tells_lengths = false;
    const Request* before = nullptr;  ///< a call of the endpoint's own, before this one
  };

  /// The key of a call: everything that must be equal for calls to be made the same way, and to
  /// tell peers the same.
  struct CallKey {
    std::uint64_t what;  ///< collective, operator, order, in place, root
    std::size_t element_count;
    std::size_t element_bytes;

    bool operator==(const CallKey&) const = default;
  };
  struct CallKeyHash {
    std::size_t operator()(const CallKey& key) const;
  };
  /// Inputs of a decision, besides the machine: the same on all ranks.
  struct Decided {
    Question question;
    Rank root;

    bool operator==(const Decided&) const = default;
  };
  struct DecidedHash {
    std::size_t operator()(const Decided& decided) const;
  };
  /// The first few are searched linearly, the others hashed.
  struct PreparedCalls {
    std::vector<std::unique_ptr<PreparedCall>> kept;
    std::unordered_map<CallKey, std::unique_ptr<PreparedCall>, CallKeyHash> more;
  };

  /// A graph's calls.
  struct Exchange {
    std::shared_ptr<const NeighbourPrograms> programs;
    std::unique_ptr<PreparedCall> prepared;
  };

  static CallKey key_of(Collective collective, const Elements& elements, Rank root,
                        bool is_in_place) {
    const auto flags = static_cast<unsigned>(elements.in_rank_order) |
                       static_cast<unsigned>(elements.is_exact) << 1 |  // as trials tell apart
                       static_cast<unsigned>(is_in_place) << 2;
    return {static_cast<std::uint64_t>(collective) | std::uint64_t{flags} << 8 |
                std::uint64_t{elements.combination.number()} << 16 | std::uint64_t{root} << 32,
            elements.count, elements.bytes};
  }
  static CallKey key_of(const Request& request) {
    return key_of(request.collective, request.elements, request.root,
                  request.input == request.output);
  }
  static bool fits(const RankProgram& program, std::size_t element_bytes,
                   std::size_t scratch_bytes);
  static std::uint64_t usual_touch_ns(const Contest& contest);
  void add_touch_time(const Request& request, Contest& contest);
  static PreparedCall* find_in(const PreparedCalls& calls, const CallKey& key);
  PreparedCall& new_in(PreparedCalls& calls, const CallKey& key);
  PreparedCall* find_prepared(const Request& request);
  PreparedCall& new_prepared(const Request& request);
  PreparedCall& new_exchange(const std::shared_ptr<const NeighbourPrograms>& programs);
  std::uint64_t lengths_of(const Request& request) const;
  const Entry& entry_for(const Question& question, Rank root);
  Entry decide(const Question& question, Rank root);
  Candidate best_for(const Question& planned);
  Entry plain_entry(const Question& question, Rank root);
  void find_any_program(Entry& entry, Collective planned);
  void find_program_in_table(Entry& entry);
  bool runs(const RankProgram* program) const;
  bool leaves(const RankProgram* program, const Elements& elements) const;
  const RankProgram* find_program(const Question& question, Rank root, const Choice& choice);
  const RankProgram* find_pulled(const Question& question, Rank root);
  /// The address of block 0, if this rank's only block is the one of its own number.
  const void* block_0(const void* own_block, std::size_t bytes) const {
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(own_block) -
                                         state_.rank() * bytes);
  }
  bool run(Collective collective, const void* input, void* output, const Elements& elements,
           Rank root);
  [[gnu::noinline]] bool run_anew(Collective collective, const void* input, void* output,
                                  const Elements& elements, Rank root) {
    return run({collective, collective, input, output, elements, root});
  }
  bool run(const Request& request);
  bool run(const Request& request, PreparedCall& prepared);
  bool run(PreparedCall& prepared);
  [[gnu::noinline]] Progress complete_otherwise(PreparedCall& prepared);
  [[gnu::cold, gnu::noinline]] bool has_ended(Progress progress, const PreparedCall& prepared);
  CallIdentity identity_of_call(const Request& request) const;
  bool confirm(const Request& request);
  bool confirm(const CallIdentity& identity);
  bool may_be_repeated(const Request& request, const PreparedCall& prepared) const;
  void put_arguments(const Request& request, Call& call) const;
  bool start(const Request& request);
  PreparedCall& prepare_to_start(const Request& request);
  Progress start(PreparedCall& prepared);
  Progress go_on(Progress progress);
  [[gnu::cold, gnu::noinline]] void record_start();
  [[gnu::cold, gnu::noinline]] void record_end(const Call& call);
  bool run_new(const Request& request);
  bool make_room(const Request& request, const Entry& entry, bool pulls);
  bool look_at_machine();
  void use_machine(std::size_t number);
  bool run_new(const Request& request, const Entry& entry, bool pulls, PreparedCall& prepared);
  bool run_pieces(const Request& request, PreparedCall& prepared);
  static void cut_piece(PreparedCall& prepared);
  static bool passes_piece(Call& call);
  void fill_in(const Request& request, const Entry& entry, bool pulls,
               PreparedCall& prepared) const;

  // Trials (endpoint_trials.cpp).
  std::vector<Contender> contenders_for(const Question& question, const Entry& entry);
  void append_other_copies(std::vector<Contender>& ways, std::size_t bytes) const;
  TrialTerms terms_of(const std::vector<Contender>& ways) const;
  bool must_keep_bits(const Question& question) const;
  Contest* contest_for(const Request& request, const Question& question, const Entry& entry);
  static bool is_open(const Contest& contest);
  bool prepare_trial(Contest& contest);
  bool compare_notes(Contest& contest);
  bool run_tried(const Request& request, const Question& question, Contest& contest);
  void populate_scratch(std::size_t bytes);
  std::size_t scratch_of(const Request& request, const Entry& entry, bool pulls) const;
  const Contender* found_way(const Request& request, const Question& question,
                             const Entry& entry) const;
  void apply(const Contender& way, const Request& request, const Question& question, Entry& entry);
  bool run_way(const Request& request, const Question& question, Contest& contest, std::size_t way);
  bool decides_to_fall_back(Collective collective, const Elements& elements, Rank root);
  bool way_is_fallback(Contest& contest);
  void forget_prepared();
  void forget_prepared_of(const Contest& contest);

  EndpointState state_;
  std::size_t populated_scratch_ = 0;  ///< bytes of this rank's, so far, for trials
  std::size_t most_scratch_;  ///< bytes of each rank's, as far as there was memory for them
  PlanCache& plan_cache_;
  EndpointOptions options_;
  std::unordered_map<Decided, Entry, DecidedHash> decided_;
  std::array<PreparedCalls, kCollectiveCount> prepared_;  ///< by whose plan runs
  PreparedCalls over_nodes_;                              ///< by plans with messages
  std::vector<Exchange> exchanges_;                       ///< seldom more than one or two
  std::unique_ptr<PreparedCall> spare_;                   ///< for calls that are not kept
  PreparedCall* last_prepared_ = nullptr;
  /// The last prepared call, if it can be repeated, by the collective whose plan runs.
  std::array<PreparedCall*, kCollectiveCount> recent_{};
  Collective collective_ = Collective::barrier;  ///< of the call at hand, as its caller names it
  std::uint64_t prepared_version_ = 0;           ///< changes when prepared calls are forgotten
  const RankProgram* last_program_ = nullptr;
  Reach last_reach_ = Reach::bounced;  ///< of what it showed, if anything
  std::optional<MachineWatch> watch_;
  /// 0: before any was seen. Not by chooser: which of these are shared is a process's own matter.
  std::map<std::size_t, Contests> contests_by_machine_;
  Contests* contests_ = nullptr;     ///< those of the machine that choices are made for
  std::uint32_t open_contests_ = 0;  ///< in which the next call may fall back to the MPI
  std::function<void(const std::string&)> tell_outcome_;
  std::uint64_t findings_version_ = 0;
  std::shared_ptr<const TeamFindings> findings_;  ///< of another team; null: there are none
  Contest* fallback_contest_ = nullptr;           ///< whose call the MPI is making
  CallKey last_fallback_{};  ///< the last call that fell back, with what peers are told of it
  CallIdentity last_fallback_identity_;
  std::uint64_t own_calls_ = 0;
  bool is_timing_ = false;
  Stay stay_;                 ///< in the call that is timed
  bool is_own_call_ = false;  ///< about the machine or a trial, not of the program
  bool is_starting_ = false;
  PreparedCall* started_ = nullptr;          ///< a call that is not over
  BlockTables started_tables_;               ///< its blocks
  Progress last_progress_ = Progress::done;  ///< with which the last started call was over
};

/// A call prepared for all that are alike in their key.
struct TeamEndpoint::PreparedCall {
  CallKey key;
  const RankProgram* program = nullptr;
  Call call;
  Segmentation segmentation;
  std::optional<Run> run;   ///< of the call at hand, or the last one; refers to what is above
  double predicted_ns = 0;  ///< as in Entry
  Reachable* reachable = nullptr;  ///< where buffers may be shown as they lie
  bool must_bounce = false;        ///< as a rank in place must, in some plans
  bool is_plain = false;           ///< has run, shows nothing where it lies, and is not recorded
  Contest* contest = nullptr;      ///< that counts such calls
};

// The hot path, inlined into its callers: as functions of their own these would cost an 8-byte
// allreduce some twenty instructions.

/// The last call is mostly repeated.
[[gnu::always_inline]] inline bool TeamEndpoint::run(Collective collective, const void* input,
                                                     void* output, const Elements& elements,
                                                     Rank root) {
  PreparedCall* const recent = recent_[static_cast<std::size_t>(collective)];
  if (recent == nullptr || is_own_call_ || is_starting_ ||
      recent->key != key_of(collective, elements, root, input == output) || !may_repeat(*recent))
    return run_anew(collective, input, output, elements, root);
  recent->call.reduction = elements.reduction;
  recent->call.combiner = elements.combiner;
  last_prepared_ = recent;
  return repeat(*recent, input, output);
}

inline void TeamEndpoint::number_own_block(Collective collective, const void*& input, void*& output,
                                           std::size_t bytes) const {
  if (collective == Collective::allgather || collective == Collective::gather)
    input = block_0(input, bytes);
  else if (collective == Collective::scatter)
    output = const_cast<void*>(block_0(output, bytes));
}

[[gnu::always_inline]] inline bool TeamEndpoint::repeat(PreparedCall& prepared, const void* input,
                                                        void* output) {
  prepared.call.input = input;
  prepared.call.output = output;
  return run(prepared);
}

[[gnu::always_inline]] inline bool TeamEndpoint::run(PreparedCall& prepared) {
  TERRACE_ASSERT(started_ == nullptr);
  last_program_ = prepared.program;
  last_reach_ = prepared.call.reach;
  if (watch_) watch_->ran(prepared.predicted_ns);
  Progress progress;
  if (prepared.is_plain) [[likely]]
    progress = prepared.run->repeat(options_.waiting, *options_.wait_environment);
  else
    progress = complete_otherwise(prepared);
  if (progress == Progress::done) [[likely]]
    return true;
  return has_ended(progress, prepared);
}

inline Progress TeamEndpoint::start(PreparedCall& prepared, const void* input, void* output) {
  prepared.call.input = input;
  prepared.call.output = output;
  return start(prepared);
}

inline Progress TeamEndpoint::start(PreparedCall& prepared) {
  TERRACE_ASSERT(started_ == nullptr);
  TERRACE_ASSERT(prepared.reachable == nullptr);
  last_program_ = prepared.program;
  last_reach_ = prepared.call.reach;
  started_ = &prepared;
  if (options_.recorder != nullptr) [[unlikely]]
    record_start();
  if (prepared.is_plain) [[likely]]
    return go_on(prepared.run->start());
  prepared.run.emplace(state_, *prepared.program, prepared.call, prepared.segmentation);
  prepared.is_plain = true;
  return go_on(prepared.run->advance());
}

inline Progress TeamEndpoint::advance() {
  TERRACE_ASSERT(started_ != nullptr);
  return go_on(started_->run->advance());
}

inline WaitTarget TeamEndpoint::missing() {
  TERRACE_ASSERT(started_ != nullptr);
  return started_->run->missing();
}

inline bool TeamEndpoint::owes() const {
  return started_ != nullptr && !started_->run->has_entered();
}

inline void TeamEndpoint::prefetch_awaited() const {
  if (started_ != nullptr) started_->run->prefetch_awaited();
}

[[gnu::always_inline]] inline bool TeamEndpoint::may_repeat(PreparedCall& prepared) {
  if (watch_ && watch_->is_due()) [[unlikely]]
    return false;
  return prepared.contest == nullptr || prepared.contest->passes();
}

}  // namespace terrace
