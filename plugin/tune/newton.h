#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "plugin/votes/combiner.h"

namespace kindred {

template <std::size_t kSize>
using Row = std::array<double, kSize>;

/// A sum of losses, and its derivatives. Of the hessian only the lower triangle counts.
template <std::size_t kSize>
struct Loss {
  double value = 0;
  Row<kSize> gradient{};
  std::array<Row<kSize>, kSize> hessian{};

  /// Adds another one, times a factor.
  void add(const Loss& other, double factor = 1) {
    value += factor * other.value;
    for (std::size_t i = 0; i < kSize; ++i) {
      gradient[i] += factor * other.gradient[i];
      for (std::size_t j = 0; j <= i; ++j) hessian[i][j] += factor * other.hessian[i][j];
    }
  }

  /// Adds weight * (row - mean) (row - mean)' to the hessian.
  void add_square(const Row<kSize>& row, const Row<kSize>& mean, double weight) {
    for (std::size_t i = 0; i < kSize; ++i) {
      const double x = weight * (row[i] - mean[i]);
      for (std::size_t j = 0; j <= i; ++j) hessian[i][j] += x * (row[j] - mean[j]);
    }
  }

  /// Adds the logistic loss of a row under coefficients b.
  void add_logistic(const Row<kSize>& row, bool is_true, double weight, const Row<kSize>& b) {
    const double z = dot(b, row), y = is_true ? 1 : 0, p = 1 / (1 + std::exp(-z));
    value += weight * (softplus(z) - y * z);
    for (std::size_t i = 0; i < kSize; ++i) gradient[i] += weight * (p - y) * row[i];
    add_square(row, {}, weight * p * (1 - p));
  }

  /// Adds strength * (b - from)^2 / 2 for one coefficient.
  void add_ridge(std::size_t coefficient, double strength, double b, double from = 0) {
    value += strength * (b - from) * (b - from) / 2;
    gradient[coefficient] += strength * (b - from);
    hessian[coefficient][coefficient] += strength;
  }
};

/// Solves a x = b for a symmetric positive matrix, by Cholesky. A row of zeros gives x = 0 there.
template <std::size_t kSize>
Row<kSize> solve(std::array<Row<kSize>, kSize> a, Row<kSize> b) {
  const auto divided = [](double x, double by) { return by > 0 ? x / by : 0; };
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(std::max(a[i][i], 0.0)) : divided(a[i][j], a[j][j]);
    }
  }
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] = divided(b[i], a[i][i]);
  }
  for (std::size_t i = kSize; i-- > 0;) {
    for (std::size_t k = i + 1; k < kSize; ++k) b[i] -= a[k][i] * b[k];
    b[i] = divided(b[i], a[i][i]);
  }
  return b;
}

/// Where a convex loss is least, by Newton's method: a step is halved until the loss falls.
/// @param loss_at the loss at a row of coefficients
template <std::size_t kSize, typename LossAt>
Row<kSize> minimize(Row<kSize> b, LossAt&& loss_at) {
  constexpr int kMostSteps = 50, kMostTries = 20;
  Loss<kSize> loss = loss_at(b);
  bool falls = true;
  for (int step = 0; step < kMostSteps && falls; ++step) {
    const Row<kSize> direction = solve(loss.hessian, loss.gradient);
    if (std::abs(dot(direction, loss.gradient)) < 1e-12 * std::max(1.0, loss.value)) return b;
    falls = false;
    for (int halvings = 0; halvings < kMostTries && !falls; ++halvings) {
      Row<kSize> next = b;
      for (std::size_t i = 0; i < kSize; ++i) next[i] -= std::ldexp(direction[i], -halvings);
      const Loss<kSize> found = loss_at(next);
      falls = found.value < loss.value;
      if (!falls) continue;
      b = next;
      loss = found;
    }
  }
  return b;
}

}  // namespace kindred
