#pragma once

#include <string>
#include <vector>

namespace kindred::cli {

/// A fixed number of decimals, without the locale's or the shell's opinion.
std::string fixed(double value, int decimals);

/// Columns under headings, each as wide as its widest cell. Cells are made fit to be shown. The
/// last column is not padded, so what may be long or wide belongs there.
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
