// SPDX-License-Identifier: BSD-3-Clause
// The opcodes of the plan language: for each kind of step how it is written, what it does and whom
// it waits for. The text form takes its words from here, and so does the page that `terrace plan
// --steps` prints, which is part of the site.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "plan/plan.hpp"

namespace terrace {

/// The text of a kind of step, and its meaning.
struct StepForm {
  StepKind kind = StepKind::reduce;
  std::string_view keyword;   ///< after `RANK:`; none for a reduction
  std::string_view operands;  ///< what follows it
  std::string_view written_by;
  std::string_view effect;
  std::string_view waits;    ///< whom its rank waits for before it begins
  std::string_view signal;   ///< what ranks look at that wait for it
  std::string_view example;  ///< a line of a plan
};

inline constexpr std::size_t kStepKindCount = 7;

/// In the order of StepKind.
std::span<const StepForm, kStepKindCount> step_forms();
const StepForm& form_of(StepKind kind);

/// A word of the language, and what it means.
struct PlanWord {
  std::string_view word, meaning;
};
/// The memories that regions lie in, in the order of Buffer.
std::span<const PlanWord> buffer_words();
/// When a wait counts, in the order of When.
std::span<const PlanWord> when_words();

/// The page, in Markdown.
std::string step_page();

}  // namespace terrace
