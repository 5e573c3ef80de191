#include "tests/bench/peers/sparse_rows.cuh"

#include <algorithm>

namespace kindred::bench {
namespace {

std::uint32_t longest_row(const WeightedCsr& matrix, std::uint32_t first, std::uint32_t last) {
  std::uint32_t longest = 0;
  for (std::uint32_t row = first; row < last; ++row)
    longest = std::max(longest, matrix.row_begin[row + 1] - matrix.row_begin[row]);
  return longest;
}

}  // namespace

DeviceRows::DeviceRows(const WeightedCsr& host)
    : rows_(host.rows()),
      columns_(host.columns),
      longest_(longest_row(host, 0, host.rows())),
      row_begin_(host.row_begin),
      term_(host.term),
      weight_(std::vector<float>(host.weight.begin(), host.weight.end())) {}

DeviceSlices::DeviceSlices(const WeightedCsr& host) : rows_(host.rows()) {
  std::vector<std::uint32_t> begin{0}, term;
  std::vector<float> weight;
  for (std::uint32_t first = 0; first < rows_; first += kSlice) {
    const std::uint32_t last = std::min(first + kSlice, rows_);
    const std::uint32_t length = longest_row(host, first, last) + 1;
    longest_ = std::max(longest_, length);
    begin.push_back(begin.back() + length * kSlice);
    term.resize(begin.back(), kEndOfRow);
    weight.resize(begin.back(), 0);
    for (std::uint32_t row = first; row < last; ++row) {
      std::uint32_t place = begin[begin.size() - 2] + row % kSlice;
      for (std::uint32_t i = host.row_begin[row]; i < host.row_begin[row + 1]; ++i) {
        term[place] = host.term[i];
        weight[place] = static_cast<float>(host.weight[i]);
        place += kSlice;
      }
    }
  }
  begin_ = DeviceArray<std::uint32_t>(begin);
  term_ = DeviceArray<std::uint32_t>(term);
  weight_ = DeviceArray<float>(weight);
}

}  // namespace kindred::bench
