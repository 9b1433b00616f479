// SPDX-License-Identifier: BSD-3-Clause
// Which ways there are. See choices.hpp.
#include "explain/choices.hpp"

#include <algorithm>
#include <span>

#include "base/bytes.hpp"
#include "team/memory.hpp"

namespace terrace::explain {

namespace {

constexpr std::size_t KiB = 1024;

/// Two operands a step as in the papers, four, eight as the kernels take at once, and all.
std::vector<std::uint32_t> radices_of(Rank ranks) {
  std::vector<std::uint32_t> radices;
  for (const std::uint32_t radix : {2u, 4u, 8u, ranks})
    if (radix == 2 || (radix <= ranks && radix > radices.back())) radices.push_back(radix);
  return radices;
}

void append_long_choices(Choice choice, std::size_t bytes, std::vector<Choice>& choices) {
  choice.strip_bytes = kWhole;
  choices.push_back(choice);
  if (bytes > 1024 * KiB) {
    choices.push_back(choice);
    choices.back().streams = true;
  }
  choice.ring = 4;
  for (const std::size_t strip : {16 * KiB, 64 * KiB, 256 * KiB}) {
    if (strip >= bytes) return;
    choice.strip_bytes = strip;
    choices.push_back(choice);
  }
}

void append_choices(const Algorithm& row, std::size_t bytes, Rank ranks,
                    std::vector<Choice>& choices) {
  const bool is_short = bytes <= kPayloadBytes;
  for (const std::uint32_t radix : radices_of(ranks)) {
    Choice choice;
    choice.algorithm = row.name;
    choice.radix = radix;
    choice.strip_bytes = kWhole;
    if (row.fits_lines && is_short)
      choices.push_back(choice);
    else if (row.fits_long)
      append_long_choices(choice, bytes, choices);
  }
}

}  // namespace

std::vector<Choice> choices_of(Collective collective, std::size_t bytes, Rank ranks) {
  std::vector<Choice> choices;
  for (const std::span<const Algorithm> table : {algorithms(), algorithms_by_name()})
    for (const Algorithm& row : table)
      if (row.collective == planned_as(collective)) append_choices(row, bytes, ranks, choices);
  return choices;
}

std::string to_text(const Prediction& prediction) {
  const Choice& choice = prediction.choice;
  std::string text(choice.algorithm);
  if (prediction.plan->lowering == Lowering::lines) text += " over lines";
  text += ", up to " + std::to_string(choice.radix) + " operands a step";
  if (prediction.cost.strips > 1) text += ", strips of " + bytes_text(choice.strip_bytes);
  if (choice.streams) text += ", stored past the caches";
  if (choice.bounces && prediction.plan->lowering != Lowering::lines) text += ", through scratch";
  return text;
}

}  // namespace terrace::explain
