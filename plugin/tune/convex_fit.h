#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "gpu/ratio.h"
#include "plugin/votes/combiner.h"

// Fits of a few coefficients by Newton's method.

namespace kindred {

/// Coefficients, or what they weigh.
template <std::size_t kSize>
using FitRow = std::array<double, kSize>;

/// A sum of losses, and its derivatives. Of the hessian only the lower triangle counts.
template <std::size_t kSize>
struct Loss {
  double value = 0;
  FitRow<kSize> gradient{};
  std::array<FitRow<kSize>, kSize> hessian{};

  /// Adds another one, times a factor.
  void add(const Loss& other, double factor = 1) {
    value += factor * other.value;
    for (std::size_t i = 0; i < kSize; ++i) {
      gradient[i] += factor * other.gradient[i];
      for (std::size_t j = 0; j <= i; ++j) hessian[i][j] += factor * other.hessian[i][j];
    }
  }

  /// Adds weight * (row - mean) (row - mean)' to the hessian.
  void add_square(const FitRow<kSize>& row, const FitRow<kSize>& mean, double weight) {
    for (std::size_t i = 0; i < kSize; ++i) {
      const double x = weight * (row[i] - mean[i]);
      for (std::size_t j = 0; j <= i; ++j) hessian[i][j] += x * (row[j] - mean[j]);
    }
  }

  /// Adds the logistic loss of a row under coefficients b. `offset`: of the log-odds.
  void add_logistic(const FitRow<kSize>& row, bool is_true, const FitRow<kSize>& b,
                    double offset = 0) {
    const double z = offset + dot(b, row);
    const double y = is_true ? 1 : 0;
    const double p = 1 / (1 + std::exp(-z));

    value += softplus(z) - y * z;
    for (std::size_t i = 0; i < kSize; ++i) gradient[i] += (p - y) * row[i];
    add_square(row, {}, p * (1 - p));
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
FitRow<kSize> solve(std::array<FitRow<kSize>, kSize> a, FitRow<kSize> b) {
  // The lower triangle becomes the factor L of a = L L'.
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] = ratio_or_zero(a[i][j], a[j][j]);
    }
    for (std::size_t k = 0; k < i; ++k) a[i][i] -= a[i][k] * a[i][k];
    a[i][i] = std::sqrt(std::max(a[i][i], 0.0));
  }

  // L y = b, from the first row down.
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] = ratio_or_zero(b[i], a[i][i]);
  }

  // L' x = y, from the last row up.
  for (std::size_t i = kSize; i-- > 0;) {
    for (std::size_t k = i + 1; k < kSize; ++k) b[i] -= a[k][i] * b[k];
    b[i] = ratio_or_zero(b[i], a[i][i]);
  }
  return b;
}

/// Where a convex loss is least, by Newton's method: a step is halved until the loss falls.
/// @param loss_at the loss at a row of coefficients
template <std::size_t kSize, typename LossAt>
FitRow<kSize> minimize(FitRow<kSize> b, LossAt&& loss_at, int most_steps = 50) {
  constexpr int kMostTries = 20;
  Loss<kSize> loss = loss_at(b);
  bool falls = true;
  for (int step = 0; step < most_steps && falls; ++step) {
    const FitRow<kSize> direction = solve(loss.hessian, loss.gradient);
    // A step that would gain next to nothing is the end.
    if (std::abs(dot(direction, loss.gradient)) < 1e-12 * std::max(1.0, loss.value)) return b;

    falls = false;
    for (int halvings = 0; halvings < kMostTries && !falls; ++halvings) {
      FitRow<kSize> next = b;
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
