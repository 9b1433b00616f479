// SPDX-License-Identifier: BSD-3-Clause
// The JSON library throws; callers of this file never see an exception.
#include "model/json_text.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <vector>

namespace terrace::model {

using nlohmann::json;

namespace {

/// "line 3, column 7" of a place in the text.
std::string place_in(const std::string& text, std::size_t bytes) {
  const std::string_view before = std::string_view(text).substr(0, std::min(bytes, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return "line " + std::to_string(line) + ", column " +
         std::to_string(std::max<std::size_t>(1, before.size() - start));
}

/// The reason within what the library says: "[json...] parse error at line 3, column 7: REASON".
std::string reason_of(const std::string& what) {
  const std::size_t colon = what.find(": ");
  std::string reason = colon == std::string::npos ? what : what.substr(colon + 2);
  if (reason.size() > 200) reason = reason.substr(0, 200) + "...";
  for (char& letter : reason)
    if (static_cast<unsigned char>(letter) > '~') letter = '?';  // half a letter, perhaps
  return printable(std::move(reason));
}

/// "...number overflow parsing '1e400'": where that number is, which the library does not say.
std::string too_large_in(const std::string& text, const std::string& what) {
  const std::size_t begin = what.find('\''), end = what.rfind('\'');
  if (begin == std::string::npos || end <= begin + 1) return ": " + reason_of(what);
  const std::string number = what.substr(begin + 1, end - begin - 1);
  return ", " + place_in(text, text.find(number) + 1) + ": the number " +
         printable(number.substr(0, 40)) + " is too large";
}

/// No part of our files lies deeper; printing a value in a complaint goes down as deep as it is.
constexpr int kMostDepth = 8;

/// Looks for what the library lets pass: keys that come twice in an object, and any depth.
struct StructureCheck {
  std::vector<std::set<std::string>> open;  ///< keys of the objects that are open
  std::string found;
  bool is_too_deep = false;

  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    is_too_deep = is_too_deep || depth > kMostDepth;
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end && !open.empty()) open.pop_back();
    if (event == json::parse_event_t::key && !open.empty() &&
        !open.back().insert(parsed.get<std::string>()).second && found.empty())
      found = parsed.get<std::string>();
    return true;
  }
};

}  // namespace

std::string shortened(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() <= 40 ? text : text.substr(0, 40) + "...";
}

std::string printable(std::string text) {
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < ' ' || letter == 0x7f) letter = '?';
  return text;
}

Result<json> json_from(const std::string& text, const std::string& origin) {
  StructureCheck check;
  try {
    json file = json::parse(text, std::ref(check));
    if (check.found.empty() && !check.is_too_deep) return file;
  } catch (const json::parse_error& error) {
    return Error{ErrorCode::argument,
                 origin + ", " + place_in(text, error.byte) + ": " + reason_of(error.what())};
  } catch (const json::exception& error) {  // a number beyond what a double holds
    return Error{ErrorCode::argument, origin + too_large_in(text, error.what())};
  }
  if (check.is_too_deep)
    return Error{ErrorCode::argument, origin + ": more than " + std::to_string(kMostDepth) +
                                          " brackets inside each other"};
  return Error{ErrorCode::argument,
               origin + ": key '" + check.found.substr(0, 60) + "' comes twice in one object"};
}

}  // namespace terrace::model
