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

CallTally::Cell& CallTally::cell(Collective collective, CallKind kind, std::size_t bytes) {
  return cells_[static_cast<std::size_t>(kind)][index(collective)]
               [static_cast<std::size_t>(std::bit_width(bytes))];
}

void CallTally::count_run(Collective collective, std::size_t bytes, const std::string& plan,
                          std::optional<Reach> reach, CallKind kind) {
  ++cell(collective, kind, bytes).by_plan[reach ? plan + ", " + to_text(*reach) : plan];
}

void CallTally::add(const CallTally& other) {
  for (std::size_t collective = 0; collective < kAllCollectives; ++collective) {
    for (std::size_t kind = 0; kind < kCallKinds; ++kind)
      for (const auto& [size_class, cell] : other.cells_[kind][collective]) {
        Cell& sum = cells_[kind][collective][size_class];
        for (const auto& [plan, calls] : cell.by_plan) sum.by_plan[plan] += calls;
        for (const auto& [why, calls] : cell.fallen_back) sum.fallen_back[why] += calls;
      }
    differences_[collective] += other.differences_[collective];
  }
  checked_ += other.checked_;
  for (const std::string& sentence : other.notes_) note(sentence);
}

std::string CallTally::lines_of(Collective collective, CallKind kind) const {
  std::string lines;
  const std::string name = std::string(kind == CallKind::nonblocking ? "i" : "") +
                           to_text(collective) + (kind == CallKind::persistent ? "_init" : "");
  for (const auto& [size_class, cell] : cells_[static_cast<std::size_t>(kind)][index(collective)]) {
    const std::string sizes = class_text(size_class);
    for (const auto& [plan, calls] : cell.by_plan)
      lines += row(name.c_str(), sizes, calls, "ran " + plan);
    for (const auto& [why, calls] : cell.fallen_back)
      lines += row(name.c_str(), sizes, calls, "fell back to the MPI: " + why);
  }
  return lines;
}

std::string CallTally::text() const {
  std::string text;
  std::uint64_t differences = 0;
  for (std::uint32_t i = 0; i < kAllCollectives; ++i) {
    for (const CallKind kind : {CallKind::blocking, CallKind::nonblocking, CallKind::persistent})
      text += lines_of(static_cast<Collective>(i), kind);
    differences += differences_[i];
  }
  for (const std::string& note : notes_) text += "terrace: " + note + "\n";
  if (checked_ > 0)
    text += "terrace: checked " + std::to_string(checked_) + " calls against the MPI: " +
            (differences == 0 ? "no difference" : std::to_string(differences) + " differ") +
            " at this rank\n";
  return text;
}

}  // namespace terrace
