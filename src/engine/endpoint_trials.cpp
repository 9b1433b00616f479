// SPDX-License-Identifier: BSD-3-Clause
// Trials of an endpoint: which calls are timed, and what their outcome changes.
#include <algorithm>

#include "base/pages.hpp"
#include "choose/candidates.hpp"
#include "engine/buffer_touch.hpp"
#include "engine/team_endpoint.hpp"
#include "kernels/string_copies.hpp"

namespace terrace {

namespace {

/// Number of other ways that are tried, among those predicted to be about as fast; and one that
/// lets ranks run ahead and one in strips, if the default does not.
constexpr std::size_t kMostRivals = 2;
constexpr double kAboutAsFast = 1.5;
/// Predictions do not tell such ways apart.
constexpr double kNearlyAsFast = 1.1;
/// First use of a page of scratch costs half a microsecond. A way that goes through more scratch
/// than this many calls fill is tried only if that is in use already, or the default goes as far.
constexpr std::size_t kMostCallsOfSpan = 64;
/// Scratch that is allocated for trials at most: what the first calls of one go through.
constexpr std::size_t kMostPopulated = 1024 * 1024;
/// An MPI one of whose calls takes this many times our predicted time is not tried. Oversubscribed,
/// calls of some MPIs take thousands of times as long as ours; else the call that set-up times,
/// one of the MPI's first, may take a thousand times as long as later ones.
constexpr double kFarSlower = 10'000, kFarSlowerInTurns = 16;
/// Short calls that are timed together; oversubscribed, as many as let a rank run ahead as it does
/// in a program.
constexpr std::uint32_t kTogether = 3, kTogetherInTurns = 64;
/// Shorter values have fewer pages than are gone through at once, and string instructions take
/// longer for them.
constexpr std::size_t kLeastForOtherCopies = 16 * 1024;
/// The cost of writing a rival's plan, per rank, and of the first calls of an MPI.
constexpr double kPlanNsPerRank = 15'000, kFirstCallsOfMpiNs = 20'000;
/// The cost of exchanging results, per exchange.
constexpr double kTellNsPerRank = 1'000;
/// The weight of the newest time to touch buffers among those of a way.
constexpr double kNewTouch = 0.25;
/// If another way is predicted to be this many times as fast, its trial does not wait.
constexpr double kDubious = 2;

/// Two gains cannot be predicted, only timed: ranks running ahead, and later stores that need not
/// fetch lines back from peers. So where the default does not let ranks run ahead, one that does is
/// first among its rivals, however long it is predicted to take: of those about as fast as the
/// fastest of them, the one that goes through the least scratch, which may stay in caches. Returns
/// whether there is one.
bool put_first_what_runs_ahead(std::vector<Candidate>& all, const Choice& by_default) {
  double fastest = 0;
  for (const Candidate& one : all) {
    if (!one.runs_ahead) continue;
    if (one.choice == by_default) return false;
    if (fastest == 0 || one.predicted_ns < fastest) fastest = one.predicted_ns;
  }
  auto first = all.end();
  for (auto one = all.begin(); one != all.end(); ++one)
    if (one->runs_ahead && one->predicted_ns <= kNearlyAsFast * fastest &&
        (first == all.end() || one->choice.scratch_span < first->choice.scratch_span))
      first = one;
  if (first == all.end()) return false;
  std::rotate(all.begin(), first, first + 1);
  return true;
}

/// Moves the fastest sure rival up to `place`, however long it is predicted to take, unless it
/// is before that already. Returns whether it is there.
bool put_sure_rival_at(std::size_t place, std::vector<Candidate>& all, const Question& question,
                       const Choice& by_default) {
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(place);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Candidate& one) {
    return is_sure_rival(question, by_default, one);
  });
  if (found == all.end() || found < at) return false;
  std::rotate(at, found, found + 1);
  return true;
}

}  // namespace

/// Sums of the MPI may differ from ours in the last bits.
bool TeamEndpoint::must_keep_bits(const Question& question) const {
  return combines(question.collective) && !question.is_exact && !options_.falls_back_for_any_sums;
}

/// Appends the default with values copied line by line, and the first way through scratch with
/// copies by string instructions. What these gain depends on the processor, and no machine's costs
/// tell.
void TeamEndpoint::append_other_copies(std::vector<Contender>& ways, std::size_t bytes) const {
  if (!options_.tries || options_.traits.is_oversubscribed() || bytes < kLeastForOtherCopies)
    return;
  if (std::min(bytes, ways.front().choice.strip_bytes) >= kLeastForOtherCopies) {
    ways.push_back(ways.front());
    ways.back().copies = CopyBy::lines;
  }
  const auto bounced = std::find_if(ways.begin(), ways.end(), [&](const Contender& one) {
    return one.choice.bounces || !options_.traits.can_be_direct;
  });
  if (bounced == ways.end() || !can_copy_by_string()) return;
  Contender by_string = *bounced;
  by_string.copies = CopyBy::string;
  by_string.choice.streams_scratch = false;
  ways.push_back(by_string);
}

/// The default, which only ways with the same bits may replace; the model's next best; and ways
/// that are not our plans.
std::vector<Contender> TeamEndpoint::contenders_for(const Question& question, const Entry& entry) {
  using How = Contender::How;
  const Rank ranks = state_.rank_count();
  std::vector<Contender> all = {{.choice = entry.choice, .predicted_ns = entry.predicted_ns}};
  Question planned = question;
  planned.collective = planned_as(question.collective);
  const std::size_t most_span = std::max(
      {state_.scratch_bytes(), kMostCallsOfSpan * question.bytes, entry.choice.scratch_span});
  std::vector<Candidate> rivals = options_.chooser->ranked(planned);
  if (!options_.tries || options_.traits.is_oversubscribed()) rivals.clear();
  std::erase_if(rivals, [&](const Candidate& one) {
    return one.choice.scratch_span > most_span ||
           !have_same_bits(planned, entry.choice, one.choice, ranks);
  });
  std::size_t sure = put_first_what_runs_ahead(rivals, entry.choice);
  sure += put_sure_rival_at(sure, rivals, planned, entry.choice);
  for (std::size_t i = 0; i < rivals.size() && all.size() <= kMostRivals + sure; ++i) {
    const bool is_about_as_fast = rivals[i].predicted_ns <= kAboutAsFast * entry.predicted_ns;
    if ((i < sure || is_about_as_fast) && rivals[i].choice != entry.choice)
      all.push_back({.choice = rivals[i].choice, .predicted_ns = rivals[i].predicted_ns});
  }
  append_other_copies(all, question.bytes);
  if (entry.pulled != nullptr && options_.tries)
    all.push_back({.how = How::pulled, .choice = entry.choice, .predicted_ns = entry.predicted_ns});
  const double most = options_.traits.is_oversubscribed() ? kFarSlowerInTurns : kFarSlower;
  const bool takes_too_long = options_.underlying_mpi_ns > most * entry.predicted_ns;
  if (options_.can_fall_back && !must_keep_bits(question) && !takes_too_long &&
      question.order != Order::by_count)
    all.push_back({.how = How::underlying_mpi});
  return all;
}

/// Rivals' plans are not written yet then, which costs more than a thousand short calls.
TrialTerms TeamEndpoint::terms_of(const std::vector<Contender>& ways) const {
  const bool takes_turns = options_.traits.is_oversubscribed();
  TrialTerms terms;
  terms.together = takes_turns ? kTogetherInTurns : kTogether;
  terms.begin_together = takes_turns;
  terms.predicted_ns = ways.front().predicted_ns;
  terms.tell_ns = kTellNsPerRank * state_.rank_count();
  terms.last_begins_slowly = is_fallback(ways.back());
  for (const Contender& one : ways) {
    terms.opening_ns += is_fallback(one) ? kFirstCallsOfMpiNs : 0;
    const bool has_plan = one.copies != CopyBy::pages || &one == &ways.front();
    if (one.how != Contender::How::planned || has_plan) continue;
    terms.opening_ns += kPlanNsPerRank * state_.rank_count();
    terms.is_urgent |= one.predicted_ns * kDubious < terms.predicted_ns;
  }
  return terms;
}

/// Null if there is nothing to find out, and no call falls back to the MPI. The same on all ranks.
Contest* TeamEndpoint::contest_for(const Request& request, const Question& question,
                                   const Entry& entry) {
  Question planned = question;
  planned.collective = planned_as(question.collective);
  const bool prefers_mpi = options_.chooser->prefers_mpi(planned);
  if (!(options_.tries || prefers_mpi) || options_.forced || options_.always_pulls ||
      request.collective != request.question ||
      plan_cache_.has_user_plan(planned.collective, question.bytes, question.order))
    return nullptr;
  const ClassOfCalls calls = class_of(question);
  auto found = contests_->find(calls);
  if (found == contests_->end()) {
    std::vector<Contender> ways = contenders_for(question, entry);
    const bool is_mpis = prefers_mpi && is_fallback(ways.back());
    TrialTerms terms = terms_of(ways);
    if (is_mpis) terms.predicted_ns = 0;  // the MPI is not predicted
    const Trial trial(ways.size(), is_mpis ? ways.size() - 1 : 0, terms);
    found = contests_->try_emplace(calls, calls, std::move(ways), trial).first;
    found->second.is_settled = !options_.tries;
    found->second.leaves_out_mpi = options_.can_fall_back && must_keep_bits(question);
    open_contests_ += is_open(found->second);
  }
  return found->second.ways.size() > 1 ? &found->second : nullptr;
}

/// Whether a call of the class may fall back to the MPI now. (The first timed one does not.)
bool TeamEndpoint::is_open(const Contest& contest) {
  const bool has_mpi = is_fallback(contest.ways.back());
  return has_mpi && (contest.trial.is_timing() || is_fallback(contest.way()));
}

/// Forgets all decisions and prepared calls, which must not run as they are.
void TeamEndpoint::forget_prepared() {
  decided_.clear();
  for (PreparedCalls& calls : prepared_) calls = {};
  last_prepared_ = nullptr;
  recent_ = {};
  ++prepared_version_;
}

/// Forgets the prepared calls of a contest, whose calls are made another way from now on.
void TeamEndpoint::forget_prepared_of(const Contest& contest) {
  for (PreparedCalls& calls : prepared_) {
    std::erase_if(calls.kept, [&](const auto& one) { return one->contest == &contest; });
    std::erase_if(calls.more, [&](const auto& one) { return one.second->contest == &contest; });
  }
  last_prepared_ = nullptr;
  recent_ = {};
  ++prepared_version_;
}

/// Lets the trial take its step before the next call. False: a call of the endpoint's own failed.
bool TeamEndpoint::prepare_trial(Contest& contest) {
  Trial& trial = contest.trial;
  if (trial.is_timing() && !trial.is_due()) return true;
  open_contests_ -= is_open(contest);
  const std::size_t way = trial.way();
  bool succeeded = true;
  if (!trial.is_timing()) trial.has_rested(options_.wait_environment->now_ns());
  if (trial.is_due()) succeeded = compare_notes(contest);
  if (trial.wants_meeting()) {
    is_own_call_ = true;
    succeeded = succeeded && barrier();
    is_own_call_ = false;
    trial.met(options_.wait_environment->now_ns());
  }
  if (!trial.is_timing()) contest.rest = trial.calls_of_rest();
  if (trial.way() != way) forget_prepared_of(contest);
  open_contests_ += is_open(contest);
  return succeeded;
}

/// Exchanges what the ranks have measured, and decides.
bool TeamEndpoint::compare_notes(Contest& contest) {
  Trial& trial = contest.trial;
  const std::uint32_t matches = trial.matches();
  const std::vector<Stay> mine = trial.told();
  std::vector<Stay> all(mine.size() * state_.rank_count());
  const bool succeeded = tell_all(mine.data(), all.data(), mine.size() * sizeof(Stay));
  trial.hear(all);
  if (trial.matches() != matches) {
    ++findings_version_;
    if (tell_outcome_) tell_outcome_(outcome_of(contest));
  }
  return succeeded;
}

/// A way through scratch that no call has used yet would be timed with the kernel's work for new
/// pages. Other ranks may write there at the same time.
void TeamEndpoint::populate_scratch(std::size_t bytes) {
  const std::size_t all = std::min({bytes, state_.scratch_bytes(), kMostPopulated});
  if (all <= populated_scratch_) return;
  populated_scratch_ = all;
  populate(state_.scratch(state_.rank()), all);
}

/// Runs the call's own way, prepared for the contest alone.
bool TeamEndpoint::run_tried(const Request& request, const Question& question, Contest& contest) {
  if (!prepare_trial(contest)) return false;
  if (contest.passes()) {
    PreparedCall* const prepared = find_prepared(request);  // unless the way has changed
    return prepared != nullptr ? run(request, *prepared)
                               : run_way(request, question, contest, contest.trial.way());
  }
  // Timed from the moment at which everything is worked out, as it is for most calls.
  stay_ = {};
  is_timing_ = true;
  const bool succeeded = run_way(request, question, contest, contest.trial.next());
  is_timing_ = false;
  if (succeeded) add_touch_time(request, contest);
  contest.trial.stayed(stay_);
  return succeeded;
}

/// Adds to a timed call the time to touch its buffers as the program will. Adds nothing where ranks
/// take turns on cores: they are timed together with what they do between calls.
void TeamEndpoint::add_touch_time(const Request& request, Contest& contest) {
  if (options_.traits.is_oversubscribed()) return;
  if (options_.touch_for_test)
    options_.touch_for_test(*this);
  else
    touch(touched_buffers(request.collective, request.input, request.output,
                          bytes_of(request.elements), request.root, state_.rank(),
                          state_.rank_count()));
  const std::uint64_t end = options_.wait_environment->now_ns();
  const auto took = static_cast<double>(end - stay_.end);
  double& smoothed = contest.touch_ns[contest.trial.next()];
  smoothed = smoothed == 0 ? took : (1 - kNewTouch) * smoothed + kNewTouch * took;
  stay_.end = end;
}

/// Returns the shortest of the smoothed times of our ways; 0: none is known.
std::uint64_t TeamEndpoint::usual_touch_ns(const Contest& contest) {
  double shortest = 0;
  for (const double ns : contest.touch_ns)
    if (ns > 0 && (shortest == 0 || ns < shortest)) shortest = ns;
  return static_cast<std::uint64_t>(shortest);
}

std::shared_ptr<const TeamFindings> TeamEndpoint::findings() const {
  auto found = std::make_shared<TeamFindings>();
  found->chooser = options_.chooser;
  for (const auto& [calls, contest] : *contests_)
    if (contest.trial.standing() > 0 && is_chosen(contest.standing()))
      found->ways.emplace(calls, contest.standing());
  return found;
}

/// Replaces the first choice by another of our ways, if that has room.
void TeamEndpoint::apply(const Contender& way, const Request& request, const Question& question,
                         Entry& entry) {
  const RankProgram* const program = find_program(question, request.root, way.choice);
  if (program == nullptr || (program->lowering != Lowering::lines &&
                             !fits(*program, request.elements.bytes, most_scratch_)))
    return;
  if (options_.traits.leaves_calls && !leaves(program, request.elements)) return;
  entry.choice = way.choice;
  entry.program = program;
  entry.predicted_ns = way.predicted_ns;
  entry.copies = way.copies;
}

/// A call that should have fallen back to the MPI, but could not, runs by our plan.
bool TeamEndpoint::run_way(const Request& request, const Question& question, Contest& contest,
                           std::size_t way) {
  const Contender& contender = contest.ways[way];
  Entry entry = entry_for(question, request.root);
  if (way > 0 && is_chosen(contender)) apply(contender, request, question, entry);
  bool pulls = contender.how == Contender::How::pulled && entry.pulled != nullptr;
  const std::size_t most = most_scratch_;
  if (!make_room(request, entry, pulls)) return false;
  if (most_scratch_ != most) {  // there is less than this way, or even the usual one, needs
    entry = entry_for(question, request.root);
    pulls = false;
  }
  if (way > 0 && is_chosen(contender)) populate_scratch(entry.choice.scratch_span);
  // A call in place of the MPI's is not kept: the next one falls back to the MPI on all ranks.
  const bool is_kept =
      way == contest.trial.way() && !contest.trial.is_timing() && !is_fallback(contender);
  PreparedCall& prepared = is_kept ? new_prepared(request) : *spare_;
  prepared.contest = is_kept ? &contest : nullptr;
  return run_new(request, entry, pulls, prepared);
}

/// Peers are also told of such calls: a rank that made another call would wait forever.
bool TeamEndpoint::decides_to_fall_back(Collective collective, const Elements& elements,
                                        Rank root) {
  end_fallback();  // of a call that an error handler has left
  if (watch_ && watch_->is_due() && !look_at_machine()) return false;
  const auto found = contests_->find(class_of(question_of(collective, elements)));
  if (found == contests_->end() || !is_open(found->second)) return false;
  if (!way_is_fallback(found->second)) return false;
  const Request request{collective, collective, nullptr, nullptr, elements, root};
  if (const CallKey key = key_of(request); key != last_fallback_) {
    last_fallback_ = key;
    last_fallback_identity_ = identity_of_call(request);
  }
  state_.pass(last_fallback_identity_);
  return true;
}

bool TeamEndpoint::way_is_fallback(Contest& contest) {
  if (contest.rest == 0 && !prepare_trial(contest)) return false;
  if (contest.rest > 0) {
    if (!is_fallback(contest.way())) return false;
    if (watch_) watch_->ran(contest.trial.median_ns(contest.trial.way()));
    return contest.passes();
  }
  if (!is_fallback(contest.next())) return false;
  fallback_contest_ = &contest;
  contest.fallback_begin_ns = options_.wait_environment->now_ns();
  return true;
}

/// Ends the MPI's timed call. Its buffers are not known here, so what touching them takes after the
/// best of our ways is added.
void TeamEndpoint::end_fallback() {
  if (fallback_contest_ == nullptr) return;
  fallback_contest_->trial.stayed(
      {fallback_contest_->fallback_begin_ns,
       options_.wait_environment->now_ns() + usual_touch_ns(*fallback_contest_)});
  fallback_contest_ = nullptr;
}

}  // namespace terrace
