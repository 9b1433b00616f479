// SPDX-License-Identifier: BSD-3-Clause
// Proves a user's plan, in all the ways in which it can run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

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

struct ProvedFile {
  nlohmann::ordered_json json;
  std::string complaint;  ///< "": nothing is wrong
};

/// Refuses as `verb` does what is no file with a plan.
ProvedFile prove_file(const FileToProve& file, const Verb& verb);

}  // namespace terrace
