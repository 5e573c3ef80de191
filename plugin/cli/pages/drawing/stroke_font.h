#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/cli/pages/drawing/point.h"

namespace kindred::cli {

/// The pen's width, in font sizes.
inline constexpr double kPenWidth = 0.105;

/// Strokes of a rounded sans-serif face for drawings without fonts. Each is a line of a pen with
/// round ends. Coordinates are in font sizes: x from the left end of the text, y downwards from the
/// baseline.
struct StrokedText {
  std::vector<std::vector<Point>> strokes;
  double width = 0;  ///< in font sizes
};

/// A text in strokes. The face has Latin letters, which lose their case and their marks, digits,
/// and the punctuation of names. Nothing if the text has other characters.
std::optional<StrokedText> stroke_text(std::string_view text);

/// The width of a text in font sizes: that of stroke_text() if there is one. Characters without
/// strokes count by the columns that they take on a terminal: 1 if wide, as ideographs are, else
/// 0.6 for each column. Common sans-serif faces are about as wide.
double text_width(std::string_view text);

}  // namespace kindred::cli
