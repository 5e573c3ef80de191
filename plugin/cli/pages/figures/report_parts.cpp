#include "plugin/cli/pages/figures/report_parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"

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

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

}  // namespace kindred::cli
