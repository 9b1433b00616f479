// SPDX-License-Identifier: BSD-3-Clause
// Shapes and text for pictures that any browser shows.
#pragma once

#include <string>
#include <string_view>

namespace terrace {

struct Point {
  double x = 0, y = 0;
};

inline constexpr const char* kInk = "#202124";    ///< letters
inline constexpr const char* kFaint = "#5f6368";  ///< borders, lesser letters

/// Returns a colour for a distance, from near to far, told apart by all eyes: at `index` of `count`
/// kinds.
const char* colour_of_distance(std::size_t index, std::size_t count);
/// Light ones for the insides of boxes that lie in each other.
const char* colour_of_depth(std::size_t depth);

/// "NUMA node", "L3", "package": a level for people.
std::string level_name(const std::string& level);

/// "12.5": to a tenth, as a picture needs no more.
std::string drawn(double number);
std::string escaped(std::string_view text);

/// Returns how wide letters of such a size may become, whatever the viewer's font.
double width_of(std::string_view text, double font_size = 12);

/// The text, or as much as has room, with an ellipsis; "" if that is hardly any.
std::string fitted(const std::string& text, double width, double font_size = 12);

/// Collects shapes; what comes later lies on top. Styles are attributes: "fill=\"none\"".
class Svg {
 public:
  /// Until `end`, shapes are of one thing; it shows `tooltip`.
  void begin(const char* thing, std::string_view tooltip);
  void end() { shapes_ += "</g>\n"; }

  void box(Point corner, double width, double height, std::string_view style);
  void line(Point from, Point to, std::string_view style);
  void arrow(Point from, Point to, const char* colour, std::string_view style = "");
  void dot(Point centre, double radius, const char* colour);
  /// Begins at the point; `text-anchor="middle"` centres it.
  void text(std::string_view text, Point at, std::string_view style = "");

  /// The whole file, on white.
  std::string document(double width, double height) const;

 private:
  std::string shapes_;
};

inline constexpr const char* kCentred = "text-anchor=\"middle\"";

}  // namespace terrace
