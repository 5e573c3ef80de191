#include "plugin/cli/output/table.h"

#include <unistd.h>
#include <algorithm>
#include <iostream>

#include "plugin/cli/output/terminal.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kGap = 2;         // columns between cells
constexpr std::size_t kLeastWidth = 8;  // of a column that is cut

/// Bounds the widest columns so that a row takes at most `available`, if that is possible with
/// kLeastWidth for each.
void fit(std::vector<std::size_t>& widths, std::size_t available) {
  std::size_t bound = *std::max_element(widths.begin(), widths.end());
  const auto needed = [&] {
    std::size_t sum = kGap * (widths.size() - 1);
    for (const std::size_t width : widths) sum += std::min(width, bound);
    return sum;
  };

  // Column by column would take the width from one alone. A bound for all takes it from the widest.
  while (bound > kLeastWidth && needed() > available) --bound;
  for (std::size_t& width : widths) width = std::min(width, bound);
}

}  // namespace

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

std::string counted(std::uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " " + std::string(noun);
  if (count != 1) text += "s";
  return text;
}

Table::Table(std::vector<std::string> headings) { rows_.push_back(std::move(headings)); }

void Table::add_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = shown(cell);
  rows_.push_back(std::move(cells));
}

void Table::print() const {
  // A row of a single cell is a line across the table, and has no say in the widths.
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; row.size() == widths.size() && i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }

  const std::size_t available = terminal_width(STDOUT_FILENO);
  if (available > 0) fit(widths, available);

  for (const auto& row : rows_) {
    if (row.size() < widths.size()) {
      std::cout << fitted(row[0] + '\n');
      continue;
    }

    // Every cell but the last is filled up with blanks.
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line.append(kGap, ' ');
      const std::string cell = cut_to_width(row[i], std::max<std::size_t>(widths[i], 1));
      line += cell;
      if (i + 1 < row.size()) line.append(widths[i] - display_width(cell), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    std::cout << line << '\n';
  }
}

}  // namespace kindred::cli
