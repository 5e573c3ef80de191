#pragma once

#include <string>
#include <vector>

namespace kindred::cli {

/// A number with a fixed number of decimals and a point, in any locale.
std::string fixed(double value, int decimals);

/// "12.3 %"
std::string percent(double share);

/// Columns under headings, each as wide as its widest cell. What may not be shown is escaped. The
/// last column is not padded.
///
/// On a terminal, rows that are too wide are cut: the widest columns get one width, as large as
/// fits. Elsewhere cells are whole.
class Table {
 public:
  explicit Table(std::vector<std::string> headings);
  void add_row(std::vector<std::string> cells);
  /// Prints on standard output.
  void print() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the first holds the headings
};

}  // namespace kindred::cli
