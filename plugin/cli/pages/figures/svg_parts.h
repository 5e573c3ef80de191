#pragma once

#include <string>
#include <string_view>

namespace kindred::cli {

// Parts of the drawings in reports, in units of the drawing.

/// A length or a place, to a tenth.
std::string svg_number(double value);

/// A text at a place. `classes`: of report_style.css. `text` is escaped here.
std::string svg_text(double x, double y, const std::string& classes, const std::string& text);

/// About the width of a text in font sizes. `text`: as shown() gives it. ASCII has the widths of
/// Helvetica Bold, ideographs are squares, and other letters take 0.6.
double text_width(std::string_view text);

}  // namespace kindred::cli
