#include "gpu/som/rows.h"

#include <cmath>
#include <string>

#include "config/error.h"
#include "gpu/scoring.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

std::string column_name(const SomRows& data, std::uint64_t entry) {
  return "column " + std::to_string(data.column[entry]);
}

/// What is wrong with a row; "" if nothing is.
std::string fault_of(const SomRows& data, std::uint32_t row) {
  const std::uint64_t begin = data.row_begin[row];
  for (std::uint64_t i = begin; i < data.row_begin[row + 1]; ++i) {
    if (data.column[i] >= data.columns)
      return column_name(data, i) + " is not below " + std::to_string(data.columns);
    if (i > begin && data.column[i] <= data.column[i - 1])
      return column_name(data, i) + " does not follow the one before";
    if (!std::isfinite(data.weight[i])) return column_name(data, i) + " is not a finite number";
  }
  return "";
}

}  // namespace

SomRows partition_of(SomRows data, std::uint32_t begin, std::uint32_t end) {
  data.rows = end - begin;
  data.row_begin += begin;
  return data;
}

std::vector<float> unit_weights(CsrView counts, const TermWeighting& weighting) {
  std::vector<float> weights(counts.nonzeros());
  for (std::uint32_t row = 0; row < counts.rows; ++row) {
    const std::uint64_t begin = counts.row_begin[row];
    const auto weight_at = [&](std::size_t j) {
      return weighting.tf[counts.count[begin + j]] * weighting.idf[counts.column[begin + j]];
    };

    // Weights are computed twice, since they are cheaper than a place to keep them. A row of length
    // 0 keeps its zeros.
    const std::size_t size = counts.row_begin[row + 1] - begin;
    const double length = euclidean_length(size, weight_at);
    for (std::size_t j = 0; length > 0 && j < size; ++j)
      weights[begin + j] = static_cast<float>(weight_at(j) / length);
  }
  return weights;
}

void check_rows(const SomRows& data, std::size_t threads) {
  constexpr std::uint32_t kRowsAtOnce = 1 << 14;
  const std::uint32_t row = first_wrong(data.rows, kRowsAtOnce, threads, [&](std::uint32_t own) {
    return !fault_of(data, own).empty();
  });
  if (row < data.rows)
    throw Error(Errc::kInvalidArgument,
                "row " + std::to_string(row) + " of the input: " + fault_of(data, row));
}

void check_columns(const SomRows& rows, std::uint32_t columns) {
  if (rows.columns != columns)
    throw Error(Errc::kInvalidArgument, "rows of " + std::to_string(rows.columns) +
                                            " columns for a map of " + std::to_string(columns));
}

}  // namespace kindred
