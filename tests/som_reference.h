#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

// A batch map in double by the plainest algorithm: every sample is scattered over its whole
// neighborhood. It shares no code with gpu/.

namespace kindred::test {

struct ReferenceMap {
  int rows, columns;
  bool hexagonal, toroidal, cut;
  std::vector<std::vector<double>> weights;  ///< [units][dimensions]

  double squared_distance(int a, int b) const {
    const double height = hexagonal ? std::sqrt(3.0) / 2 : 1;
    double dy = std::abs(a / columns - b / columns);
    double dx = a % columns - b % columns;
    if (hexagonal) dx += 0.5 * (a / columns % 2) - 0.5 * (b / columns % 2);
    dx = std::abs(dx);
    if (toroidal && dy > rows - dy) dy = rows - dy;
    if (toroidal && dx > columns / 2.0) dx = std::abs(columns - dx);
    return dx * dx + dy * dy * height * height;
  }

  /// The best unit of a sample, and the second best.
  std::pair<int, int> match(const std::vector<double>& x) const {
    double best = std::numeric_limits<double>::infinity(), second = best;
    std::pair<int, int> units = {-1, -1};
    for (int u = 0; u < rows * columns; ++u) {
      const double d = distance(x, u);
      if (d < best) {
        second = best;
        units.second = units.first;
        best = d;
        units.first = u;
      } else if (d < second) {
        second = d;
        units.second = u;
      }
    }
    return units;
  }

  double distance(const std::vector<double>& x, int unit) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double apart = x[i] - weights[unit][i];
      sum += apart * apart;
    }
    return std::sqrt(sum);
  }

  double neighborhood(int a, int b, double sigma) const {
    const double squared = squared_distance(a, b);
    if (cut && squared > sigma * sigma + 1e-9) return 0;
    return std::exp(-squared / (2 * sigma * sigma));
  }

  void epoch(const std::vector<std::vector<double>>& samples, double sigma) {
    const int units = rows * columns;
    std::vector<std::vector<double>> sums(units, std::vector<double>(samples[0].size()));
    std::vector<double> reached(units);
    for (const auto& x : samples) {
      const int best = match(x).first;
      for (int u = 0; u < units; ++u) {
        const double h = neighborhood(u, best, sigma);
        reached[u] += h;
        for (std::size_t i = 0; i < x.size(); ++i) sums[u][i] += h * x[i];
      }
    }
    for (int u = 0; u < units; ++u) {
      if (reached[u] == 0) continue;
      for (std::size_t i = 0; i < sums[u].size(); ++i) weights[u][i] = sums[u][i] / reached[u];
    }
  }
};

}  // namespace kindred::test
