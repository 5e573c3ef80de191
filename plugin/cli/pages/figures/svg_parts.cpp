#include "plugin/cli/pages/figures/svg_parts.h"

#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"

namespace kindred::cli {

std::string svg_number(double value) { return fixed(value, 1); }

std::string svg_text(double x, double y, const std::string& classes, const std::string& text) {
  return "<text x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" class=\"" + classes +
         "\">" + escaped(text) + "</text>\n";
}

}  // namespace kindred::cli
