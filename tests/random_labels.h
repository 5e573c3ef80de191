#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "gpu/backend.h"

namespace kindred::test {

/// Owns what a LabelView borrows.
struct Labels {
  std::vector<std::uint64_t> row_begin{0};
  std::vector<std::uint32_t> label;

  LabelView view() const {
    return {static_cast<std::uint32_t>(row_begin.size() - 1), row_begin.data(), label.data()};
  }
  void add_row(const std::set<std::uint32_t>& labels) {
    label.insert(label.end(), labels.begin(), labels.end());
    row_begin.push_back(label.size());
  }
};

/// Up to five of `kinds` labels for each row; a third of the rows has none.
inline Labels random_labels(std::uint32_t rows, std::uint32_t kinds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Labels labels;
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::set<std::uint32_t> own;
    const std::uint64_t draws = random() % 3 == 0 ? 0 : 1 + random() % 5;
    for (std::uint64_t i = 0; i < draws; ++i)
      own.insert(static_cast<std::uint32_t>(random() % kinds));
    labels.add_row(own);
  }
  return labels;
}

/// A set of rows, each in it with probability `share`.
inline std::vector<std::uint64_t> random_rows(std::uint32_t rows, double share,
                                              std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> words((std::size_t{rows} + 63) / 64);
  for (std::uint32_t row = 0; row < rows; ++row)
    if (std::generate_canonical<double, 53>(random) < share)
      words[row / 64] |= std::uint64_t{1} << row % 64;
  return words;
}

}  // namespace kindred::test
