#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/shown.h"

namespace kindred::cli {

/// "12.3 %"
std::string percent(double share);

/// "1 document", "5 documents"
std::string counted(std::uint64_t count, std::string_view noun);

/// Columns under headings, each as wide as its widest cell. What may not be shown is escaped. The
/// last column is not padded.
///
/// On a terminal, rows that are too wide are cut: the widest columns get one width, as large as
/// fits; lines are wrapped. Elsewhere both are whole.
class Table {
 public:
  explicit Table(std::vector<std::string> headings);
  void add_row(std::vector<std::string> cells);
  /// A line below the last row, which explains it.
  void add_line(std::string text) { add_row({"  " + std::move(text)}); }
  /// Prints on standard output.
  void print() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the first holds the headings
};

}  // namespace kindred::cli
