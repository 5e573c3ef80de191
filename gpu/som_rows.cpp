#include "gpu/som_rows.h"

#include <cmath>
#include <string>

#include "config/error.h"
#include "gpu/scoring.h"

namespace kindred {
namespace {

[[noreturn]] void refuse(std::uint32_t row, const std::string& fault) {
  throw Error(Errc::kInvalidArgument, "row " + std::to_string(row) + " of the input: " + fault);
}

void check(const DenseRows& data) {
  for (std::uint32_t row = 0; row < data.rows; ++row) {
    const float* values = data.value + std::size_t{row} * data.columns;
    for (std::uint32_t i = 0; i < data.columns; ++i) {
      if (!std::isfinite(values[i]))
        refuse(row, "column " + std::to_string(i) + " is not a finite number");
    }
  }
}

void check(const SparseRows& data) {
  for (std::uint32_t row = 0; row < data.rows; ++row) {
    for (std::uint64_t i = data.row_begin[row]; i < data.row_begin[row + 1]; ++i) {
      const std::string column = "column " + std::to_string(data.column[i]);
      if (data.column[i] >= data.columns)
        refuse(row, column + " is not below " + std::to_string(data.columns));
      if (i > data.row_begin[row] && data.column[i] <= data.column[i - 1])
        refuse(row, column + " does not follow the one before");
      if (!std::isfinite(data.weight[i])) refuse(row, column + " is not a finite number");
    }
  }
}

SomRows part(SparseRows data, std::uint32_t begin, std::uint32_t end) {
  data.rows = end - begin;
  data.row_begin += begin;
  return data;
}

SomRows part(DenseRows data, std::uint32_t begin, std::uint32_t end) {
  data.rows = end - begin;
  data.value += std::size_t{begin} * data.columns;
  return data;
}

}  // namespace

SomRows partition_of(const SomRows& data, std::uint32_t begin, std::uint32_t end) {
  return std::visit([&](const auto& view) { return part(view, begin, end); }, data);
}

std::vector<float> unit_weights(CsrView counts, const TermWeighting& weighting) {
  std::vector<float> weights(counts.nonzeros());
  for (std::uint32_t row = 0; row < counts.rows; ++row) {
    const std::uint64_t begin = counts.row_begin[row];
    const auto weight_at = [&](std::size_t j) {
      return weighting.tf[counts.count[begin + j]] * weighting.idf[counts.column[begin + j]];
    };
    const std::size_t size = counts.row_begin[row + 1] - begin;
    const double length = std::sqrt(squared_length(size, weight_at));
    for (std::size_t j = 0; length > 0 && j < size; ++j)
      weights[begin + j] = static_cast<float>(weight_at(j) / length);
  }
  return weights;
}

void check_rows(const SomRows& data) {
  std::visit([](const auto& view) { check(view); }, data);
}

}  // namespace kindred
