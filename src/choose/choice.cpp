// SPDX-License-Identifier: BSD-3-Clause
// Puts choices into words.
#include "choose/choice.hpp"

#include "base/bytes.hpp"

namespace terrace {

std::string to_text(const Choice& choice) {
  const bool has_strips = choice.strip_bytes != kWhole && choice.strip_bytes != 0;
  return std::string(choice.algorithm) + (has_strips ? strips_text(choice) : "") +
         depth_text(choice) + stores_text(choice);
}

std::string depth_text(const Choice& choice) {
  return choice.depth == 0 ? "" : ", groups of depth " + std::to_string(choice.depth) + " alone";
}

std::string strips_text(const Choice& choice) {
  return ", strips of " + bytes_text(choice.strip_bytes);
}

std::string stores_text(const Choice& choice) {
  std::string text;
  if (choice.avoids_lines) text += ", without lines";
  if (choice.streams) text += ", stored past the caches";
  if (choice.bounces) text += ", through scratch";
  if (choice.streams_scratch) text += ", to scratch past the caches";
  if (choice.scratch_span > kAtOnce)
    text += ", scratch used again after " + bytes_text(choice.scratch_span);
  return text;
}

}  // namespace terrace
