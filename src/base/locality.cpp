// SPDX-License-Identifier: BSD-3-Clause
// The text form of a locality, which ranks exchange and commands print.
#include "base/locality.hpp"

#include <string_view>

#include "base/number.hpp"

namespace terrace {
namespace {

Error bad_place(const std::string& text, std::string_view place) {
  return {ErrorCode::argument, "the locality '" + text + "' has the place '" + std::string(place) +
                                   "': expected LEVEL:NUMBER, as in node:0/package:1/core:17"};
}

/// Level names become parts of file names and command lines, so only these characters are allowed.
bool is_level_name(std::string_view name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

}  // namespace

std::string to_text(const Locality& locality) {
  std::string text;
  for (const LevelPlace& place : locality.places) {
    if (!text.empty()) text += '/';
    text += place.level + ':' + std::to_string(place.index);
  }
  return text;
}

Result<Locality> locality_from_text(const std::string& text) {
  Locality locality;
  if (text.empty()) return locality;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t slash = rest.find('/');
    more = slash != std::string_view::npos;
    const std::string_view place = rest.substr(0, slash);
    const std::size_t colon = place.find(':');
    if (colon == std::string_view::npos || !is_level_name(place.substr(0, colon)))
      return bad_place(text, place);
    const auto index = number_from_text<std::uint64_t>(place.substr(colon + 1));
    if (!index) return bad_place(text, place);
    locality.places.push_back({std::string(place.substr(0, colon)), *index});
    if (more) rest.remove_prefix(slash + 1);
  }
  return locality;
}

std::string cut_to(std::size_t most, std::string locality) {
  while (locality.size() > most) {
    const std::size_t last = locality.find_last_of('/');
    locality.resize(last == locality.npos ? 0 : last);
  }
  return locality;
}

}  // namespace terrace
