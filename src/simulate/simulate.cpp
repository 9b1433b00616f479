// SPDX-License-Identifier: BSD-3-Clause
// From a machine model and parts to an outcome.
#include "simulate/simulate.hpp"

#include "simulate/node.hpp"

namespace terrace::simulate {

Result<Outcome> simulate(const model::MachineModel& model, std::span<const Locality> localities,
                         std::span<const Part> parts, const Setting& setting) {
  if (parts.empty() || parts.size() != localities.size())
    return Error{ErrorCode::argument, std::to_string(parts.size()) + " parts for " +
                                          std::to_string(localities.size()) +
                                          " ranks: expected one for each"};
  const Result<Hardware> hardware = Hardware::of(model, localities);
  if (!hardware) return hardware.error();
  Node node(hardware.value(), parts, setting);
  if (auto played = node.run(); !played) return played.error();
  return node.outcome();
}

}  // namespace terrace::simulate
