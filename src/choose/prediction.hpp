// SPDX-License-Identifier: BSD-3-Clause
// Predictions: the cost of a call on a machine model, if it is run in a given way.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "choose/choice.hpp"
#include "model/cost.hpp"
#include "model/machine_model.hpp"

namespace terrace {

/// Ranks on a machine, as predictions are about.
struct RankPlatform {
  const model::MachineModel& machine;
  std::vector<Locality> places;
  Hierarchy hierarchy;
  std::vector<Hierarchy> by_depth;    ///< with the groups of one depth alone, from 1 on
  std::uint32_t shared_cores = 0;     ///< as in TeamTraits
  bool takes_turns_in_order = false;  ///< likewise
  std::size_t scratch_bytes = 0;      ///< likewise

  RankPlatform(const model::MachineModel& on, std::vector<Locality> ranks);

  /// The part of the hierarchy that an algorithm is to see; beyond the deepest groups as at these.
  const Hierarchy& seen_at(std::uint32_t depth) const;
};

/// A call whose cost is asked for.
struct Predicted {
  Collective collective = Collective::allreduce;
  std::size_t bytes = 0;  ///< of a block: the vector, or what goes to each rank
  Rank root = 0;
  bool is_direct = true;  ///< threads; otherwise processes that bounce
  model::Account account = model::Account::all;
  Lowering lowering =
      Lowering::none;               ///< none: as an endpoint would; another: that one, or an error
  std::shared_ptr<const Plan> own;  ///< a user's plan, instead of the chosen algorithm's
  bool is_rough = false;            ///< as in model::CostQuestion
};

struct Prediction {
  Choice choice;
  std::shared_ptr<const Plan> plan;  ///< lowered; never null
  model::Cost cost;
};

/// A plan as it would run.
struct Draft {
  std::shared_ptr<const Plan> written, lowered;
  std::shared_ptr<const std::vector<RankProgram>> parts;
};

/// Drafts for the ranks of a platform, each made once. Calls of many sizes, in strips or not, run
/// the same plans; and many plans are the same however many operands a step may have.
class Drafts {
 public:
  /// `platform` must live as long, and keep its hierarchy.
  explicit Drafts(const RankPlatform& platform) : platform_(&platform) {}

  /// Finds the draft that the call would run with that choice: in lines where they fit and the
  /// choice does not avoid them, through exposed buffers otherwise, unless the call or its own plan
  /// says which. Errors: argument, unsupported, where no such plan exists.
  Result<Draft> find(const Predicted& call, const Choice& choice);
  const RankPlatform& platform() const { return *platform_; }
  std::size_t count() const { return drafts_.size(); }
  void forget() {
    drafts_.clear();
    written_.clear();
  }

 private:
  struct Written {
    std::string_view algorithm;
    Rank root = 0;
    std::uint32_t radix = 0;
    std::uint32_t depth = 0;
    std::shared_ptr<const Plan> plan;
  };
  /// A plan as written, pockets of its lines (0: no lines), whether it must be lines, the ring of
  /// its scratch.
  using Way = std::tuple<const Plan*, std::uint32_t, bool, std::uint32_t>;

  std::shared_ptr<const Plan> written(const Algorithm& row, Rank root, const Choice& choice);

  const RankPlatform* platform_;
  std::vector<Written> written_;
  std::map<Way, Result<Draft>> drafts_;
};

/// Predicts the call with that choice. Errors: those of `Drafts::find`.
Result<Prediction> predict(const Predicted& call, const Choice& choice,
                           const RankPlatform& platform);
Result<Prediction> predict(const Predicted& call, const Choice& choice, Drafts& drafts);

/// Whether no rank waits for one that waits for it, directly or through others: in calls that
/// follow each other, those that are awaited run ahead.
bool goes_one_way(std::span<const RankProgram> parts, bool is_direct);

/// "allreduce.tree over lines, up to 2 operands a step"; "allreduce.tiled, ..., strips of 64 KiB".
std::string to_text(const Prediction&);

}  // namespace terrace
