// SPDX-License-Identifier: BSD-3-Clause
// What is timed: Terrace, the floors and the peers behind one interface, so that batches of each
// can take turns on the same threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "crew.hpp"
#include "engine/team_endpoint.hpp"

namespace terrace::bench {

/// Vectors of doubles, one input and one output per rank; in threads every rank sees them all. Of
/// collectives with blocks, each has a block for each rank, and who brings or gets one block has it
/// where its number says.
struct Vectors {
  std::vector<double*> inputs;
  std::vector<double*> outputs;
  std::size_t count = 0;  ///< elements of one block

  std::size_t bytes() const { return count * sizeof(double); }
};

/// The place where a contender leaves its result.
enum class Leaves : std::uint8_t {
  outputs,     ///< as the collective demands
  one_output,  ///< in rank 0's output alone, added to what is there
};

class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string name() const = 0;
  virtual Leaves leaves() const { return Leaves::outputs; }
  /// Once per rank before anything is timed.
  virtual void prepare(Rank) {}
  /// One call of the collective by one rank. The root is rank 0.
  virtual void call(Rank rank, const Vectors& vectors) noexcept = 0;
  /// Names what ran, for those who choose.
  virtual std::string plan() const { return ""; }
};

using Contenders = std::vector<std::unique_ptr<Contender>>;

/// The engine behind its endpoints, which choose, or all run what is `forced` on them.
std::unique_ptr<Contender> make_ours(const Crew& crew, Collective collective, Reach reach,
                                     const Choice* forced = nullptr);
/// Makes our contender for ranks that are so far apart.
std::unique_ptr<Contender> make_ours(const Crew& crew, const Hierarchy& hierarchy,
                                     Collective collective, Reach reach, const Choice& forced);

/// The floors of a collective at a size: bare exchanges of lines where the vector fits some lines,
/// otherwise the least memory traffic in several forms, of which the fastest counts.
Contenders make_floors(Crew& crew, Collective collective, std::size_t bytes);

/// The floors of collectives with a block per rank, and of scans.
Contenders make_block_floors(Crew& crew, Collective collective, std::size_t bytes);

/// Whatever OpenMP offers for the same purpose, or what one writes with it where it offers nothing;
/// empty where it is not built in.
Contenders make_openmp_peers(Collective collective, Rank ranks);

/// Makes the peers that are written in Fortran; in the program bench_teams only, so that the
/// command needs no Fortran.
Contenders make_fortran_peers(Collective collective);

}  // namespace terrace::bench
