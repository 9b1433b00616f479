// SPDX-License-Identifier: BSD-3-Clause
// Adds up tallies and prints them.
#include "engine/call_tally.hpp"

#include <bit>
#include <cstdio>

#include "base/bytes.hpp"

namespace terrace {

namespace {

std::string class_text(std::size_t size_class) {
  if (size_class == 0) return "0 B";
  return bytes_text(std::size_t{1} << (size_class - 1)) + " to below " +
         bytes_text(std::size_t{1} << (size_class - 1) << 1);
}

std::string row(const char* collective, const std::string& sizes, std::uint64_t calls,
                const std::string& what) {
  char line[256];
  std::snprintf(line, sizeof line, "terrace:   %-20s  %-22s  %10llu  %s\n", collective,
                sizes.c_str(), static_cast<unsigned long long>(calls), what.c_str());
  return line;
}

}  // namespace

CallTally::Cell& CallTally::cell(Collective collective, std::size_t bytes) {
  return cells_[index(collective)][static_cast<std::size_t>(std::bit_width(bytes))];
}

void CallTally::count_run(Collective collective, std::size_t bytes, const std::string& plan,
                          std::optional<Reach> reach) {
  ++cell(collective, bytes).by_plan[reach ? plan + ", " + to_text(*reach) : plan];
}

void CallTally::add(const CallTally& other) {
  for (std::size_t collective = 0; collective < kCollectiveCount; ++collective) {
    for (const auto& [size_class, cell] : other.cells_[collective]) {
      Cell& sum = cells_[collective][size_class];
      for (const auto& [plan, calls] : cell.by_plan) sum.by_plan[plan] += calls;
      for (const auto& [why, calls] : cell.fallen_back) sum.fallen_back[why] += calls;
    }
    differences_[collective] += other.differences_[collective];
  }
  checked_ += other.checked_;
  for (const std::string& sentence : other.notes_) note(sentence);
}

std::string CallTally::lines_of(Collective collective) const {
  std::string lines;
  for (const auto& [size_class, cell] : cells_[index(collective)]) {
    const std::string sizes = class_text(size_class);
    for (const auto& [plan, calls] : cell.by_plan)
      lines += row(to_text(collective), sizes, calls, "ran " + plan);
    for (const auto& [why, calls] : cell.fallen_back)
      lines += row(to_text(collective), sizes, calls, "fell back to the MPI: " + why);
  }
  return lines;
}

std::string CallTally::text() const {
  std::string text;
  std::uint64_t differences = 0;
  for (std::uint32_t i = 0; i < kCollectiveCount; ++i) {
    text += lines_of(static_cast<Collective>(i));
    differences += differences_[i];
  }
  for (const std::string& note : notes_) text += "terrace: " + note + "\n";
  if (checked_ > 0)
    text += "terrace: checked " + std::to_string(checked_) + " calls against the MPI: " +
            (differences == 0 ? "no difference" : std::to_string(differences) + " differ") + "\n";
  return text;
}

}  // namespace terrace
