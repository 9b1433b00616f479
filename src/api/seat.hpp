// SPDX-License-Identifier: BSD-3-Clause
// A seat: what one rank of a team needs to make calls. Chooses a plan, keeps the parts it has run,
// runs them and waits. The C interface for threads and the preload for processes both sit on it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choose/choose.hpp"
#include "execute/run.hpp"
#include "plan/lower.hpp"

namespace terrace {

/// What is to be combined: how, and of what size. A null reduction is for copies only.
struct Elements {
  std::size_t count = 0;
  std::size_t bytes = 1;  ///< per element
  Reduction reduction = nullptr;
  bool in_rank_order = false;  ///< the operator does not commute
};

/// The plans that the seats of one process share, so that each is written and lowered once.
/// Safe to use from many threads.
class PlanShelf {
 public:
  explicit PlanShelf(Hierarchy hierarchy);
  ~PlanShelf();

  struct Key {
    std::string algorithm;
    Rank root = 0;
    std::uint32_t radix = 8;
    std::uint32_t ring = 2;
    bool in_rank_order = false;  ///< written over a flat hierarchy
    Lowering lowering = Lowering::lines;

    bool operator==(const Key&) const = default;
  };
  /// The part of `rank`; lives as long as the shelf. Null if the plan cannot be lowered so.
  const Part* part(const Key& key, Rank rank);
  const Hierarchy& hierarchy() const { return hierarchy_; }

  /// Hands in a proved plan (unlowered, over as many ranks as the hierarchy has) that is to run
  /// instead of the choice for calls of this collective (TERRACE_PLAN).
  void put_user_plan(Collective collective, Plan plan);
  bool has_user_plan(Collective collective) const;

 private:
  struct State;
  Hierarchy hierarchy_;
  std::unique_ptr<State> state_;
};

struct SeatOptions {
  Reach reach = Reach::bounced;  ///< how this rank shows its own buffers
  TeamTraits traits;             ///< the same on all ranks
  WaitPolicy waiting;
  World* world = nullptr;  ///< must outlive the seat
};

class Seat {
 public:
  /// `memory` and `shelf` must outlive the seat. `first_call` is the same on all ranks.
  Seat(const TeamMemory& memory, Rank rank, PlanShelf& shelf, const SeatOptions& options,
       std::uint64_t first_call = 0);

  // Each call is collective: every rank of the team makes it in the same order with the same
  // counts, sizes and root. False only after an overrun, which a proved plan does not have; the
  // team is then of no further use.
  bool barrier();
  /// `count * bytes` bytes from the root's `buffer` to everybody's.
  bool bcast(void* buffer, std::size_t bytes, Rank root);
  /// `input` may equal `output`. `output` is used at the root only.
  bool reduce(const void* input, void* output, const Elements& elements, Rank root);
  bool allreduce(const void* input, void* output, const Elements& elements);

  /// The algorithm that the last call ran, for reports ("" before the first).
  const std::string& last_plan() const;
  Rank rank() const { return member_.rank(); }

 private:
  /// What a call is looked up by, and what came of it.
  struct Entry {
    Question question;
    Rank root = 0;
    Choice choice;
    const Part* part = nullptr;
  };

  const Entry& entry_for(const Question& question, Rank root);
  Entry decide(const Question& question, Rank root);
  const Part* find_part(const Question& question, Rank root, const Choice& choice);
  bool run(Collective collective, const void* input, void* output, const Elements& elements,
           Rank root);

  Member member_;
  PlanShelf& shelf_;
  SeatOptions options_;
  std::array<std::vector<Entry>, kCollectiveCount> recent_;  ///< newest first, few
  const Part* last_part_ = nullptr;
};

}  // namespace terrace
