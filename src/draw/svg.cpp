// SPDX-License-Identifier: BSD-3-Clause
// Writes SVG 1.1, restricted to what all viewers support.
#include "draw/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace terrace {

namespace {

/// Width of letters of size 1, in wide fonts.
constexpr double kLetterWidth = 0.6;

/// A letter beyond ASCII takes several bytes, of which all but the first are continuations.
bool begins_letter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
}

std::string attribute(const char* name, double value) {
  return ' ' + std::string(name) + "=\"" + drawn(value) + '"';
}

}  // namespace

const char* colour_of_distance(std::size_t index, std::size_t count) {
  static constexpr std::array<const char*, 5> kColours = {"#0072b2", "#009e73", "#b8860b",
                                                          "#d55e00", "#8e3a8e"};
  // With few kinds, those that differ most.
  static constexpr std::array<std::array<std::size_t, 4>, 4> kChosen = {
      {{0}, {0, 3}, {0, 1, 3}, {0, 1, 2, 3}}};
  if (count >= 1 && count <= kChosen.size()) return kColours[kChosen[count - 1][index % count]];
  return kColours[index % kColours.size()];
}

const char* colour_of_depth(std::size_t depth) {
  static constexpr std::array<const char*, 7> kColours = {
      "#e8eaed", "#cfe3f7", "#d5efd9", "#fdf0c4", "#f9d9c8", "#e5d8f3", "#d0efee"};
  return kColours[depth % kColours.size()];
}

std::string level_name(const std::string& level) {
  if (level == "numa") return "NUMA node";
  if (level == "pu") return "PU";
  const bool is_cache = level.size() == 2 && level[0] == 'l' && level[1] >= '1' && level[1] <= '9';
  return is_cache ? "L" + level.substr(1) : level;
}

std::string drawn(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&' || c == '<' || c == '>' || c == '"')
      result += "&#" + std::to_string(static_cast<int>(c)) + ';';
    else
      result += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c;  // XML has no others
  }
  return result;
}

double width_of(std::string_view text, double font_size) {
  const auto letters = std::count_if(text.begin(), text.end(), begins_letter);
  return kLetterWidth * font_size * static_cast<double>(letters);
}

std::string fitted(const std::string& text, double width, double font_size) {
  if (width_of(text, font_size) <= width) return text;
  const auto letters = static_cast<std::size_t>(std::max(0.0, width / (kLetterWidth * font_size)));
  if (letters < 5) return "";  // a letter or two say nothing
  std::size_t end = 0;
  for (std::size_t taken = 0; end < text.size(); ++end)
    if (begins_letter(text[end]) && ++taken == letters) break;
  return text.substr(0, end) + "\u2026";
}

void Svg::begin(const char* thing, std::string_view tooltip) {
  shapes_ += "<g class=\"" + std::string(thing) + "\"><title>" + escaped(tooltip) + "</title>";
}

void Svg::box(Point corner, double width, double height, std::string_view style) {
  shapes_ += "<rect" + attribute("x", corner.x) + attribute("y", corner.y) +
             attribute("width", std::max(width, 0.1)) + attribute("height", std::max(height, 0.1)) +
             ' ' + std::string(style) + "/>";
}

void Svg::line(Point from, Point to, std::string_view style) {
  shapes_ += "<line" + attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) +
             attribute("y2", to.y) + ' ' + std::string(style) + "/>";
}

/// The head is a shape of its own: viewers disagree on the colours of markers.
void Svg::arrow(Point from, Point to, const char* colour, std::string_view style) {
  constexpr double kLength = 7, kHalfWidth = 3;
  const double x = to.x - from.x, y = to.y - from.y, length = std::max(std::hypot(x, y), 0.1);
  const Point along = {x / length, y / length};
  const Point base = {to.x - along.x * kLength, to.y - along.y * kLength};
  line(from, base, "stroke=\"" + std::string(colour) + "\" " + std::string(style));
  const auto corner = [&](double side) {
    return ' ' + drawn(base.x - along.y * side) + ',' + drawn(base.y + along.x * side);
  };
  shapes_ += "<polygon points=\"" + drawn(to.x) + ',' + drawn(to.y) + corner(kHalfWidth) +
             corner(-kHalfWidth) + "\" fill=\"" + colour + "\"/>";
}

void Svg::dot(Point centre, double radius, const char* colour) {
  shapes_ += "<circle" + attribute("cx", centre.x) + attribute("cy", centre.y) +
             attribute("r", radius) + " fill=\"" + colour + "\"/>";
}

void Svg::text(std::string_view text, Point at, std::string_view style) {
  if (text.empty()) return;
  shapes_ += "<text" + attribute("x", at.x) + attribute("y", at.y) + ' ' + std::string(style) +
             '>' + escaped(text) + "</text>";
}

std::string Svg::document(double width, double height) const {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width) +
         attribute("height", height) + " viewBox=\"0 0 " + drawn(width) + ' ' + drawn(height) +
         "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"" + kInk +
         "\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + shapes_ + "</svg>\n";
}

}  // namespace terrace
