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

WeightedCsr transpose(const WeightedCsr& matrix) {
  WeightedCsr result;
  result.columns = matrix.rows();
  result.row_begin.assign(std::size_t{matrix.columns} + 1, 0);
  for (const std::uint32_t term : matrix.term) ++result.row_begin[std::size_t{term} + 1];
  for (std::size_t t = 0; t < matrix.columns; ++t) result.row_begin[t + 1] += result.row_begin[t];
  result.term.resize(matrix.term.size());
  result.weight.resize(matrix.term.size());
  std::vector<std::uint32_t> next(result.row_begin.begin(), result.row_begin.end() - 1);
  for (std::uint32_t row = 0; row < matrix.rows(); ++row) {
    for (std::uint32_t i = matrix.row_begin[row]; i < matrix.row_begin[row + 1]; ++i) {
      const std::uint32_t place = next[matrix.term[i]]++;
      result.term[place] = row;
      result.weight[place] = matrix.weight[i];
    }
  }
  return result;
}

DeviceRows::DeviceRows(const WeightedCsr& host)
    : columns_(host.columns),
      longest_(longest_row(host, 0, host.rows())),
      host_row_begin_(host.row_begin),
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
