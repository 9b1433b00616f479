// SPDX-License-Identifier: BSD-3-Clause
// Proves a user's plan, or that of a graph, in all the ways in which it can run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "graph_call.hpp"
#include "plan/plan.hpp"
#include "refusals.hpp"

namespace terrace {

struct FileToProve {
  std::string path;
  std::string collective;  ///< what it is to do; "": the first word of its plan's name
  std::string root;
  Rank most_ranks = 0;
  bool prints = true;
};

struct ProvedPlan {
  nlohmann::ordered_json json;
  std::string complaint;  ///< "": nothing is wrong
};

/// Refuses as `verb` does what is no file with a plan.
ProvedPlan prove_file(const FileToProve& file, const Verb& verb);

/// Proves the plan of a graph as calls run it. Refuses a graph whose plan cannot be lowered.
ProvedPlan prove_on_graph(const GraphCall& call, bool prints, const Verb& verb);

}  // namespace terrace
