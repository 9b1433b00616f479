// SPDX-License-Identifier: BSD-3-Clause
// The ways to run a call that are worth comparing. A new algorithm is among them as soon as it has
// a row in the table.
#pragma once

#include <optional>
#include <vector>

#include "choose/choice.hpp"
#include "model/machine_model.hpp"

namespace terrace {

/// The call and the team that candidates are made for.
struct CandidateQuestion {
  Question question;
  TeamTraits traits;
  bool is_direct = false;          ///< users' buffers can be reached in this call
  std::vector<std::size_t> spans;  ///< see `spans_on`
  std::size_t second_cache = 0;    ///< bytes; see `second_cache_of`
  /// Depths of the machine's groups that an algorithm may see alone; see `depths_of`.
  std::vector<std::uint32_t> depths;
  bool with_by_name = false;  ///< also algorithms that are there by name only
};

/// Lists how far scratch may move on before it is used again: not at all; so far that what was
/// written there has left the second cache; and four times as far. No further than scratch reaches.
std::vector<std::size_t> spans_on(const model::MachineModel&, std::size_t scratch_bytes);

/// The size of a core's second cache in bytes, or 0 if it has none.
std::size_t second_cache_of(const model::MachineModel&);

/// Whether some rank may complete calls of this collective that others have not begun.
bool lets_ranks_run_ahead(Collective);

/// Depths that have groups of several ranks, if there are more than one such depth.
std::vector<std::uint32_t> depths_of(const Hierarchy&);

/// A few ways for each algorithm: enough to tell which are worth a closer look.
std::vector<Choice> first_candidates(const CandidateQuestion&);

/// Varies a choice: the same algorithm with other operands a step, strips, rings and spans.
std::vector<Choice> variations_of(const Choice&, const CandidateQuestion&);

/// Lists the choice as it is, and with the machine's groups of each depth alone.
std::vector<Choice> at_each_depth(const Choice&, const CandidateQuestion&);

/// All variations of all algorithms, at each depth, with few and many operands a step.
std::vector<Choice> all_candidates(const CandidateQuestion&);

/// Whether both give the same bits in a call that combines, at any number of ranks.
bool have_same_bits(const Question& question, const Choice& one, const Choice& other, Rank ranks);

/// Chooses a way to run such a call where all ranks pull; nothing where that is not worth a try.
/// Its plan does nothing with peers' buffers but copy from them.
std::optional<Choice> pulled_choice(const Question& question, const TeamTraits& traits);

}  // namespace terrace
