#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "plugin/votes/combiner.h"
#include "plugin/votes/combiner_rows.h"

namespace kindred {

template <std::size_t kSize>
using Row = std::array<double, kSize>;

/// A sum of losses, and its derivatives. Of the hessian only the lower triangle counts.
template <std::size_t kSize>
struct Loss {
  double value = 0;
  Row<kSize> gradient{};
  std::array<Row<kSize>, kSize> hessian{};

  void add(const Loss& other) {
    value += other.value;
    for (std::size_t i = 0; i < kSize; ++i) {
      gradient[i] += other.gradient[i];
      for (std::size_t j = 0; j <= i; ++j) hessian[i][j] += other.hessian[i][j];
    }
  }

  /// The same where a coefficient may not change.
  void fix(std::size_t coefficient) {
    gradient[coefficient] = 0;
    for (std::size_t i = 0; i < kSize; ++i)
      hessian[std::max(i, coefficient)][std::min(i, coefficient)] = 0;
  }

  /// Adds weight * (row - mean) (row - mean)' to the hessian.
  void add_square(const Row<kSize>& row, const Row<kSize>& mean, double weight) {
    for (std::size_t i = 0; i < kSize; ++i) {
      const double x = weight * (row[i] - mean[i]);
      for (std::size_t j = 0; j <= i; ++j) hessian[i][j] += x * (row[j] - mean[j]);
    }
  }
};

/// Adds the logistic loss of a row under coefficients b.
template <std::size_t kSize>
void add_logistic(const Row<kSize>& row, bool is_true, double weight, const Row<kSize>& b,
                  Loss<kSize>& loss) {
  const double z = dot(b, row), e = std::exp(-std::abs(z)), y = is_true ? 1 : 0;
  const double p = z > 0 ? 1 / (1 + e) : e / (1 + e);
  loss.value += weight * (std::max(z, 0.0) + std::log1p(e) - y * z);
  for (std::size_t i = 0; i < kSize; ++i) loss.gradient[i] += weight * (p - y) * row[i];
  loss.add_square(row, {}, weight * p * (1 - p));
}

/// Solves a x = b for a symmetric positive matrix, by Cholesky. A row of zeros gives x = 0 there.
template <std::size_t kSize>
Row<kSize> solve(std::array<Row<kSize>, kSize> a, Row<kSize> b) {
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      if (i == j) {
        a[i][i] = std::sqrt(std::max(a[i][i], 0.0));
      } else {
        a[i][j] = a[j][j] > 0 ? a[i][j] / a[j][j] : 0;
      }
    }
  }
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] = a[i][i] > 0 ? b[i] / a[i][i] : 0;
  }
  for (std::size_t i = kSize; i-- > 0;) {
    for (std::size_t k = i + 1; k < kSize; ++k) b[i] -= a[k][i] * b[k];
    b[i] = a[i][i] > 0 ? b[i] / a[i][i] : 0;
  }
  return b;
}

/// Where a convex loss is least, by Newton's method: a step is halved until the loss falls.
/// @param loss_at the loss at a row of coefficients
template <std::size_t kSize, typename LossAt>
Row<kSize> minimize(Row<kSize> b, LossAt&& loss_at) {
  constexpr int kMostSteps = 50, kMostHalvings = 20;
  Loss<kSize> loss = loss_at(b);
  for (int step = 0; step < kMostSteps; ++step) {
    const Row<kSize> direction = solve(loss.hessian, loss.gradient);
    if (std::abs(dot(direction, loss.gradient)) < 1e-12 * std::max(1.0, loss.value)) return b;
    bool falls = false;
    double size = 1;
    for (int halved = 0; halved < kMostHalvings && !falls; ++halved, size /= 2) {
      Row<kSize> next = b;
      for (std::size_t i = 0; i < kSize; ++i) next[i] -= size * direction[i];
      const Loss<kSize> found = loss_at(next);
      falls = found.value < loss.value;
      if (!falls) continue;
      b = next;
      loss = found;
    }
    if (!falls) return b;
  }
  return b;
}

}  // namespace kindred
