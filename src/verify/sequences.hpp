// SPDX-License-Identifier: BSD-3-Clause
// Sequences of calls on one team: whatever calls follow each other, no rank writes its lines or its
// scratch for one call while a peer may still touch them for an earlier one (Invariant S). Each
// call is executed alone, by its waits; its last accesses are then compared with the first accesses
// of every other call.
//
//     A   rank 1 reads rank 0's line       the last call that used this place
//     B   ...                              a call in between that uses other places, or none
//     C   rank 0 writes it again           does it know by then that rank 1 has read it?
//
// Rank 0 knows what it heard in A and in B. Unless B's contract says that it heard from all ranks,
// it waits at entry until the readers that A's contract names have returned from A.
//
// Nothing is assumed about where uses lie: any line of C may be any line of A, and all scratch
// overlaps, so the proof holds for any number of slots and any way of taking them in turn. Longer
// sequences need no more: each further call adds to what ranks know, and whether a rank waits at
// entry depends on A and on one later call in which it heard from all. In a call that falls back
// to the MPI no rank hears anything, so it counts as if it were not there.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "verify/execution.hpp"
#include "verify/verify.hpp"

namespace terrace {

/// All the calls of a team, and the proof that they can follow each other in any order.
class Sequences {
 public:
  static constexpr Rank kMostRanks = 64;

  explicit Sequences(Rank ranks);

  /// Adds the calls of a plan that is proved: with no bytes, with one strip and with several, under
  /// every mix of reach that `verify` plays. `contracts` are what its ranks go by afterwards.
  /// Errors: argument (does not fit the team or the plan), unsupported (the plan is wrong).
  Result<bool> add(const Plan& plan, std::span<const CallContract> contracts,
                   const VerifyOptions& options = {});

  /// A and C for all ordered pairs, C right after A. How many pairs; or one sentence that names the
  /// ranks and calls of the first fault found.
  Result<std::uint64_t> prove_pairs() const;
  /// A, B and C for all ordered triples; likewise.
  Result<std::uint64_t> prove_triples() const;

  /// Number of calls added, each mix of reach counted as one, including the one that falls back to
  /// the MPI.
  std::uint64_t calls() const { return calls_; }

 private:
  /// A bit for each rank.
  using Ranks = std::uint64_t;

  /// Memory of one rank that others touch: its lines, or its scratch.
  struct Place {
    Rank owner = 0;
    bool is_line = false;

    auto operator<=>(const Place&) const = default;
  };
  /// A last access of a call: one rank's last touch of a place.
  struct Touch {
    Place place;
    Rank by = 0;
    Ranks known_to = 0;  ///< who knows when returning that it is over
    Ranks awaited = 0;   ///< whose returns the owner awaits before it uses the place again

    auto operator<=>(const Touch&) const = default;
  };
  /// The knowledge that ranks have of each other when they return from a call.
  struct Hearing {
    std::vector<Ranks> entered;  ///< per rank: who has entered
    Ranks claims_all = 0;        ///< whose contract says that all have

    auto operator<=>(const Hearing&) const = default;
  };
  /// The first thing a call does with a place, and who has entered for certain by then.
  struct Rewriting {
    Place place;
    Rank by = 0;
    Ranks entered = 0;

    auto operator<=>(const Rewriting&) const = default;
  };

  /// The knowledge that lies between A's returns and a rewriting in C.
  struct Between {
    Ranks heard = 0;          ///< whose returns from A are known to those who have entered C
    bool claims_all = false;  ///< the owner has heard from all, so it waits for no reader

    auto operator<=>(const Between&) const = default;
  };

  void note(const Plan& plan, const Execution& execution, std::span<const CallContract> contracts,
            const std::string& call);
  void note_touch(const Execution& execution, Touch touch, std::uint32_t last,
                  const std::string& call);
  void note_scratch(const Execution& execution, const CallContract& contract, Rank owner,
                    const std::string& call);
  void note_lines(const Plan& plan, const Execution& execution, const CallContract& contract,
                  Rank owner, const std::string& call);
  template <class What>
  using Entry = std::pair<const What, std::string>;
  using Touches = std::map<Touch, std::string>;
  const Touches& touches_of(const Place& place) const;
  std::string fault(const Entry<Touch>& touch, const Entry<Rewriting>& rewriting) const;
  std::map<Between, std::string> betweens(const Rewriting& rewriting) const;
  static bool is_ordered(const Touch& touch, const Rewriting& rewriting, const Between& between);

  Rank ranks_;
  std::uint64_t calls_ = 1;  ///< the one that falls back to the MPI
  // Each with the name of the first call that does it: calls that look alike need one proof.
  std::map<Place, Touches> touches_;
  std::map<Hearing, std::string> hearings_;
  std::map<Rewriting, std::string> rewritings_;
};

}  // namespace terrace
