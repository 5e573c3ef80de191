#include "plugin/cli/pages/figures/svg_parts.h"

#include <array>
#include <cstdint>

#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/text_width.h"

namespace kindred::cli {
namespace {

// From a space on, in thousandths of the font size (Adobe's font metrics).
constexpr std::array<std::uint16_t, 95> kHelveticaBold = {
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667,
    611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556,
    278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584};

}  // namespace

std::string svg_number(double value) { return fixed(value, 1); }

std::string svg_text(double x, double y, const std::string& classes, const std::string& text) {
  return "<text x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" class=\"" + classes +
         "\">" + escaped(text) + "</text>\n";
}

double text_width(std::string_view text) {
  double width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at++;
    while (at < text.size() && (text[at] & 0xC0) == 0x80) ++at;  // the further bytes of UTF-8
    const auto first = static_cast<unsigned char>(text[begin]);
    if (first >= ' ' && first <= '~') {
      width += kHelveticaBold[first - ' '] / 1000.0;
    } else {
      const std::size_t columns = display_width(text.substr(begin, at - begin));
      width += columns == 2 ? 1 : 0.6 * static_cast<double>(columns);
    }
  }
  return width;
}

}  // namespace kindred::cli
