// SPDX-License-Identifier: BSD-3-Clause
// Times ways to make a call on this machine, as a team of threads or of processes makes it: for
// `terrace tune` and `terrace explain --timed`. Times are kept apart by how far the cores were from
// each other meanwhile, since the cores of a virtual machine move.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/chooser.hpp"
#include "measure.hpp"
#include "measure/team_probe.hpp"

namespace terrace::bench {

/// The machine at some time, as the ranks saw it.
struct Sight {
  double probe_ns = 0;          ///< of `Crew::probe`
  std::vector<double> signals;  ///< ns, from near to far
  model::MachineCosts costs;
  std::shared_ptr<Chooser> chooser;  ///< what a team would have that is told of no tuning
};

/// Times of calls while the machine was in one sight.
struct TimedWays {
  std::size_t sight = 0;
  std::vector<std::vector<double>> us;  ///< of each way's batches, per call
};

class WayTimer {
 public:
  /// Ranks at these places of the machine, in the order of the PUs that this process may use, and
  /// no more of them than PUs.
  WayTimer(std::span<const Locality> places, bool are_threads);
  ~WayTimer();

  /// Looks how far the ranks are from each other now: measures what is not known of such a machine,
  /// and remembers it. Its number in `sights`; nothing: they could not be seen.
  std::optional<std::size_t> look();
  /// Looks again while something else runs on the ranks' cores, for some seconds.
  std::optional<std::size_t> look_patiently();
  const std::vector<Sight>& sights() const { return sights_; }
  /// Lists levels from near to far.
  std::vector<std::string> levels() const;
  bool are_threads() const { return are_threads_; }
  Rank ranks() const { return crew_.ranks(); }

  /// Lets the ways take turns. Nothing for batches in which the machine changed or was not known,
  /// or a rank lost its core. Errors: system, if a way gives a wrong result.
  Result<std::vector<TimedWays>> time(Collective collective, std::size_t bytes,
                                      std::span<const Choice> ways, double seconds);

 private:
  struct Probes;

  std::optional<std::size_t> sight_of(const Sample& sample) const;

  Hierarchy hierarchy_;
  bool are_threads_;
  Crew crew_;
  std::unique_ptr<Probes> probes_;
  std::vector<Sight> sights_;
};

}  // namespace terrace::bench
