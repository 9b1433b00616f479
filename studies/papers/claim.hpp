// SPDX-License-Identifier: BSD-3-Clause
// The claims of the HPDC'13 and ParCo'18 papers, one by one, with the results of Terrace's models.
// One table (claims.cpp) has a row for each; the functions behind the rows are grouped by what they
// compute with. A claim's verdict follows from a rule that its row states, and no parameter is ever
// chosen so that the claim at hand comes true, except where the verdict is `fitted`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papers/box.hpp"

namespace terrace::papers {

/// In bytes.
inline constexpr double kLine = 64, kKiB = 1024;

enum class ClaimVerdict : std::uint8_t {
  reproduced,      ///< computed, and what the paper prints
  holds_in_box,    ///< true in nearly all of a stated box of parameters (`kMostOfTheBox`)
  fitted,          ///< true if one number is chosen so that it is; sensitivity stated
  not_reproduced,  ///< computed, and otherwise; or nothing that one could compute from
  needs_hardware,  ///< only programs or machines that are not here can decide
};

/// "holds-in-box"
std::string_view name_of(ClaimVerdict verdict);

/// A shape holds in a box if it holds at this share of its points. Set before any was counted.
inline constexpr double kMostOfTheBox = 0.9;
ClaimVerdict verdict_on(const BoxShare& share);

struct ClaimAnswer {
  ClaimVerdict verdict = ClaimVerdict::needs_hardware;
  std::string ours;
  std::optional<double> share = std::nullopt;  ///< of the box's points
  std::string box = {};                        ///< the parameters and their ranges, if there is one
};

struct PaperClaim {
  std::string_view id;       ///< "A2"
  std::string_view place;    ///< "HPDC'13 3.4"
  std::string_view paper;    ///< what it says
  std::string_view how;      ///< how Terrace's value is computed, and when it counts as reproduced
  std::string_view decides;  ///< what would settle it, or did
  ClaimAnswer (*answer)();
};

/// All of them, in the papers' order.
std::span<const PaperClaim> claims();

/// Nothing if there is no such claim. Upper and lower case are the same.
const PaperClaim* find_claim(std::string_view id);

/// "306.7": with so many digits behind the point.
std::string number_text(double number, int digits = 0);
/// "64 %"
std::string percent_text(double share);
/// "512 B", "16 KiB", "1.5 MiB"
std::string bytes_text(double bytes);
/// How much of the box, and which axis alone tells most of it.
std::string text_of(const BoxShare& share, const FactorBox& box);

}  // namespace terrace::papers
