#include "plugin/cli/pages/reports/report_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"

namespace kindred::cli {
namespace {

constexpr double kHeats = 10;  // shades of report_style.css, besides no shade

/// The caption stands before the box, since it would scroll with the table.
std::string begin_box(const std::string& caption, std::string_view table) {
  const std::string text = escaped(caption);
  return "<p class=\"soft caption\">" + text +
         "</p>\n<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"" + text + "\">\n" +
         std::string(table) + "<thead><tr>";
}

// From a space on, in thousandths of the font size (Adobe's font metrics).
constexpr std::array<std::uint16_t, 95> kHelveticaBold = {
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667,
    611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556,
    278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584};

}  // namespace

const std::string_view kEndTable = "</tbody></table>\n</div>\n";

std::string begin_report(const std::string& title, const std::string& subject) {
  return "<title>" + escaped(title) + "</title>\n</head>\n<body>\n<main>\n<h1>" + escaped(title) +
         "</h1>\n<p class=\"soft\">" + escaped(subject) + "</p>\n";
}

std::string tiles(const std::vector<Tile>& tiles) {
  std::string html = "<dl class=\"tiles\">\n";
  for (const Tile& tile : tiles) {
    html += "<div><dt>" + escaped(tile.name) + "</dt><dd>" + escaped(tile.value) + "</dd></div>\n";
  }
  return html + "</dl>\n";
}

std::string name_html(const std::string& text) {
  const std::string safe = escaped(text);
  return "<span class=\"name\" title=\"" + safe + "\">" + safe + "</span>";
}

std::string begin_table(const std::string& caption, const std::vector<TableColumn>& columns) {
  std::string html = begin_box(caption, "<table>");
  for (const TableColumn& column : columns) {
    html += std::string("<th scope=\"col\"") + (column.starts_left ? " class=\"text\">" : ">") +
            escaped(column.head) + "</th>";
  }
  return html + "</tr></thead>\n<tbody>\n";
}

std::string begin_matrix(const std::string& caption, const std::vector<std::string>& columns) {
  std::string html = begin_box(caption, "<table class=\"matrix\">");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string text = escaped(columns[i]);
    html += "<th scope=\"col\">";
    html += i == 0 ? text : "<span class=\"turned\" title=\"" + text + "\">" + text + "</span>";
    html += "</th>";
  }
  return html + "</tr></thead>\n<tbody>\n";
}

std::string row_html(const std::string& name, const std::string& cells) {
  return "<tr><th scope=\"row\">" + name_html(name) + "</th>" + cells + "</tr>\n";
}

std::string cell_html(std::uint64_t count) { return "<td>" + std::to_string(count) + "</td>"; }

std::string cell_html(double value) {
  const double shown = std::abs(value) < 0.00005 ? 0 : value;  // there is no -0.0000
  return "<td>" + (std::isnan(value) ? "-" : fixed(shown, 4)) + "</td>";
}

std::string text_cell_html(const std::string& text) {
  return "<td class=\"text\">" + name_html(text) + "</td>";
}

std::string key_html(const std::string& kind, const std::string& word) {
  return "<span class=\"keyed\"><span class=\"key " + kind + "\"></span>" + escaped(word) +
         "</span>";
}

std::string shaded_cell_html(const std::string& text, double shade, const std::string& tip,
                             std::string_view classes) {
  const auto heat = std::lround(std::ceil(kHeats * std::clamp(shade, 0.0, 1.0)));
  // A class, since the policy of the page allows no style that depends on data.
  std::string html = "<td class=\"heat" + std::to_string(heat);
  if (!classes.empty()) html.append(" ").append(classes);
  return html + "\" title=\"" + escaped(tip) + "\">" + escaped(text) + "</td>";
}

std::string bar_cell_html(double share) {
  return "<td><svg viewBox=\"0 0 100 12\" width=\"100\" height=\"12\" aria-hidden=\"true\">"
         "<rect class=\"bar\" width=\"" +
         fixed(100 * share, 1) + "\" height=\"12\"/></svg></td>";
}

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
