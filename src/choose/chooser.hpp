// SPDX-License-Identifier: BSD-3-Clause
// The chooser of a team: picks the plan that runs a call. Teams and the commands that predict,
// explain and draw share it, so they agree.
#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <tuple>
#include <vector>

#include "choose/candidates.hpp"
#include "choose/prediction.hpp"
#include "choose/tuning.hpp"
#include "model/machine_costs.hpp"

namespace terrace {

/// A way to run a call, and what it should take.
struct Candidate {
  Choice choice;
  double predicted_ns = 0;
  bool runs_ahead = false;  ///< as `goes_one_way`; of collectives that let ranks run ahead

  bool is_in_strips() const { return choice.strip_bytes != kWhole; }
};

/// Whether a way of such a call is to be tried, however long it is predicted to take, if `chosen`
/// is the way predicted to be the fastest: predictions of how ranks work side by side, and of
/// caches, may be wrong. Of long calls with a root one in strips, of others one in strips by
/// another algorithm; of shorter ones without a root one through scratch, if the chosen shows
/// buffers, whose lines then lie with its peers.
bool is_sure_rival(const Question& question, const Choice& chosen, const Candidate& way);

/// Calls of about one length share a decision: of lengths that fit a line, and of others, those
/// nearest to one power of two. Its bytes stand for all of them.
std::size_t length_class(std::size_t bytes);

/// Ranks at these places of a hierarchy, as their levels tell: each on a core of its own, unless
/// they share cores, in order or not.
std::vector<Locality> places_in(const Hierarchy&, std::uint32_t shared_cores,
                                bool in_order = false);

/// Chooses by predictions on a machine model. Safe to use from many threads; the same on all ranks
/// of a team, if it is made of the same on all of them.
class Chooser {
 public:
  /// Plans are predicted on `machine` for ranks in that hierarchy.
  Chooser(const TeamTraits& traits, const Hierarchy& hierarchy, model::MachineModel machine,
          std::vector<Locality> places);
  /// On what is known of a machine; first of all by the rows of its tuning.
  Chooser(const TeamTraits& traits, const Hierarchy& hierarchy, const model::MachineCosts& costs,
          std::vector<TunedRow> tuned = {});
  ~Chooser();

  /// The like of one that was made in this process already, if it is still kept: programs make many
  /// communicators of the same ranks.
  static std::shared_ptr<Chooser> shared(const TeamTraits& traits, const Hierarchy& hierarchy,
                                         const model::MachineCosts& costs,
                                         const std::vector<TunedRow>& tuned = {});

  /// A chooser for another team of these ranks, on the same machine; without its tuning.
  std::shared_ptr<Chooser> for_team(const TeamTraits& traits, const Hierarchy& hierarchy) const {
    return std::make_shared<Chooser>(traits, hierarchy, machine_,
                                     places_in(hierarchy, traits.shared_cores));
  }

  const TeamTraits& traits() const { return traits_; }

  /// Ways to run such a call, the fastest first; at least one, at most `kMostCandidates`, no two of
  /// which run the same. If there are ways that let ranks run ahead of each other, which a
  /// prediction of one call does not count, the fastest of them is here. Worked out when first
  /// asked for.
  const std::vector<Candidate>& ranked(const Question& question);
  const Choice& choose(const Question& question) { return ranked(question).front().choice; }
  /// Whether the tuning wants the underlying MPI to make such calls.
  bool prefers_mpi(const Question& question) const;

  static constexpr std::size_t kMostCandidates = 4;
  /// Larger teams are predicted by fewer of their ranks: plans of more take tens of milliseconds.
  static constexpr Rank kMostRanksPredicted = 32;

 private:
  /// Ranks in the order that is asked for.
  struct Stage;
  class Ranking;
  using Key = std::tuple<Collective, std::size_t, Order>;

  std::vector<Candidate> rank(const Question& question);
  const TunedRow* tuned_row(const Question& question) const;
  Stage& stage_for(Order order);

  TeamTraits traits_;
  model::MachineModel machine_;
  Hierarchy hierarchy_;              ///< of the ranks that predictions are about
  std::vector<Hierarchy> by_depth_;  ///< likewise, as in a RankPlatform
  std::vector<Locality> places_;     ///< likewise
  std::vector<std::size_t> spans_;
  std::vector<std::uint32_t> depths_;
  std::vector<TunedRow> tuned_;
  /// Guards what follows. Ranks that are threads ask at once: all that have waited read together,
  /// where a mutex would wake one after the other.
  std::shared_mutex mutex_;
  std::map<Order, std::unique_ptr<Stage>> stages_;
  std::map<Key, std::vector<Candidate>> known_;
};

/// All ways to run a call, those by name among them.
CandidateQuestion candidates_about(const Predicted& call, const RankPlatform& platform);

/// Gives a platform as much scratch as such teams have, which limits the strips of what goes
/// through it.
RankPlatform as_in_a_team(RankPlatform platform);

/// Makes a chooser for predictions about the ranks of a platform, which share no cores: threads, or
/// processes whose buffers are bounced.
std::shared_ptr<Chooser> chooser_for(const RankPlatform& platform, bool is_direct);

/// Predicts the call with what that chooser chooses; for a platform alone, as in a team. Errors:
/// those of `Drafts::find`.
Result<Prediction> predict_chosen(const Predicted& call, const RankPlatform& platform);
Result<Prediction> predict_chosen(const Predicted& call, Chooser& chooser, Drafts& drafts);

}  // namespace terrace
