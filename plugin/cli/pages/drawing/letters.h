#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plugin/cli/pages/drawing/point.h"

namespace kindred::cli {

/// The baseline of a line is so far below its middle, in font sizes.
inline constexpr double kBaseline = 0.36;

/// A line of a name, ready to be drawn. Lengths are in lattice units.
struct PlacedLine {
  std::uint32_t topic = 0;  ///< its number
  std::string text;         ///< as it may be shown
  Point middle;
  double size = 0;   ///< of the font
  double width = 0;  ///< that the text may take
};

/// The letters that a drawing has.
class Letters {
 public:
  virtual ~Letters() = default;
  /// The width of a text in font sizes; nothing if letters of it are missing.
  virtual std::optional<double> width(const std::string& text) const = 0;
};

/// Those of a program that draws the text later, with fonts of its own: none is missing, and widths
/// are those of common faces.
class ViewerLetters : public Letters {
 public:
  std::optional<double> width(const std::string& text) const override;
};

}  // namespace kindred::cli
