#include "plugin/topics/sparse_codebook.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"

namespace kindred {

SparseCodebook::SparseCodebook(const SomCodebook& codebook) : units_(codebook.units) {
  std::vector<double> least(units_);
  for (std::uint32_t c = 0; c < codebook.columns; ++c)
    for (std::uint32_t u = 0; u < units_; ++u) {
      const double weight = codebook.column(c)[u];
      least[u] += weight * weight;
    }
  for (double& bound : least) bound = kNegligible * std::sqrt(bound);
  for (std::uint32_t c = 0; c < codebook.columns; ++c) {
    for (std::uint32_t u = 0; u < units_; ++u) {
      const float weight = codebook.column(c)[u];
      if (weight == 0 || std::abs(weight) < least[u]) continue;
      unit_.push_back(u);
      weight_.push_back(weight);
    }
    column_begin_.push_back(unit_.size());
  }
  measure_norms();
}

SparseCodebook::SparseCodebook(std::uint32_t units, std::vector<std::uint64_t> column_begin,
                               std::vector<std::uint32_t> unit, std::vector<float> weight)
    : units_(units),
      column_begin_(std::move(column_begin)),
      unit_(std::move(unit)),
      weight_(std::move(weight)) {
  const bool fits =
      !column_begin_.empty() && column_begin_.front() == 0 &&
      std::is_sorted(column_begin_.begin(), column_begin_.end()) &&
      column_begin_.back() == unit_.size() && unit_.size() == weight_.size() &&
      std::all_of(unit_.begin(), unit_.end(), [&](std::uint32_t u) { return u < units_; });
  if (!fits) throw Error(Errc::kCorrupt, "the codebook's parts do not fit together");
  measure_norms();
  for (const double squared : squared_norm_)  // match() compares them as float
    if (!(squared <= std::numeric_limits<float>::max()))
      throw Error(Errc::kCorrupt, "the codebook's weights are too large, or no numbers");
}

void SparseCodebook::measure_norms() {
  squared_norm_.assign(units_, 0);
  for (std::size_t i = 0; i < unit_.size(); ++i)
    squared_norm_[unit_[i]] += static_cast<double>(weight_[i]) * weight_[i];
}

SomMatch SparseCodebook::match(std::span<const std::uint32_t> columns,
                               std::span<const float> weights) const {
  std::vector<float> dot(units_);
  double squared = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    each_weight(columns[i], [&](std::uint32_t u, float value) { dot[u] += weights[i] * value; });
    squared += static_cast<double>(weights[i]) * weights[i];
  }
  constexpr float kNone = std::numeric_limits<float>::infinity();
  std::pair<float, std::uint32_t> best = {kNone, SomMatch::kNoUnit}, second = best;
  for (std::uint32_t u = 0; u < units_; ++u) {
    const float score = static_cast<float>(squared_norm_[u]) - 2 * dot[u];
    if (score < best.first) {
      second = best;
      best = {score, u};
    } else if (score < second.first) {
      second = {score, u};
    }
  }
  const double apart = squared_norm_[best.second] - 2.0 * dot[best.second] + squared;
  return {best.second, second.second, std::sqrt(std::max(0.0, apart))};
}

double SparseCodebook::angular_distance(const SomMatch& match, double squared_inside) const {
  const double squared = squared_norm_[match.unit];
  if (!(squared > 0)) return 1;
  const double dot = (squared + squared_inside - match.distance * match.distance) / 2;
  return 1 - std::clamp(dot / std::sqrt(squared), 0.0, 1.0);
}

std::vector<SomMatch> SparseCodebook::match(const SomRows& rows, std::size_t threads) const {
  constexpr std::uint32_t kBlock = 256;
  std::vector<SomMatch> matches(rows.rows);
  for_each_chunk(rows.rows, kBlock, threads, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint64_t row = begin; row < end; ++row) {
      const std::uint64_t first = rows.row_begin[row], size = rows.row_begin[row + 1] - first;
      matches[row] = match({rows.column + first, size}, {rows.weight + first, size});
    }
  });
  return matches;
}

}  // namespace kindred
