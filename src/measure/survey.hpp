// SPDX-License-Identifier: BSD-3-Clause
// Measures a machine: the costs of its cores, caches and memory, and the costs between two cores of
// each distance, by threads of this process that it binds to cores.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "measure/summary.hpp"
#include "model/machine_model.hpp"

namespace terrace::measure {

/// A core, by one of its processing units.
struct CoreAt {
  std::uint32_t pu = 0;
  Locality place;
};

/// A copy through scratch, as in model::ScratchCopy.
struct CopySummary {
  double bytes = 0, span = 0;
  bool streams = false;
  Summary write, read;  ///< ns per line
};

/// Between two cores that share a resource of this level, and nothing nearer. Nanoseconds.
struct LinkSummary {
  std::string level;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< of PUs that were measured
  Summary signal, modified, exclusive, memory, ownership, further_line;
  std::vector<CopySummary> copies;
  std::vector<Summary> signals_by_pause;  ///< by PauseKind; empty where there is one kind
};

/// Nanoseconds, of a core that does nothing else; lines of `kLineBytes`.
struct CoreSummary {
  Summary clock;  ///< cycles per nanosecond
  Summary call, step, look, publish, combine, copy, yield;
};

struct CacheSummary {
  double bytes = 0;
  Summary latency, line, shared_line;
};

struct MemorySummary {
  Summary latency, core_bandwidth, bandwidth, streamed_store;  ///< bandwidths in bytes per ns
};

/// Findings made while signals between two cores took about as long.
struct Findings {
  CoreSummary core;
  std::vector<CacheSummary> caches;
  MemorySummary memory;
  std::vector<LinkSummary> links;  ///< from near to far
};

struct SurveyPlan {
  std::vector<CoreAt> cores;                               ///< that may be used; at least two
  std::vector<double> cache_bytes;                         ///< from the core outwards
  std::vector<std::vector<std::uint32_t>> memory_sharers;  ///< PUs by NUMA node
  double seconds = 20;                                     ///< for what lies between cores
  std::function<void(double share, const std::string& what)> progress;
  const std::atomic<bool>* is_stopped = nullptr;
};

/// Whether this process may bind its threads to these cores: a sentence if not.
std::string why_not_measurable(const SurveyPlan& plan);

/// One set, or two where the cores of a virtual machine were near at one time and far at another.
/// Quantities that an interrupt left unmeasured have empty summaries (count 0).
std::vector<Findings> survey(const SurveyPlan& plan);

}  // namespace terrace::measure
