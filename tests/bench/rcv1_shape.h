#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "gpu/csr.h"

// Documents of the shape of RCV1-v2 (Lewis et al. 2004), whose vectors may not be passed on: the
// term of rank r occurs in a document with probability p(r), log-log interpolated through the
// table below, its last value such that a document has 76 terms on average; counts are geometric,
// 73 % of them 1, none above 255. Term numbers are shuffled ranks. The same seed gives the same
// matrix everywhere (up to the last bit of std::log).

namespace kindred::bench {

inline constexpr std::uint32_t kRcv1Terms = 47152;
inline constexpr std::uint32_t kRcv1Documents = 23149;  // the labeled ones of the classic split

/// SplitMix64 (Steele, Lea and Flood 2014).
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  /// Uniform in (0, 1].
  double uniform() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

namespace rcv1 {

using Point = std::pair<double, double>;  // rank, probability

inline std::vector<double> interpolate(double last) {
  const std::array<Point, 9> points{{{1, .39},
                                     {64, .114},
                                     {128, .081},
                                     {256, .053},
                                     {512, .029},
                                     {1024, .015},
                                     {2048, .006},
                                     {4096, .002},
                                     {47152, last}}};
  std::vector<double> p(kRcv1Terms);
  std::size_t i = 0;
  for (std::uint32_t rank = 1; rank <= kRcv1Terms; ++rank) {
    while (i + 2 < points.size() && rank > points[i + 1].first) ++i;
    const auto [x0, y0] = points[i];
    const auto [x1, y1] = points[i + 1];
    const double share = std::log(rank / x0) / std::log(x1 / x0);
    p[rank - 1] = std::exp(std::log(y0) + share * std::log(y1 / y0));
  }
  return p;
}

/// Probability by rank - 1, summing to 76.
inline std::vector<double> probabilities() {
  double low = 1e-12, high = .002;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::sqrt(low * high);
    const std::vector<double> p = interpolate(middle);
    (std::accumulate(p.begin(), p.end(), 0.0) < 76 ? low : high) = middle;
  }
  return interpolate(low);
}

/// Calls visit(row, count) for the documents that hold a term of probability p.
template <typename Visit>
void draw_term(SplitMix random, double p, std::uint32_t rows, Visit&& visit) {
  const double skip = 1 / std::log1p(-p), again = 1 / std::log(.27);
  for (double row = -1;;) {
    row += 1 + std::floor(std::log(random.uniform()) * skip);
    if (row >= rows) return;
    const double count = 1 + std::floor(std::log(random.uniform()) * again);
    visit(static_cast<std::uint32_t>(row), static_cast<std::uint16_t>(count < 255 ? count : 255));
  }
}

inline std::vector<double> shuffled_probabilities() {
  std::vector<double> p = probabilities();
  SplitMix random(20040401);
  for (std::size_t i = p.size(); i > 1; --i) std::swap(p[i - 1], p[random.next() % i]);
  return p;
}

}  // namespace rcv1

/// `rows` documents of RCV1's shape. Seeds name disjoint draws from the same distribution.
inline Csr rcv1_shape(std::uint32_t rows, std::uint64_t seed) {
  const std::vector<double> p = rcv1::shuffled_probabilities();
  const auto draw = [&](std::uint32_t term, auto&& visit) {
    rcv1::draw_term(SplitMix(seed * kRcv1Terms + term), p[term], rows, visit);
  };
  Csr csr;
  csr.columns = kRcv1Terms;
  csr.row_begin.assign(std::size_t{rows} + 1, 0);
  for (std::uint32_t term = 0; term < kRcv1Terms; ++term)
    draw(term, [&](std::uint32_t row, std::uint16_t) { ++csr.row_begin[std::size_t{row} + 1]; });
  for (std::size_t row = 0; row < rows; ++row) csr.row_begin[row + 1] += csr.row_begin[row];
  csr.column.resize(csr.row_begin.back());
  csr.count.resize(csr.row_begin.back());
  std::vector<std::uint64_t> next(csr.row_begin.begin(), csr.row_begin.end() - 1);
  for (std::uint32_t term = 0; term < kRcv1Terms; ++term)
    draw(term, [&](std::uint32_t row, std::uint16_t count) {
      const std::uint64_t place = next[row]++;
      csr.column[place] = term;
      csr.count[place] = count;
    });
  return csr;
}

/// Postings of the queries' terms.
inline double adds_of(const Csr& documents, const Csr& queries) {
  std::vector<double> df(documents.columns);
  for (const std::uint32_t term : documents.column) ++df[term];
  return std::accumulate(queries.column.begin(), queries.column.end(), 0.0,
                         [&](double sum, std::uint32_t term) { return sum + df[term]; });
}

}  // namespace kindred::bench
