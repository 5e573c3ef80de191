#include "plugin/tune/learning/frequent_first.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

namespace kindred {

FrequentFirst::FrequentFirst(const CsrView& matrix)
    : matrix_(matrix), former_(matrix.columns), column_(matrix.nonzeros()) {
  const std::span entries(matrix.column, column_.size());
  std::vector<std::uint64_t> size(matrix.columns);
  for (const std::uint32_t column : entries) ++size[column];
  std::iota(former_.begin(), former_.end(), 0U);
  std::ranges::stable_sort(former_, std::ranges::greater(),
                           [&](std::uint32_t column) { return size[column]; });
  std::vector<std::uint32_t> number(matrix.columns);
  for (std::uint32_t i = 0; i < matrix.columns; ++i) number[former_[i]] = i;
  std::ranges::transform(entries, column_.begin(),
                         [&](std::uint32_t column) { return number[column]; });
}

CsrView FrequentFirst::view() const {
  CsrView view = matrix_;
  view.column = column_.data();
  return view;
}

std::vector<double> FrequentFirst::renumbered(const std::vector<double>& values) const {
  std::vector<double> result(values.size());
  for (std::size_t column = 0; column < values.size(); ++column)
    result[column] = values[former_[column]];
  return result;
}

std::vector<double> FrequentFirst::restored(const std::vector<double>& values) const {
  std::vector<double> result(values.size());
  for (std::size_t column = 0; column < values.size(); ++column)
    result[former_[column]] = values[column];
  return result;
}

}  // namespace kindred
