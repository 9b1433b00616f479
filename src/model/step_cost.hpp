// SPDX-License-Identifier: BSD-3-Clause
// The cost of one step that begins at a given time: the lines of its operands in flight, its own
// work, its targets. Only for this folder.
#pragma once

#include <vector>

#include "model/cost.hpp"
#include "model/distances.hpp"
#include "model/scratch_copies.hpp"
#include "model/values.hpp"
#include "plan/rank_program.hpp"

namespace terrace::model {

/// The vector as the strips cut it.
struct StripSizes {
  double bytes = 0, strip_bytes = 0;
  std::uint32_t strips = 1;
  double size(std::uint32_t strip) const;
};

class StepCost {
 public:
  StepCost(const RankDistances& distances, std::span<const RankProgram> parts,
           const CostQuestion& question, StripSizes cut, std::uint32_t slots);

  /// When the step's work, begun at `begin`, is done; what takes the time is added to `spent`.
  double perform(const RankProgram& part, const Instruction& step, std::uint32_t strip,
                 double begin, std::vector<CostPart>& spent);

  /// Returns the bytes that a step sends.
  double bytes_of(const RankProgram& part, const Instruction& step, std::uint32_t strip) const;
  double& free(Server server) { return free_[server]; }

  std::vector<double> bytes;  ///< by distance
  double memory_bytes = 0;

 private:
  /// Costs that a step gathers while its regions are walked over.
  struct Work {
    Rank rank = 0;
    double begin = 0;
    double longest = 0;     ///< latency of the slowest first line
    std::uint32_t far = 0;  ///< its distance
    double further = 0;     ///< the first lines that overlap with it
    double lines = 0;       ///< the lines behind
    std::uint32_t lines_far = 0;
    double readers = 0;      ///< waiting for those who read the same line
    double ownership = 0;    ///< of the first line, at the furthest
    double owned_lines = 0;  ///< those behind, one place after the other
    std::uint32_t owned_far = 0;
    double passed_on = 0;    ///< of all that was taken away: what was measured with its loads
    double memory = 0;       ///< more than `lines` would take, for what is in no cache
    double first_own = 0;    ///< first lines of the own caches
    double own = 0;          ///< the rest of the own work
    double links_free = 0;   ///< when the last link has passed all
    double value_lines = 0;  ///< of the longest operand
  };

  void read(const ProgramRegion& region, std::uint32_t strip, Work& work);
  void write(const ProgramRegion& region, std::uint32_t strip, Work& work);
  void read_value(CostValue& value, const ProgramRegion& region, double lines, Work& work);
  void read_line(const ProgramRegion& region, double size, Work& work);
  void mark_read(CostValue& value, const Work& work) const;
  void fetch(Rank supplier, bool is_modified, double lines, double in_memory, bool is_users,
             CostValue& value, Work& work);
  double lines_behind(const Distance& distance, Rank supplier, double lines, bool is_users,
                      double latency) const;
  void pass(ServerPath way, const Distance& distance, double lines, double latency, Work& work);
  void from_memory(Rank home, double lines, Work& work);
  void occupy_memory(Rank home, double lines, Work& work);
  bool own_lines(const CostValue& value, const ProgramRegion& region, double lines, bool is_users,
                 bool streams, Work& work);
  void own_passage(const Distance& distance, double lines, bool is_users, bool streams,
                   double asked, Work& work);
  PassageCost passage(const Distance& distance, double lines, bool is_users, bool streams) const;
  double asked_for(Rank rank, double lines);
  void find_kept(Rank rank);
  std::uint32_t distance_to_domain(Rank rank, int domain) const;
  void mark_written(const ProgramRegion& region, std::uint32_t strip, Rank writer);
  double receive(const RankProgram& part, const Instruction& step, std::uint32_t strip,
                 double begin, std::vector<CostPart>& spent);
  double finish(Work& work, std::vector<CostPart>& spent) const;

  double lines_of(const ProgramRegion& region, std::uint32_t strip) const;
  Rank nearest_holder(Rank reader, const CostValue& value) const;
  double missing(Rank rank, const CostValue& value, bool is_users) const;
  double own_line(Rank rank) const;
  double own_first(Rank rank) const;
  bool counts_all() const { return question_.account == Account::all; }

  const RankDistances& distances_;
  const MachineModel& model_;
  const CostQuestion& question_;
  StripSizes cut_;
  CostValues values_;
  std::vector<double> free_;                       ///< by server
  std::vector<double> users_kept_, scratch_kept_;  ///< by rank: the share in its first cache
  double span_ = 0;                                ///< of scratch, until a line comes round again
  std::vector<double> asked_;     ///< by rank: lines of scratch that can be written at once
  std::vector<double> own_line_;  ///< by rank: a line of its own in the caches that it lies in
  std::vector<double> call_missing_, strip_missing_;  ///< by domain: the share that is in no cache
};

}  // namespace terrace::model
