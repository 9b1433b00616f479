// SPDX-License-Identifier: BSD-3-Clause
// Prints a cost.
#include <cstdio>

#include "base/bytes.hpp"
#include "model/cost.hpp"

namespace terrace::model {

namespace {

constexpr std::size_t kMostSteps = 40;

template <class... CostValues>
std::string formatted(const char* format, CostValues... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string duration(double ns) {
  if (ns < 1e4) return formatted("%.1f ns", ns);
  return ns < 1e7 ? formatted("%.1f us", ns / 1e3) : formatted("%.1f ms", ns / 1e6);
}

std::string where(const CostPart& part, const MachineModel& model) {
  if (part.cause == Cause::program || part.cause == Cause::own || part.cause == Cause::memory)
    return "";
  if (part.cause == Cause::message) return " " + model.networks[part.distance].level;
  return " " + model.distances[part.distance].name;
}

/// The step that is played, of a rank's in the plan.
const Step* step_of(const Plan& plan, const CostStep& step) {
  std::uint32_t position = step.position;
  for (const auto* steps : {&plan.body, &plan.closing})
    for (const Step& one : *steps)
      if (one.by == step.rank && position-- == 0) return &one;
  return nullptr;
}

std::string line_of(const CostStep& step, const Plan& plan, const MachineModel& model,
                    bool has_strips) {
  std::string parts;
  for (const CostPart& part : step.parts)
    parts += formatted(", %s%s %.1f", to_text(part.cause), where(part, model).c_str(), part.ns);
  const Step* const one = step_of(plan, step);
  std::string text = one == nullptr ? "" : to_text(*one, plan);
  text.resize(std::min(text.find('\n'), text.size()));
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return formatted("%10.1f ", step.end) + (has_strips ? formatted("strip %u ", step.strip) : "") +
         text + "\n" + std::string(11, ' ') + (parts.empty() ? "nothing" : parts.substr(2)) + "\n";
}

}  // namespace

std::string to_text(const Cost& cost, const Plan& plan, const MachineModel& model,
                    std::string_view asked) {
  std::string text = std::string(asked) + (asked == plan.name ? "" : " (plan " + plan.name + ")") +
                     " of " + std::to_string(plan.ranks) + " ranks on " + model.title + ": " +
                     duration(cost.total) + "\n\n" +
                     "what decides the end (ns since all have entered):\n";
  const bool has_strips = cost.strips > 1;
  for (std::size_t i = 0; i < cost.path.size() && i < kMostSteps; ++i)
    text += line_of(cost.path[i], plan, model, has_strips);
  if (cost.path.size() > kMostSteps)
    text += "... and " + std::to_string(cost.path.size() - kMostSteps) + " steps more\n";
  if (cost.strips > cost.strips_played)
    text += formatted("%.0f strips, of which %u were played\n", cost.strips, cost.strips_played);
  text += "\nits times by cause and distance:\n";
  for (const CostPart& part : cost.spent)
    text += "  " + std::string(to_text(part.cause)) + where(part, model) + ": " +
            duration(part.ns) + formatted(" (%.0f %%)\n", 100 * part.ns / cost.total);
  text += "\nbytes moved, by all ranks:\n";
  for (std::size_t i = 0; i < cost.bytes.size(); ++i)
    if (cost.bytes[i] > 0)
      text += "  " + model.distances[i].name + ": " +
              bytes_text(static_cast<std::uint64_t>(cost.bytes[i])) + "\n";
  if (cost.memory_bytes > 0)
    text += "  memory: " + bytes_text(static_cast<std::uint64_t>(cost.memory_bytes)) + "\n";
  if (cost.message_bytes > 0)
    text += "  messages: " + bytes_text(static_cast<std::uint64_t>(cost.message_bytes)) + "\n";
  return text;
}

}  // namespace terrace::model
