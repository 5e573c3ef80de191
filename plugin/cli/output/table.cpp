#include "plugin/cli/output/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>

#include "config/shown.h"

namespace kindred::cli {
namespace {

/// Number of characters (code points). This is good enough for alignment, since wide text is in the
/// last column.
std::size_t width(const std::string& cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.begin(), cell.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string fixed(double value, int decimals) {
  std::array<char, 400> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value,
                                     std::chars_format::fixed, decimals);
  return {text.data(), written.ptr};
}

Table::Table(std::vector<std::string> headings) { rows_.push_back(std::move(headings)); }

void Table::add_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = shown(cell);
  rows_.push_back(std::move(cells));
}

void Table::print() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - width(row[i]), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    std::cout << line << '\n';
  }
}

}  // namespace kindred::cli
