// SPDX-License-Identifier: BSD-3-Clause
// The papers' figures as curves, as far as Terrace's models can draw them: its plans simulated on
// the papers' machines, or equations with parameters from the middle of the box.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace terrace::papers {

struct Curve {
  std::string name;
  std::vector<double> x, y;
  bool is_dashed = false;  ///< an equation next to simulations
};

struct Figure {
  std::string name;  ///< "hpdc13-10", after the paper's number
  std::string title;
  std::string x_label, y_label;
  std::vector<Curve> curves;
};

/// Errors: argument, where the machine files are not found beside the command.
Result<std::vector<Figure>> figures();

}  // namespace terrace::papers
