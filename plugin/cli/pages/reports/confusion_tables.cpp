#include "plugin/cli/pages/reports/figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "plugin/cli/output/table.h"
#include "plugin/cli/pages/reports/report_parts.h"
#include "plugin/evaluate/confusions.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kListed = 30;          // confusions
constexpr std::size_t kMatrixLabels = 40;    // nobody can read a larger matrix
constexpr const char* kNoLabel = "(none)";   // no label got a vote
constexpr const char* kOthers = "(others)";  // labels that are left out of the matrix

std::string worst_list(const ConfusionMatrix& matrix) {
  const std::vector<Confusion> worst = worst_confusions(matrix);
  std::string html = "<h2>Worst confusions</h2>\n";
  if (worst.empty()) return html + "<p>The best label of every document is right.</p>\n";
  const std::size_t shown = std::min(kListed, worst.size());
  html +=
      begin_table(std::to_string(shown) + " of " + std::to_string(worst.size()) +
                      ", by the number of documents; the share is of the label's documents",
                  {{"Label"}, {"Taken for", true}, {"Documents"}, {"Share"}, {"Share bar", true}});
  for (std::size_t i = 0; i < shown; ++i) {
    html += row_html(worst[i].label, text_cell_html(worst[i].taken_for.value_or(kNoLabel)) +
                                         cell_html(worst[i].documents) + "<td>" +
                                         percent(worst[i].share) + "</td>" +
                                         bar_cell_html(worst[i].share));
  }
  return html.append(kEndTable);
}

/// One row of the matrix: the chosen columns, the sum of the others if some are left out, and the
/// documents without a label.
std::string matrix_row(const ConfusionMatrix& matrix, std::size_t row,
                       const std::vector<std::size_t>& chosen) {
  const std::vector<std::uint64_t>& counts = matrix.counts[row];
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  std::uint64_t others = all - counts.back();
  std::string cells;
  const auto add = [&](std::uint64_t count, const std::string& column, bool right) {
    const double share = all == 0 ? 0 : static_cast<double>(count) / static_cast<double>(all);
    cells += shaded_cell_html(std::to_string(count), std::sqrt(share),
                              matrix.labels[row] + " -> " + column + ": " + std::to_string(count) +
                                  " of " + std::to_string(all) + ", " + percent(share),
                              right        ? "own"
                              : count == 0 ? "nil"
                                           : "wrong");
  };
  for (const std::size_t column : chosen) {
    others -= counts[column];
    add(counts[column], matrix.labels[column], column == row);
  }
  if (chosen.size() < matrix.labels.size()) add(others, kOthers, false);
  add(counts.back(), kNoLabel, false);
  return row_html(matrix.labels[row], cells);
}

std::string matrix_table(const ConfusionMatrix& matrix) {
  const std::vector<std::size_t> chosen = most_confused(matrix, kMatrixLabels);
  std::vector<std::string> columns = {"True \\ best"};
  for (const std::size_t label : chosen) columns.push_back(matrix.labels[label]);
  std::string html = "<h2>Confusion matrix</h2>\n";
  if (chosen.size() < matrix.labels.size()) {
    html += "<p>The " + std::to_string(chosen.size()) + " labels of " +
            std::to_string(matrix.labels.size()) + " that are confused most.</p>\n";
    columns.emplace_back(kOthers);
  }
  columns.emplace_back(kNoLabel);
  html += begin_matrix("Documents by true label (rows) and best label (columns)", columns);
  for (const std::size_t row : chosen) html += matrix_row(matrix, row, chosen);
  html.append(kEndTable);
  return html + "<p class=\"soft\">" + key_html("one", "right") + "&ensp;" +
         key_html("two", "wrong") +
         ". The stronger the color, the larger the share of the row.</p>\n";
}

}  // namespace

std::string confusion_tables(const ConfusionMatrix& matrix) {
  return worst_list(matrix) + matrix_table(matrix);
}

}  // namespace kindred::cli
