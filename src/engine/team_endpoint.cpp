// SPDX-License-Identifier: BSD-3-Clause
// Makes a call: looks up the decision for calls of its kind, runs the plan, and waits.
#include "engine/team_endpoint.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/contract.hpp"
#include "base/hash.hpp"
#include "choose/candidates.hpp"
#include "engine/recorder.hpp"

namespace terrace {

namespace {

/// Prepared calls of a collective that are searched; those of an endpoint that are kept besides,
/// and its decisions. When a limit is exceeded, all are dropped: programs that call with more sizes
/// seldom use one again, and a process may have a hundred endpoints.
constexpr std::size_t kFewPrepared = 8, kMostPrepared = 1024, kMostDecisions = 1024;
/// Decisions that are kept for the next communicator of the team's ranks.
constexpr std::size_t kMostDecisionsAtRest = 64;

/// Bytes of a call, as records show it. (A long vector takes several calls of the team.)
std::size_t bytes_recorded(const Call& call) {
  return call.edges ? given_bytes(*call.edges) : call.element_count * call.element_bytes;
}

/// Elements that are only moved.
Elements plain(std::size_t bytes) {
  return {bytes, 1, nullptr, false, nullptr};
}

/// If lengths of blocks vary from call to call, similar lengths share a decision.
std::size_t rough(std::size_t bytes) {
  const std::size_t power = std::bit_ceil(bytes);
  return bytes <= kPayloadBytes ? std::min(power, kPayloadBytes) : power;
}

/// Blocks that fit a line together. More than ranks are never sent at once.
std::uint32_t pockets_for(const Question& question, Rank ranks) {
  if (!has_block_per_rank(question.collective)) return 1;
  const std::size_t fitting = kPayloadBytes / std::max<std::size_t>(question.bytes, 1);
  return static_cast<std::uint32_t>(std::min<std::size_t>(fitting, ranks));
}

/// Shows this rank's buffers where they lie, if peers can reach them there, for as long as the run
/// lasts. Attachments, this rank's and its peers', last as long.
class DirectShowing {
 public:
  DirectShowing(Run& run, Reachable* memory, Attacher* attacher, bool is_bounced) {
    if (memory == nullptr) return;
    attacher_ = attacher;
    if (is_bounced || !run.shows_only(*memory) || !memory->enter()) return;
    memory_ = memory;
    run.show(attacher ? Reach::attached : Reach::direct);
  }
  ~DirectShowing() {
    if (memory_) memory_->leave();
    if (attacher_) attacher_->leave();
  }
  DirectShowing(const DirectShowing&) = delete;
  DirectShowing& operator=(const DirectShowing&) = delete;

 private:
  Reachable* memory_ = nullptr;
  Attacher* attacher_ = nullptr;
};

}  // namespace

/// Whether its blocks of scratch can hold an element, in a line pair at least.
bool TeamEndpoint::fits(const RankProgram& program, std::size_t element_bytes,
                        std::size_t scratch_bytes) {
  const std::size_t pairs = (element_bytes + kLinePairBytes - 1) / kLinePairBytes;
  return pairs * blocks_per_slot(program, false) * program.ring <= scratch_bytes / kLinePairBytes;
}

TeamEndpoint::TeamEndpoint(const TeamMemory& memory, Rank rank, PlanCache& plan_cache,
                           const EndpointOptions& options, std::uint64_t first_call)
    : state_(memory, rank, first_call),
      most_scratch_(memory.scratch_bytes),
      plan_cache_(plan_cache),
      options_(options),
      spare_(std::make_unique<PreparedCall>()) {
  TERRACE_REQUIRE(!options_.traits.can_be_direct || options_.reach != Reach::bounced);
  TERRACE_REQUIRE(plan_cache.hierarchy().rank_count() == memory.rank_count(),
                  plan_cache.hierarchy().rank_count(), memory.rank_count());
  if (options_.first_scratch_bytes != 0) state_.use_scratch(options_.first_scratch_bytes);
  if (!options_.first_choices) options_.first_choices = std::make_shared<FirstChoices>();
  if (!options_.allocate_scratch) options_.allocate_scratch = [](std::size_t) { return true; };
  // Oversubscribed ranks cannot time anything.
  if (options_.measures && !options_.traits.is_oversubscribed() && memory.rank_count() > 1)
    watch_.emplace(memory, rank, plan_cache.hierarchy(), options_.allocate_scratch, options_.traits,
                   options_.can_move, options_.machine);
  TeamTraits traits = options_.traits;
  traits.scratch_bytes = memory.scratch_bytes;
  if (!options_.chooser)
    options_.chooser =
        std::make_shared<Chooser>(traits, plan_cache.hierarchy(), model::assumed_costs());
  state_.set_cores(options_.cores);
  use(0, options_.chooser);
  if (const auto machine = watch_ ? watch_->first_machine() : std::nullopt) use_machine(*machine);
}

TeamEndpoint::~TeamEndpoint() = default;

const std::string& TeamEndpoint::last_plan() const {
  static const std::string none;
  return last_program_ ? last_program_->name : none;
}

bool TeamEndpoint::barrier() {
  return run(Collective::barrier, nullptr, nullptr, plain(0), 0);
}

bool TeamEndpoint::bcast(void* buffer, std::size_t bytes, Rank root) {
  return run(Collective::bcast, buffer, buffer, plain(bytes), root);
}

bool TeamEndpoint::reduce(const void* input, void* output, const Elements& elements, Rank root) {
  return run(Collective::reduce, input, output, elements, root);
}

bool TeamEndpoint::allreduce(const void* input, void* output, const Elements& elements) {
  return run(Collective::allreduce, input, output, elements, 0);
}

bool TeamEndpoint::allgather(const void* input, void* output, std::size_t bytes) {
  return make_call(Collective::allgather, input, output, plain(bytes), 0);
}

bool TeamEndpoint::gather(const void* input, void* output, std::size_t bytes, Rank root) {
  return make_call(Collective::gather, input, output, plain(bytes), root);
}

bool TeamEndpoint::scatter(const void* input, void* output, std::size_t bytes, Rank root) {
  return make_call(Collective::scatter, input, output, plain(bytes), root);
}

bool TeamEndpoint::alltoall(const void* input, void* output, std::size_t bytes) {
  return run(Collective::alltoall, input, output, plain(bytes), 0);
}

bool TeamEndpoint::reduce_scatter_block(const void* input, void* output, const Elements& elements) {
  return run(Collective::reduce_scatter_block, input, output, elements, 0);
}

bool TeamEndpoint::scan(const void* input, void* output, const Elements& elements) {
  return run(Collective::scan, input, output, elements, 0);
}

bool TeamEndpoint::exscan(const void* input, void* output, const Elements& elements) {
  return run(Collective::exscan, input, output, elements, 0);
}

bool TeamEndpoint::make_call(Collective collective, const void* input, void* output,
                             const Elements& elements, Rank root) {
  number_own_block(collective, input, output, elements.count);
  return run(collective, input, output, elements, root);
}

bool TeamEndpoint::move_blocks(Collective collective, const BlockTables& blocks,
                               std::size_t most_bytes, Rank root) {
  const Elements elements = plain(most_bytes);
  return run({collective, collective, nullptr, nullptr, elements, root, &blocks});
}

bool TeamEndpoint::reduce_scatter(const Block* input, const Block& output,
                                  const Elements& elements) {
  const BlockTables blocks{input, &output};
  constexpr Collective kOwn = Collective::reduce_scatter;
  return run({kOwn, kOwn, nullptr, nullptr, elements, 0, &blocks});
}

bool TeamEndpoint::agree(Collective collective, std::uint64_t& word, Rank root) {
  const Collective plan = is_rooted(collective) ? Collective::bcast : Collective::allreduce;
  const Elements elements{1, sizeof word, find_reduction(Type::uint64, Operator::maximum)};
  return run({collective, plan, &word, &word, elements, is_rooted(collective) ? root : 0});
}

bool TeamEndpoint::tell_all(const void* mine, void* all, std::size_t bytes) {
  is_own_call_ = true;
  const bool succeeded = allgather(mine, all, bytes);
  is_own_call_ = false;
  return succeeded;
}

std::optional<std::uint64_t> Lengths::most() const {
  std::uint64_t most = 0;
  for (Rank rank = 0; rank < rank_count_; ++rank) {
    const std::uint64_t longest = received_[cell_of(rank)];
    TERRACE_ASSERT(given_by(rank) <= longest, longest);  // as a rank has told both
    most = std::max(most, longest);
  }
  return most == kCannot ? std::nullopt : std::optional(most);
}

Lengths::Exchange Lengths::prepare(Collective collective, const BlockTables& blocks, bool can_go_on,
                                   Rank root, Rank rank, Rank rank_count) {
  TERRACE_ASSERT(root < rank_count, root, rank_count);
  plan_ = planned_as(collective);
  root_ = root;
  rank_ = rank;
  rank_count_ = rank_count;
  sent_.assign(rank_count * cell_words(), 0);
  received_.assign(sent_.size(), 0);
  const bool gives_all =
      plan_ == Collective::alltoall || (plan_ == Collective::scatter && rank == root);
  std::uint64_t most = 0;
  for (Rank taker = 0; taker < rank_count; ++taker) {
    if (!gives_all && !(plan_ == Collective::gather && taker == rank)) continue;
    const Block& block = blocks.input[taker];
    std::uint64_t* const cell = &sent_[cell_of(taker)];
    cell[1] = block.bytes;
    most = std::max<std::uint64_t>(most, block.bytes);
    const std::size_t carried = can_go_on ? std::min(block.bytes, carried_bytes_) : 0;
    if (carried > 0) std::memcpy(cell + kHeadWords, block.at, carried);
  }
  for (Rank taker = 0; taker < rank_count; ++taker)
    sent_[cell_of(taker)] = can_go_on ? most : kCannot;
  // Only the root of a gatherv gets blocks, and all must know the longest.
  const Collective exchange = plan_ == Collective::gather ? Collective::allgather : plan_;
  return {exchange, exchange == Collective::allgather ? &sent_[cell_of(rank)] : sent_.data(),
          exchange == Collective::scatter ? &received_[cell_of(root)] : received_.data(),
          cell_words() * sizeof(std::uint64_t)};
}

void Lengths::deliver(const BlockTables& blocks) const {
  TERRACE_REQUIRE(have_brought_blocks(), carried_bytes_);
  if (plan_ == Collective::gather && rank_ != root_) return;
  for (Rank giver = 0; giver < rank_count_; ++giver) {
    if (plan_ == Collective::scatter && giver != root_) continue;
    const Block& wanted = blocks.output[plan_ == Collective::scatter ? rank_ : giver];
    TERRACE_ASSERT(wanted.bytes == given_by(giver), wanted.bytes, given_by(giver), giver);
    const bool is_in_place = giver == rank_ && blocks.input[rank_].at == wanted.at;
    if (wanted.bytes > 0 && !is_in_place)
      std::memcpy(wanted.at, &received_[cell_of(giver) + kHeadWords], wanted.bytes);
  }
}

bool TeamEndpoint::tell_lengths(Collective collective, const BlockTables& blocks, bool can_go_on,
                                Rank root, Lengths& lengths) {
  auto [exchange, input, output, bytes] =
      lengths.prepare(collective, blocks, can_go_on, root, state_.rank(), state_.rank_count());
  number_own_block(exchange, input, output, bytes);
  const Elements elements = plain(bytes);
  return run({collective, exchange, input, output, elements, root, nullptr, true});
}

bool TeamEndpoint::run(const Request& request) {
  TERRACE_ASSERT(request.root < state_.rank_count(), request.root, state_.rank_count());
  TERRACE_ASSERT(request.elements.bytes != 0, request.collective);
  TERRACE_ASSERT(options_.wait_environment != nullptr);
  if (is_starting_) [[unlikely]]
    return start(request);
  if (watch_ && watch_->is_due() && !is_own_call_ && !look_at_machine()) [[unlikely]]
    return false;
  if (is_own_call_) return run_new(request);  // other ranks may have prepared other calls
  if (options_.confirms_calls && !confirm(request)) [[unlikely]]
    return false;
  PreparedCall* const prepared = find_prepared(request);
  if (prepared == nullptr) return run_new(request);
  if (prepared->contest != nullptr && !prepared->contest->passes()) [[unlikely]]
    return run_tried(request, question_of(request.question, request.elements), *prepared->contest);
  return run(request, *prepared);
}

CallIdentity TeamEndpoint::identity_of_call(const Request& request) const {
  const Elements& elements = request.elements;
  return identity_of({request.collective, elements.count * elements.bytes, request.root,
                      elements.in_rank_order, elements.combination, lengths_of(request)});
}

/// A barrier whose check also follows from the call.
bool TeamEndpoint::confirm(const CallIdentity& identity) {
  state_.pass(identity);
  ++own_calls_;
  is_own_call_ = true;
  const bool are_alike = barrier();
  is_own_call_ = false;
  return are_alike;
}

bool TeamEndpoint::confirm(const Request& request) {
  return confirm(identity_of_call(request)) &&
         (!options_.confirm_also || options_.confirm_also(request.collective));
}

/// Starts a call by its arguments.
bool TeamEndpoint::start(const Request& request) {
  PreparedCall* const found = find_prepared(request);
  PreparedCall& prepared = found != nullptr ? *found : prepare_to_start(request);
  collective_ = request.collective;
  put_arguments(request, prepared.call);
  if (request.tables != nullptr) {
    started_tables_ = *request.tables;
    prepared.call.tables = &started_tables_;
  }
  last_prepared_ = may_be_repeated(request, prepared) ? &prepared : nullptr;
  start(prepared);
  return true;
}

TeamEndpoint::PreparedCall& TeamEndpoint::prepare_to_start(const Request& request) {
  const Question question = question_of(request.question, request.elements);
  Entry entry = entry_for(question, request.root);
  if (const Contender* const way = found_way(request, question, entry))
    apply(*way, request, question, entry);
  PreparedCall& prepared = new_prepared(request);
  fill_in(request, entry, false, prepared);
  prepared.contest = nullptr;
  prepared.key = key_of(request);
  cut_piece(prepared);
  return prepared;
}

bool TeamEndpoint::can_be_left(Collective collective, const Elements& elements, Rank root) {
  TERRACE_REQUIRE(options_.traits.leaves_calls);
  return leaves(entry_for(question_of(collective, elements), root).program, elements);
}

/// Whether a rank that has started such a call by that program may leave it.
bool TeamEndpoint::leaves(const RankProgram* program, const Elements& elements) const {
  if (program == nullptr || !program->starts_alone) return false;
  Call call;
  call.element_count = elements.count;
  call.element_bytes = elements.bytes;
  return strip_elements(*program, call, kWhole, most_scratch_) >= elements.count;
}

/// The way that another team's trial has found, if it has the same bits as this one's choice.
const Contender* TeamEndpoint::found_way(const Request& request, const Question& question,
                                         const Entry& entry) const {
  if (findings_ == nullptr || request.collective != request.question) return nullptr;
  const auto found = findings_->ways.find(class_of(question));
  if (found == findings_->ways.end()) return nullptr;
  Question planned = question;
  planned.collective = planned_as(question.collective);
  const bool has_same_bits =
      have_same_bits(planned, entry.choice, found->second.choice, state_.rank_count());
  return has_same_bits ? &found->second : nullptr;
}

/// Goes on to the next piece of a vector that takes several calls of the team.
Progress TeamEndpoint::go_on(Progress progress) {
  PreparedCall& prepared = *started_;
  while (progress == Progress::done && !passes_piece(prepared.call)) {
    cut_piece(prepared);
    prepared.run.emplace(state_, *prepared.program, prepared.call, prepared.segmentation);
    progress = prepared.run->advance();
  }
  if (progress == Progress::blocked) return progress;
  if (progress != Progress::done) has_ended(progress, prepared);
  started_ = nullptr;
  if (options_.recorder != nullptr) record_end(prepared.call);
  return last_progress_ = progress;
}

bool TeamEndpoint::complete() {
  TERRACE_ASSERT(started_ != nullptr);
  for (;;) {
    const Progress progress =
        go_on(terrace::complete(*started_->run, options_.waiting, *options_.wait_environment));
    if (progress != Progress::blocked) return progress == Progress::done;
  }
}

std::optional<Rank> TeamEndpoint::awaited() {
  return started_ != nullptr ? started_->run->awaited() : std::nullopt;
}

void TeamEndpoint::record_start() {
  options_.recorder->started(options_.wait_environment->now_ns());
}

void TeamEndpoint::record_end(const Call& call) {
  options_.recorder->ended(collective_, bytes_recorded(call), last_program_->name,
                           options_.wait_environment->now_ns());
}

std::size_t TeamEndpoint::CallKeyHash::operator()(const CallKey& key) const {
  return Hash().add(key.what).add(key.element_count).add(key.element_bytes).value();
}

std::size_t TeamEndpoint::DecidedHash::operator()(const Decided& decided) const {
  const Question& question = decided.question;
  return Hash()
      .add(static_cast<std::uint64_t>(question.collective) << 8 |
           static_cast<std::uint64_t>(question.order) << 1 |
           static_cast<std::uint64_t>(question.is_exact))
      .add(question.bytes)
      .add(decided.root)
      .value();
}

TeamEndpoint::PreparedCall* TeamEndpoint::find_prepared(const Request& request) {
  return find_in(prepared_[static_cast<std::size_t>(request.question)], key_of(request));
}

TeamEndpoint::PreparedCall* TeamEndpoint::find_in(const PreparedCalls& calls, const CallKey& key) {
  for (const auto& prepared : calls.kept)
    if (prepared->key == key) return prepared.get();
  const auto found = calls.more.find(key);
  // If a vector takes several calls of the team, no prepared call serves for all of them.
  return found != calls.more.end() && found->second->key == key ? found->second.get() : nullptr;
}

/// Calls with blocks in tables may each have another longest block: the last few are kept.
TeamEndpoint::PreparedCall& TeamEndpoint::new_prepared(const Request& request) {
  PreparedCalls& calls = prepared_[static_cast<std::size_t>(request.question)];
  if (request.tables == nullptr || calls.kept.size() < kFewPrepared)
    return new_in(calls, key_of(request));
  std::rotate(calls.kept.begin(), calls.kept.begin() + 1, calls.kept.end());
  return *calls.kept.back();
}

TeamEndpoint::PreparedCall& TeamEndpoint::new_in(PreparedCalls& calls, const CallKey& key) {
  if (calls.kept.size() < kFewPrepared)
    return *calls.kept.emplace_back(std::make_unique<PreparedCall>());
  std::size_t kept = over_nodes_.more.size();
  for (const PreparedCalls& some : prepared_) kept += some.more.size();
  if (kept >= kMostPrepared) forget_later_calls();
  auto& prepared = calls.more[key];
  if (!prepared) prepared = std::make_unique<PreparedCall>();
  return *prepared;
}

void TeamEndpoint::forget_later_calls() {
  for (PreparedCalls& calls : prepared_) calls.more.clear();
  over_nodes_.more.clear();
  if (decided_.size() > kMostDecisionsAtRest) decided_.clear();
  recent_ = {};
  last_prepared_ = nullptr;
  ++prepared_version_;
}

bool TeamEndpoint::run_new(const Request& request) {
  const Question question = question_of(request.question, request.elements);
  if (is_own_call_) return run_new(request, plain_entry(question, request.root), false, *spare_);
  Entry entry = entry_for(question, request.root);
  const bool is_vector_call = request.tables != nullptr;
  if (Contest* const contest = is_vector_call ? nullptr : contest_for(request, question, entry))
    return contest->passes() ? run_way(request, question, *contest, contest->trial.way())
                             : run_tried(request, question, *contest);
  const bool pulls = !is_vector_call && entry.pulled != nullptr && options_.always_pulls;
  const std::size_t most = most_scratch_;
  if (!make_room(request, entry, pulls)) return false;
  if (most_scratch_ != most) entry = entry_for(question, request.root);  // as there is less
  PreparedCall& prepared = new_prepared(request);
  prepared.contest = nullptr;
  return run_new(request, entry, pulls && entry.pulled != nullptr, prepared);
}

/// Returns how far calls like this one go through each rank's scratch, in bytes.
std::size_t TeamEndpoint::scratch_of(const Request& request, const Entry& entry, bool pulls) const {
  PreparedCall prepared;
  fill_in(request, entry, pulls, prepared);
  prepared.call.element_count = std::max<std::size_t>(request.elements.count, 1);
  segment(*prepared.program, prepared.call, prepared.segmentation);
  const std::size_t call = prepared.segmentation.scratch_bytes;
  TERRACE_ASSERT(call <= most_scratch_, call, most_scratch_);
  return call == 0 ? 0 : std::max(call, prepared.call.scratch_span);
}

/// Scratch that such calls need is allocated at the first of them, by all ranks; if one rank has no
/// memory, no rank uses it. (Ranks may differ in the prepared calls that they find, but no rank has
/// one that needs more scratch than there is.)
bool TeamEndpoint::make_room(const Request& request, const Entry& entry, bool pulls) {
  if (state_.scratch_bytes() >= most_scratch_) return true;
  const std::size_t wanted =
      std::min(most_scratch_, std::bit_ceil(scratch_of(request, entry, pulls)));
  if (wanted <= state_.scratch_bytes()) return true;
  std::uint64_t is_short = !options_.allocate_scratch(wanted);
  const Elements word{1, sizeof is_short, find_reduction(Type::uint64, Operator::maximum)};
  is_own_call_ = true;
  const bool succeeded = run({Collective::allgather, Collective::allreduce, &is_short, &is_short,
                              word, 0, nullptr, false, &request});
  is_own_call_ = false;
  if (is_short == 0) {
    state_.use_scratch(wanted);
  } else {
    most_scratch_ = state_.scratch_bytes();
    forget_prepared();  // whose strips count on more
  }
  return succeeded;
}

bool TeamEndpoint::run(const Request& request, PreparedCall& prepared) {
  TERRACE_ASSERT(prepared.program != nullptr && prepared.program->rank == state_.rank());
  put_arguments(request, prepared.call);
  own_calls_ += is_own_call_;
  const bool is_timed = is_timing_ && !is_own_call_;
  if (is_timed && stay_.begin == 0) stay_.begin = options_.wait_environment->now_ns();
  collective_ = request.collective;
  const bool is_done = run(prepared);
  if (is_timed) stay_.end = options_.wait_environment->now_ns();
  last_prepared_ = is_done && may_be_repeated(request, prepared) ? &prepared : nullptr;
  if (last_prepared_ != nullptr)
    recent_[static_cast<std::size_t>(request.question)] = last_prepared_;
  return is_done;
}

bool TeamEndpoint::may_be_repeated(const Request& request, const PreparedCall& prepared) const {
  return (request.tables == nullptr || is_starting_) && !is_own_call_ && !is_timing_ &&
         prepared.key.element_count != kWhole && &prepared != spare_.get() &&
         prepared.call.messenger == nullptr && options_.recorder == nullptr &&
         !options_.confirms_calls;
}

/// Puts those arguments into a prepared call that may differ from call to call.
void TeamEndpoint::put_arguments(const Request& request, Call& call) const {
  call.tables = request.tables;
  if (request.tables != nullptr) call.identity = identity_of_call(request);
  call.input = request.input;
  call.output = request.output;
  call.reduction = request.elements.reduction;
  call.combiner = request.elements.combiner;
}

/// False: the call was given up.
bool TeamEndpoint::has_ended(Progress progress, const PreparedCall& prepared) {
  TERRACE_ASSERT(progress != Progress::done && progress != Progress::blocked, progress);
  TERRACE_ASSERT(progress != Progress::mismatched || prepared.run->mismatch().has_value());
  if (progress == Progress::mismatched)
    options_.wait_environment->mismatched(*prepared.run->mismatch());
  return false;
}

/// Runs a call for the first time, or where buffers may be shown in place, or where calls are
/// recorded.
Progress TeamEndpoint::complete_otherwise(PreparedCall& prepared) {
  if (prepared.run)
    prepared.run->restart();
  else
    prepared.run.emplace(state_, *prepared.program, prepared.call, prepared.segmentation);
  prepared.is_plain = prepared.reachable == nullptr && options_.recorder == nullptr;
  Run& run = *prepared.run;
  const DirectShowing showing(run, prepared.reachable, prepared.call.attacher,
                              prepared.must_bounce);
  last_reach_ = run.reach();
  if (options_.recorder == nullptr || is_own_call_)  // the program made no such call
    return terrace::complete(run, options_.waiting, *options_.wait_environment);
  return options_.recorder->complete(run, options_.waiting, *options_.wait_environment, collective_,
                                     bytes_recorded(prepared.call));
}

bool TeamEndpoint::compare_calls() {
  const auto mismatch = state_.last_mismatch();
  if (mismatch) options_.wait_environment->mismatched(*mismatch);
  return !mismatch;
}

/// Results of trials count again when the chooser is used again that they were made for.
void TeamEndpoint::use(std::size_t machine, std::shared_ptr<Chooser> chooser) {
  options_.chooser = std::move(chooser);
  contests_ = &contests_by_machine_[machine];
  open_contests_ = 0;
  for (const auto& [calls, contest] : *contests_) open_contests_ += is_open(contest);
  ++findings_version_;
  forget_prepared();
}

void TeamEndpoint::use(std::shared_ptr<const TeamFindings> findings) {
  TERRACE_ASSERT(findings != nullptr && findings->chooser != nullptr && started_ == nullptr);
  if (findings_ != nullptr && *findings == *findings_) return;  // what is prepared stays
  findings_ = std::move(findings);
  use(0, findings_->chooser);
}

/// Decisions for another machine are made again. False: a call of the endpoint's own failed.
bool TeamEndpoint::look_at_machine() {
  bool succeeded = true;
  MachineWatch::Calls calls;
  calls.barrier = [&] { return succeeded = succeeded && barrier(); };
  calls.tell = [&](void* place, std::size_t bytes, Rank from) {
    succeeded = succeeded && bcast(place, bytes, from);
    return calls.barrier();  // what was told through scratch has been read
  };
  is_own_call_ = true;
  const auto machine = watch_->look(calls);
  is_own_call_ = false;
  if (machine) use_machine(*machine);
  return succeeded;
}

void TeamEndpoint::use_machine(std::size_t number) {
  if (options_.forced) return;
  use(number + 1, Chooser::shared(options_.chooser->traits(), plan_cache_.hierarchy(),
                                  watch_->costs_of(number), watch_->tuned_on(number)));
}

bool TeamEndpoint::run_new(const Request& request, const Entry& entry, bool pulls,
                           PreparedCall& prepared) {
  fill_in(request, entry, pulls, prepared);
  return run_pieces(request, prepared);
}

/// Runs a call with everything filled in, piece by piece.
bool TeamEndpoint::run_pieces(const Request& request, PreparedCall& prepared) {
  prepared.key = key_of(request);
  bool is_done = true;
  do {
    cut_piece(prepared);
    is_done = run(request, prepared);
  } while (!passes_piece(prepared.call) && is_done);
  prepared.call.first_element = 0;
  return is_done;
}

/// Cuts off the next piece of a vector, and segments it. Vectors that are too long for one call of
/// the team take several: then no prepared call serves for all.
void TeamEndpoint::cut_piece(PreparedCall& prepared) {
  Call& call = prepared.call;
  TERRACE_ASSERT(call.strip_elements != 0 && call.first_element <= call.block_elements,
                 call.first_element, call.block_elements);
  const std::size_t most = most_elements(*prepared.program, call.strip_elements);
  if (call.block_elements > most) prepared.key.element_count = kWhole;
  call.element_count = std::min(call.block_elements - call.first_element, most);
  call.strip_elements = std::min(call.strip_elements, std::max<std::size_t>(call.element_count, 1));
  segment(*prepared.program, call, prepared.segmentation);
  resolve_lines(*prepared.program, call, prepared.segmentation);
}

/// Whether the piece that is done was the last.
bool TeamEndpoint::passes_piece(Call& call) {
  call.first_element += call.element_count;
  if (call.first_element < call.block_elements) return false;
  call.first_element = 0;
  return true;
}

/// Everything that depends neither on buffers nor on the number of calls.
void TeamEndpoint::fill_in(const Request& request, const Entry& entry, bool pulls,
                           PreparedCall& prepared) const {
  const Elements& elements = request.elements;
  prepared.run.reset();
  prepared.is_plain = false;
  prepared.program = pulls ? entry.pulled : entry.program;
  TERRACE_REQUIRE(prepared.program != nullptr, request.collective, request.root, pulls);
  prepared.predicted_ns = entry.predicted_ns;
  const bool may_show = prepared.program->showing_step() != nullptr && request.tables == nullptr;
  prepared.reachable = pulls || entry.choice.bounces || !may_show ? nullptr : options_.reachable;
  Call& call = prepared.call = {};
  call.tables = request.tables;
  call.element_count = elements.count;
  call.block_elements = elements.count;
  call.element_bytes = elements.bytes;
  call.identity = identity_of_call(request.before != nullptr ? *request.before : request);
  call.reach = entry.choice.bounces || call.tables ? Reach::bounced : options_.reach;
  if (pulls) call.reach = Reach::pulled;
  prepared.must_bounce = prepared.program->bounces_in_place && request.input == request.output;
  if (prepared.must_bounce) call.reach = Reach::bounced;
  call.puller = pulls ? options_.puller : nullptr;
  call.attacher = options_.attacher;
  call.is_direct_everywhere =
      !prepared.program->bounces_in_place &&
      (pulls || (options_.traits.can_be_direct && !entry.choice.bounces && !call.tables));
  TERRACE_REQUIRE(!call.is_direct_everywhere || call.reach != Reach::bounced);
  TERRACE_ASSERT(!pulls || (call.puller != nullptr && prepared.program->can_be_pulled));
  call.strip_elements = strip_elements(*prepared.program, call,
                                       pulls ? kWhole : entry.choice.strip_bytes, most_scratch_);
  call.streams = entry.choice.streams;
  call.streams_scratch = entry.choice.streams_scratch;
  call.copies = entry.copies;
  call.scratch_span = entry.choice.scratch_span;
}

/// Digests what all ranks know of each other's blocks, and must know alike.
std::uint64_t TeamEndpoint::lengths_of(const Request& request) const {
  if (request.tells_lengths) return Signature::kToldLengths;
  if (request.tables == nullptr) return 0;
  const Block* const all = request.collective == Collective::allgatherv ? request.tables->output
                           : request.collective == Collective::reduce_scatter
                               ? request.tables->input
                               : nullptr;
  if (all == nullptr) return 0;
  Hash hash;
  for (Rank rank = 0; rank < state_.rank_count(); ++rank) hash.add(all[rank].bytes);
  return std::max(std::uint64_t{hash.value()}, Signature::kToldLengths + 1);
}

Question TeamEndpoint::question_of(Collective collective, const Elements& elements) const {
  Question question{collective, elements.count * elements.bytes};
  if (is_vector(collective)) question.bytes = rough(question.bytes);
  if (elements.in_rank_order) question.order = Order::by_rank;
  if (options_.is_reproducible && combines(collective)) question.order = Order::by_count;
  question.is_exact = elements.is_exact;
  return question;
}

bool TeamEndpoint::has_room_for(Collective collective, const Elements& elements, Rank root,
                                bool waits) {
  const bool may_call = waits && !is_own_call_ && !is_starting_;
  // What is chosen now is what runs next.
  if (may_call && watch_ && watch_->is_due()) look_at_machine();
  const Question question = question_of(collective, elements);
  const auto has_room_in = [&](std::size_t scratch) {
    const RankProgram& program = *entry_for(question, root).program;
    return program.lowering == Lowering::lines || fits(program, elements.bytes, scratch);
  };
  if (!has_room_in(most_scratch_)) return false;
  if (has_room_in(state_.scratch_bytes()) || !may_call) return true;
  // What is not allocated yet may be refused.
  const Entry entry = entry_for(question, root);
  make_room({collective, collective, nullptr, nullptr, elements, root}, entry, false);
  return has_room_in(most_scratch_);
}

/// Ranks may ask for different entries: what peers are told depends on nothing here.
const TeamEndpoint::Entry& TeamEndpoint::entry_for(const Question& question, Rank root) {
  const auto found = decided_.find({question, root});
  if (found != decided_.end()) return found->second;
  if (decided_.size() >= kMostDecisions) decided_.clear();
  return decided_.emplace(Decided{question, root}, decide(question, root)).first->second;
}

/// On another machine than at first, sums keep their bits.
Candidate TeamEndpoint::best_for(const Question& planned) {
  const std::vector<Candidate>& ranked = options_.chooser->ranked(planned);
  TERRACE_ASSERT(!ranked.empty(), planned.collective);
  if (!combines(planned.collective)) return ranked.front();
  const Choice first = options_.first_choices->at(class_of(planned), ranked.front().choice);
  for (const Candidate& one : ranked)
    if (have_same_bits(planned, first, one.choice, state_.rank_count())) return one;
  return {first, ranked.front().predicted_ns};
}

TeamEndpoint::Entry TeamEndpoint::decide(const Question& question, Rank root) {
  Question planned = question;
  planned.collective = planned_as(question.collective);
  const Candidate best = options_.forced ? Candidate{*options_.forced} : best_for(planned);
  const Choice& choice = best.choice;
  // A user's plan was proved for root 0, and for the usual number of slots.
  if (root == 0 && plan_cache_.has_user_plan(planned.collective, question.bytes, question.order)) {
    Choice users = choice;
    const std::string name = user_plan_name(planned.collective);
    users.algorithm = name;
    users.ring = Choice{}.ring;
    users.avoids_lines = false;
    const RankProgram* program = find_program(question, root, users);
    if (program && fits(*program, 1, most_scratch_))
      return {question, root, choice, program, nullptr, best.predicted_ns};
  }
  Entry entry{question,         root, choice, find_program(question, root, choice), nullptr,
              best.predicted_ns};
  const bool may_leave = options_.traits.leaves_calls;
  if (options_.puller != nullptr && !options_.forced && !may_leave)
    entry.pulled = find_pulled(question, root);
  if (!runs(entry.program)) find_any_program(entry, planned.collective);
  TERRACE_ASSERT(entry.program != nullptr || may_leave, planned.collective);
  return entry;
}

/// Takes the first algorithm of the table that runs. The endpoint's own calls are few and short:
/// predicting their ways takes longer than the calls.
TeamEndpoint::Entry TeamEndpoint::plain_entry(const Question& question, Rank root) {
  Entry entry{question, root, {}, nullptr, nullptr, 0};
  entry.choice.bounces = options_.traits.reaches_heaps;
  if (options_.traits.is_oversubscribed())
    entry.choice.radix = std::max(state_.rank_count(), Rank{2});
  find_program_in_table(entry);
  return entry;
}

/// Not every plan runs with blocks of any length. For each collective, at least one does (tested).
void TeamEndpoint::find_any_program(Entry& entry, Collective planned) {
  const auto try_choice = [&](const Choice& choice) {
    if (runs(entry.program)) return;
    entry.choice = choice;
    entry.program = find_program(entry.question, entry.root, choice);
  };
  const Question question{planned, entry.question.bytes, entry.question.order};
  for (const Candidate& candidate : options_.chooser->ranked(question))
    try_choice(candidate.choice);
  if (!runs(entry.program)) find_program_in_table(entry);
}

/// Whether a decision may be for that program.
bool TeamEndpoint::runs(const RankProgram* program) const {
  return program != nullptr && (!options_.traits.leaves_calls || program->starts_alone);
}

void TeamEndpoint::find_program_in_table(Entry& entry) {
  for (const Algorithm& row : algorithms()) {
    if (row.collective != planned_as(entry.question.collective) || runs(entry.program)) continue;
    entry.choice.algorithm = row.name;
    entry.program = find_program(entry.question, entry.root, entry.choice);
  }
}

/// Blocks of different length are bounced.
const RankProgram* TeamEndpoint::find_pulled(const Question& question, Rank root) {
  // Oversubscribed ranks cannot time anything.
  const bool is_unknowable = options_.traits.is_oversubscribed() && !options_.always_pulls;
  if (is_vector(question.collective) || is_unknowable) return nullptr;
  const auto choice = pulled_choice(question, options_.traits);
  const RankProgram* const program = choice ? find_program(question, root, *choice) : nullptr;
  return program != nullptr && program->can_be_pulled ? program : nullptr;
}

/// Lines where the vector fits one and algorithm and choice allow it, exposed buffers otherwise.
const RankProgram* TeamEndpoint::find_program(const Question& question, Rank root,
                                              const Choice& choice) {
  PlanCache::Key key;
  key.algorithm = choice.algorithm;
  key.root = is_rooted(question.collective) ? root : 0;
  key.radix = choice.radix;
  // No groups but those that the order asks for.
  if (question.order == Order::by_count) key.radix = std::max(state_.rank_count(), Rank{2});
  key.ring = choice.ring;
  key.depth = choice.depth;
  key.order = question.order;
  key.is_vector = is_vector(question.collective);
  if (question.bytes <= kPayloadBytes && !choice.avoids_lines) {
    key.lowering = Lowering::lines;
    key.pockets = pockets_for(question, state_.rank_count());
    const RankProgram* program = plan_cache_.program(key, state_.rank());
    if (program && program->lines <= kMostLines)
      return program;  // many ranks may have too many blocks
  }
  key.lowering = Lowering::owner;
  key.pockets = 1;
  const RankProgram* const program = plan_cache_.program(key, state_.rank());
  return program != nullptr && fits(*program, 1, most_scratch_) ? program : nullptr;
}

}  // namespace terrace
