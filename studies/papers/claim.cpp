// SPDX-License-Identifier: BSD-3-Clause
// Prints verdicts and numbers.
#include "papers/claim.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

namespace terrace::papers {

std::string_view name_of(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::reproduced:
      return "reproduced";
    case ClaimVerdict::holds_in_box:
      return "holds-in-box";
    case ClaimVerdict::fitted:
      return "fitted";
    case ClaimVerdict::not_reproduced:
      return "not-reproduced";
    case ClaimVerdict::needs_hardware:
      return "needs-hardware";
  }
  return "";
}

ClaimVerdict verdict_on(const BoxShare& share) {
  return share.fraction() >= kMostOfTheBox ? ClaimVerdict::holds_in_box
                                           : ClaimVerdict::not_reproduced;
}

const PaperClaim* find_claim(std::string_view id) {
  const auto same = [](char a, char b) {
    return std::toupper(static_cast<unsigned char>(a)) ==
           std::toupper(static_cast<unsigned char>(b));
  };
  for (const PaperClaim& claim : claims())
    if (std::ranges::equal(claim.id, id, same)) return &claim;
  return nullptr;
}

std::string number_text(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

std::string percent_text(double share) {
  if (share > 0.995 && share < 1) return "more than 99 %";
  if (share > 0 && share < 0.005) return "less than 1 %";
  return number_text(100 * share) + " %";
}

std::string bytes_text(double bytes) {
  if (!std::isfinite(bytes)) return "any size";
  const auto with_unit = [](double number, const char* unit) {
    return number_text(number, number < 10 && number != std::floor(number) ? 1 : 0) + unit;
  };
  if (bytes < 1024) return with_unit(bytes, " B");
  if (bytes < 1024 * 1024) return with_unit(bytes / 1024, " KiB");
  return with_unit(bytes / 1024 / 1024, " MiB");
}

std::string text_of(const BoxShare& share, const FactorBox& box) {
  std::string text = percent_text(share.fraction()) + " of the box";
  const std::size_t known_without = std::max(share.holds, share.of - share.holds);
  if (share.right == known_without) return text;
  return text + " (mostly where " + box.axes[share.axis].name +
         (share.holds_below ? " < " : " > ") + number_text(share.threshold, 2) +
         ", which alone tells " +
         percent_text(static_cast<double>(share.right) / static_cast<double>(share.of)) +
         " of the points)";
}

}  // namespace terrace::papers
