// SPDX-License-Identifier: BSD-3-Clause
// Claims that compare the model with measurements of which the papers print a number or two: true
// for one choice of one parameter. Reports which parameter, how sensitive the claim is to it, and
// what the choice implies elsewhere.
#pragma once

#include <optional>

#include "papers/claim.hpp"
#include "papers/parameters.hpp"

namespace terrace::papers {

inline constexpr double kMeasuredOnWestmere = 339.8, kMeasuredOnMagnyCours = 647.4;  // ns

/// How much longer the tree takes than tiles: in one of the forms of (1), less (11).
using Difference = double (*)(const model::hpdc13::Costs&, double m);
double beyond_tiles_on_westmere(const model::hpdc13::Costs&, double m);  ///< as 3.4 unfolds it
double beyond_tiles_on_westmere_by_text(const model::hpdc13::Costs&, double m);
double beyond_tiles_on_magny_cours(const model::hpdc13::Costs&, double m);  ///< by the text

/// The B_alpha between b_alpha / q and b_alpha with which tree and tiles take as long at m lines,
/// the other parameters being given. Nothing if there is none.
std::optional<double> fitted_B_alpha(model::hpdc13::Costs parameters, double q, double m,
                                     Difference);

/// The length in lines from which tiles are not slower than the tree; infinite if there is none up
/// to 2^30.
double crossover(const model::hpdc13::Costs& parameters, Difference);

ClaimAnswer measured_line();                                              // A3
ClaimAnswer errors_below_5_percent();                                     // A5
ClaimAnswer crossovers(double bytes_westmere, double bytes_magny_cours);  // A6

}  // namespace terrace::papers
