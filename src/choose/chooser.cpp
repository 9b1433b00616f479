// SPDX-License-Identifier: BSD-3-Clause
// Predicts each algorithm with a few parameter sets, then the best of them with many.
#include "choose/chooser.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <mutex>
#include <set>

#include "base/contract.hpp"
#include "execute/call.hpp"
#include "team/memory.hpp"

namespace terrace {

namespace {

/// Choosers that a process keeps for others that are alike: those used last.
constexpr std::size_t kMostShared = 16;

/// Plans that are kept for further questions.
constexpr std::size_t kMostDrafts = 64;

/// Algorithms that get a closer look.
constexpr std::size_t kLookedAt = 3;
/// Two of the usual strips.
constexpr std::size_t kLeastInStrips = 128 * 1024;

/// Ways that are predicted to be no more than this better than a simpler one are not.
constexpr double kMargin = 0.02;

/// Shorter vectors are bounced although heaps are shared: most lie in blocks too short for the
/// heap.
constexpr std::size_t kFromHeaps = 64 << 10;

std::vector<Rank> some_of(Rank ranks, Rank count) {
  TERRACE_ASSERT(count <= ranks, count, ranks);
  std::vector<Rank> some;
  for (std::uint64_t i = 0; i < count; ++i) some.push_back(static_cast<Rank>(i * ranks / count));
  return some;
}

/// Whether scratch has room for a line pair of each of its blocks, in any team
/// (`least_scratch_bytes`).
bool has_room(const RankProgram& part, Rank ranks) {
  return blocks_per_slot(part, false) * part.ring * kLinePairBytes <= least_scratch_bytes(ranks);
}

void append_places(const Group& group, Locality path, std::vector<Locality>& places) {
  if (path.places.empty() || path.places.back().level != group.level ||
      path.places.back().index != group.index)
    path.places.push_back({group.level, group.index});
  if (group.children.empty())
    for (const Rank rank : group.ranks) places[rank] = path;
  for (const Group& child : group.children) append_places(child, path, places);
}

std::vector<Locality> places_of(const Hierarchy& hierarchy, const TeamTraits& traits) {
  return places_in(hierarchy, traits.shared_cores, traits.takes_turns_in_order);
}

}  // namespace

bool is_sure_rival(const Question& question, const Choice& chosen, const Candidate& way) {
  const bool has_root = is_rooted(question.collective);
  if (length_class(question.bytes) < kLeastInStrips)
    return !has_root && way.choice.bounces && !chosen.bounces;
  const bool is_other =
      has_root ? chosen.strip_bytes == kWhole : way.choice.algorithm != chosen.algorithm;
  return way.is_in_strips() && is_other;
}

std::size_t length_class(std::size_t bytes) {
  if (bytes <= 1) return bytes;
  if (bytes <= kPayloadBytes) return std::min(std::bit_ceil(bytes), kPayloadBytes);
  const std::size_t below = std::bit_floor(bytes);
  const double ratio = static_cast<double>(bytes) / static_cast<double>(below);
  return std::max(kPayloadBytes + 1, ratio * ratio < 2 ? below : 2 * below);
}

std::vector<Locality> places_in(const Hierarchy& hierarchy, std::uint32_t shared_cores,
                                bool in_order) {
  const Rank ranks = hierarchy.rank_count();
  std::vector<Locality> places(ranks);
  Locality node;
  if (hierarchy.all.level != "node") node.places.push_back({"node", 0});
  append_places(hierarchy.all, node, places);
  for (Rank rank = 0; rank < places.size(); ++rank) {
    std::vector<LevelPlace>& path = places[rank].places;
    TERRACE_ASSERT(!path.empty(), rank);  // the hierarchy has all ranks
    const bool has_core = path.back().level == "core" || path.back().level == "pu";
    if (has_core) continue;
    path.push_back({"core", shared_cores == 0
                                ? rank
                                : model::shared_core_of(rank, ranks, shared_cores, in_order)});
  }
  return places;
}

struct Chooser::Stage {
  RankPlatform platform;
  Drafts drafts;

  explicit Stage(RankPlatform made) : platform(std::move(made)), drafts(platform) {}
};

Chooser::Chooser(const TeamTraits& traits, const Hierarchy& hierarchy, model::MachineModel machine,
                 std::vector<Locality> places)
    : traits_(traits),
      machine_(std::move(machine)),
      hierarchy_(hierarchy),
      places_(std::move(places)),
      spans_(spans_on(machine_, traits.scratch_bytes)),
      depths_(depths_of(hierarchy)) {
  for (std::uint32_t depth = 1; depth <= depth_of(hierarchy); ++depth)
    by_depth_.push_back(with_one_depth(hierarchy, depth));
  if (traits_.ranks <= kMostRanksPredicted) return;
  const std::vector<Rank> some = some_of(traits_.ranks, kMostRanksPredicted);
  for (Hierarchy& one : by_depth_) one = restrict_to(one, some);
  std::vector<Locality> all = std::exchange(places_, {});
  for (const Rank rank : some) places_.push_back(std::move(all[rank]));
  hierarchy_ = hierarchy_of(places_);
}

Chooser::Chooser(const TeamTraits& traits, const Hierarchy& hierarchy,
                 const model::MachineCosts& costs, std::vector<TunedRow> tuned)
    : Chooser(traits, hierarchy, model::machine_model_of(costs, places_of(hierarchy, traits)),
              places_of(hierarchy, traits)) {
  tuned_ = std::move(tuned);
}

Chooser::~Chooser() = default;

std::shared_ptr<Chooser> Chooser::shared(const TeamTraits& traits, const Hierarchy& hierarchy,
                                         const model::MachineCosts& costs,
                                         const std::vector<TunedRow>& tuned) {
  struct Kept {
    TeamTraits traits;
    Hierarchy hierarchy;
    model::MachineCosts costs;
    std::vector<TunedRow> tuned;
    std::shared_ptr<Chooser> chooser;
  };
  static auto* const mutex = new std::mutex;  // programs may call until they have ended
  static auto* const all = new std::deque<Kept>;
  const std::lock_guard lock(*mutex);
  const auto found = std::find_if(all->begin(), all->end(), [&](const Kept& one) {
    return one.traits == traits && one.hierarchy == hierarchy && one.costs == costs &&
           one.tuned == tuned;
  });
  if (found != all->end()) {
    std::rotate(found, found + 1, all->end());  // the last used last
    return all->back().chooser;
  }
  if (all->size() == kMostShared) all->pop_front();
  all->push_back({traits, hierarchy, costs, tuned,
                  std::make_shared<Chooser>(traits, hierarchy, costs, tuned)});
  return all->back().chooser;
}

Chooser::Stage& Chooser::stage_for(Order order) {
  std::unique_ptr<Stage>& stage = stages_[order];
  if (stage) return *stage;
  RankPlatform platform(machine_, places_);
  const auto ranks = static_cast<Rank>(places_.size());
  platform.hierarchy = order == Order::by_machine ? hierarchy_
                       : order == Order::by_rank  ? flat_hierarchy(ranks)
                                                  : hierarchy_of_runs(ranks);
  platform.by_depth = by_depth_;
  platform.shared_cores = traits_.shared_cores;
  platform.takes_turns_in_order = traits_.takes_turns_in_order;
  platform.scratch_bytes = traits_.scratch_bytes;
  stage = std::make_unique<Stage>(std::move(platform));
  return *stage;
}

const TunedRow* Chooser::tuned_row(const Question& question) const {
  // Other orders of sums run other plans.
  if (question.order != Order::by_machine) return nullptr;
  return find_row(tuned_, planned_as(question.collective), question.bytes);
}

bool Chooser::prefers_mpi(const Question& question) const {
  const TunedRow* const row = tuned_row(question);
  return row != nullptr && row->is_mpi;
}

const std::vector<Candidate>& Chooser::ranked(const Question& question) {
  Question asked{planned_as(question.collective), length_class(question.bytes), question.order};
  if (asked.collective == Collective::barrier) asked.bytes = 0;
  const Key key{asked.collective, asked.bytes, asked.order};
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
  }
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = known_.try_emplace(key);
  if (is_new) found->second = rank(asked);
  TERRACE_ASSERT(!found->second.empty(), asked.collective, asked.bytes);
  return found->second;
}

/// Predicts ways to run one call, each once.
class Chooser::Ranking {
 public:
  Ranking(Stage& stage, const CandidateQuestion& asked) : stage_(stage), asked_(asked) {
    call_.collective = asked.question.collective;
    call_.bytes = asked.question.bytes;
    call_.is_direct = asked.is_direct;
    call_.is_rough = true;
  }

  void add(const std::vector<Choice>& choices) {
    for (const Choice& choice : choices) add(choice);
  }

  /// The fastest first, but for one that is hardly slower and came before: it is simpler.
  std::vector<Candidate> best(std::size_t most) const {
    std::vector<Candidate> all = added_;
    std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
      return a.predicted_ns < b.predicted_ns;
    });
    if (!all.empty()) {
      const double enough = (1 + kMargin) * all.front().predicted_ns;
      const auto simplest =
          std::find_if(added_.begin(), added_.end(),
                       [enough](const Candidate& one) { return one.predicted_ns <= enough; });
      const auto its_place = std::find_if(all.begin(), all.end(), [&](const Candidate& one) {
        return one.choice == simplest->choice;
      });
      std::rotate(all.begin(), its_place, its_place + 1);
    }
    cut(all, most);
    return all;
  }

  /// Before all others, whatever is predicted for it, if it can run.
  void put_first(const Choice& choice, std::vector<Candidate>& all, std::size_t most) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Candidate& one) { return one.choice == choice; });
    if (found != all.end()) {
      std::rotate(all.begin(), found, found + 1);
    } else if (const auto candidate = predicted(choice)) {
      all.insert(all.begin(), *candidate);
      cut(all, most);
    }
  }

 private:
  /// Everything in which two choices that run the same are alike.
  using Way = std::tuple<const Plan*, std::size_t, bool, bool, bool, std::size_t>;

  void add(const Choice& choice) {
    const Result<Draft> draft = stage_.drafts.find(call_, choice);
    if (!draft) return;
    const Plan* const plan = first_like(draft.value().lowered.get());
    const Way way = plan->lowering == Lowering::lines
                        ? Way{plan, 0, false, false, false, 0}
                        : Way{plan,           choice.strip_bytes,     choice.streams,
                              choice.bounces, choice.streams_scratch, choice.scratch_span};
    if (!known_.insert(way).second) return;
    if (const auto candidate = predicted(choice)) added_.push_back(*candidate);
  }

  /// Cuts the list, but keeps the fastest sure rival, and the fastest that lets ranks run ahead: in
  /// the last two places if they were behind.
  void cut(std::vector<Candidate>& all, std::size_t most) const {
    TERRACE_ASSERT(most >= 2, most);
    if (all.size() <= most) return;
    const auto keep = [&](std::size_t place, auto is_wanted) {
      const auto at = all.begin() + static_cast<std::ptrdiff_t>(place);
      const auto found = std::find_if(all.begin(), all.end(), is_wanted);
      if (found != all.end() && found > at) std::rotate(at, found, found + 1);
    };
    const Choice chosen = all.front().choice;
    keep(most - 2,
         [&](const Candidate& one) { return is_sure_rival(asked_.question, chosen, one); });
    keep(most - 1, [](const Candidate& one) { return one.runs_ahead; });
    all.resize(most);
  }

  /// Algorithms may write the same plan: flat and by a tree for two ranks.
  const Plan* first_like(const Plan* plan) {
    for (const Plan* const one : plans_)
      if (one == plan || run_the_same(*one, *plan)) return one;
    plans_.push_back(plan);
    return plan;
  }

  /// Nothing for what cannot run.
  std::optional<Candidate> predicted(const Choice& choice) {
    const Result<Draft> draft = stage_.drafts.find(call_, choice);
    if (!draft) return std::nullopt;
    const RankProgram& part = draft.value().parts->front();
    if (!has_room(part, asked_.traits.ranks)) return std::nullopt;
    if (asked_.traits.leaves_calls && !part.starts_alone) return std::nullopt;
    const auto prediction = predict(call_, choice, stage_.drafts);
    if (!prediction || !std::isfinite(prediction.value().cost.total)) return std::nullopt;
    return Candidate{choice, prediction.value().cost.total, runs_ahead(choice, draft.value())};
  }

  /// Choices of one plan differ in what they show alone. Where ranks take turns on cores, all ways
  /// are made to run ahead.
  bool runs_ahead(const Choice& choice, const Draft& draft) {
    if (asked_.traits.is_oversubscribed() || !lets_ranks_run_ahead(call_.collective)) return false;
    const bool is_direct = call_.is_direct && !choice.bounces;
    const auto [known, is_new] = go_one_way_.try_emplace({draft.lowered.get(), is_direct});
    if (is_new) known->second = goes_one_way(*draft.parts, is_direct);
    return known->second;
  }

  Stage& stage_;
  const CandidateQuestion& asked_;
  Predicted call_;
  std::vector<const Plan*> plans_;  ///< no two of which run the same
  std::set<Way> known_;
  std::map<std::pair<const Plan*, bool>, bool> go_one_way_;  ///< by whether buffers are shown
  std::vector<Candidate> added_;
};

std::vector<Candidate> Chooser::rank(const Question& question) {
  const bool has_heaps = traits_.reaches_heaps && question.bytes >= kFromHeaps;
  CandidateQuestion asked;
  asked.question = question;
  asked.traits = traits_;
  asked.is_direct = traits_.can_be_direct || has_heaps;
  asked.spans = spans_;
  asked.second_cache = second_cache_of(machine_);
  if (question.order == Order::by_machine) asked.depths = depths_;
  asked.traits.ranks = static_cast<Rank>(places_.size());
  Stage& stage = stage_for(question.order);
  if (stage.drafts.count() > kMostDrafts) stage.drafts.forget();
  Ranking ranking(stage, asked);
  ranking.add(first_candidates(asked));
  for (const Candidate& one : ranking.best(kLookedAt)) {
    ranking.add(variations_of(one.choice, asked));
    ranking.add(at_each_depth(one.choice, asked));
  }
  std::vector<Candidate> best = ranking.best(kMostCandidates);
  if (const TunedRow* const row = tuned_row(question); row != nullptr && !row->is_mpi)
    ranking.put_first(row->choice, best, kMostCandidates);
  // Of one rank, which does nothing, or of plans that do not run on this machine.
  if (best.empty()) best.push_back({first_candidates(asked).front(), 0});
  const bool must_bounce = traits_.reaches_heaps && !asked.is_direct;
  for (Candidate& candidate : best) {
    Choice& choice = candidate.choice;
    choice.bounces = choice.bounces || must_bounce;
    if (choice.radix >= asked.traits.ranks && traits_.is_oversubscribed())
      choice.radix = std::max(traits_.ranks, Rank{2});
  }
  return best;
}

CandidateQuestion candidates_about(const Predicted& call, const RankPlatform& platform) {
  CandidateQuestion asked;
  asked.question = {call.collective, call.bytes};
  asked.traits.ranks = static_cast<Rank>(platform.places.size());
  asked.traits.scratch_bytes = usual_scratch_bytes(asked.traits.ranks);
  asked.is_direct = call.is_direct;
  asked.spans = spans_on(platform.machine, asked.traits.scratch_bytes);
  asked.second_cache = second_cache_of(platform.machine);
  asked.depths = depths_of(platform.hierarchy);
  asked.with_by_name = true;
  return asked;
}

RankPlatform as_in_a_team(RankPlatform platform) {
  platform.scratch_bytes = usual_scratch_bytes(static_cast<Rank>(platform.places.size()));
  return platform;
}

std::shared_ptr<Chooser> chooser_for(const RankPlatform& platform, bool is_direct) {
  TeamTraits traits;
  traits.ranks = static_cast<Rank>(platform.places.size());
  traits.can_be_direct = is_direct;
  traits.scratch_bytes = usual_scratch_bytes(traits.ranks);
  return std::make_shared<Chooser>(traits, platform.hierarchy, platform.machine, platform.places);
}

Result<Prediction> predict_chosen(const Predicted& call, Chooser& chooser, Drafts& drafts) {
  return predict(call, chooser.choose({call.collective, call.bytes}), drafts);
}

Result<Prediction> predict_chosen(const Predicted& call, const RankPlatform& platform) {
  const RankPlatform team = as_in_a_team(platform);
  Drafts drafts(team);
  return predict_chosen(call, *chooser_for(team, call.is_direct), drafts);
}

}  // namespace terrace
