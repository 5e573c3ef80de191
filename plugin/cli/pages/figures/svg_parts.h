#pragma once

#include <string>

namespace kindred::cli {

// Parts of the drawings in reports, in units of the drawing.

/// A length or a place, to a tenth.
std::string svg_number(double value);

/// A text at a place. `classes`: of report_style.css. `text` is escaped here.
std::string svg_text(double x, double y, const std::string& classes, const std::string& text);

}  // namespace kindred::cli
