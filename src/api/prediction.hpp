// SPDX-License-Identifier: BSD-3-Clause
// Predictions: what a call would cost on a machine model, with the plan that a seat would run, or
// with any other.
#pragma once

#include <span>
#include <vector>

#include "choose/choose.hpp"
#include "model/cost.hpp"
#include "model/machine_model.hpp"

namespace terrace {

/// Ranks on a machine, as predictions are about.
struct Scene {
  const model::MachineModel& machine;
  std::vector<Locality> places;
  Hierarchy hierarchy;

  Scene(const model::MachineModel& on, std::vector<Locality> ranks);
};

/// A call whose cost is asked for.
struct Predicted {
  Collective collective = Collective::allreduce;
  std::size_t bytes = 0;  ///< of a block: the vector, or what goes to each rank
  Rank root = 0;
  bool is_direct = true;  ///< threads; otherwise processes that bounce
  model::Account account = model::Account::all;
};

struct Prediction {
  Choice choice;
  Plan plan;  ///< lowered
  model::Cost cost;
};

/// As the call would be run with that choice: in lines where they fit, through exposed buffers
/// otherwise. Errors: argument, unsupported, where no such plan exists.
Result<Prediction> predict(const Predicted& call, const Choice& choice, const Scene& scene);

/// With the choice that `choose` makes.
Result<Prediction> predict(const Predicted& call, const Scene& scene);

}  // namespace terrace
