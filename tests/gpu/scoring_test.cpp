// The definition of a similarity (gpu/scoring.h) and the error that docs/scoring.md promises.
#include "gpu/scoring.h"

#include "tests/fixtures/knn_oracle.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

TEST_CASE("the scale puts the longest document just below 2^62", "[scoring]") {
  const double longest = GENERATE(1e-150, 1e-9, 0.5, 0.75, 1.0, 3.0, 1e6, 1e150);
  CAPTURE(longest);
  const double scaled = std::ldexp(longest, scale_exponent(longest));
  CHECK(scaled < 0x1p62);
  CHECK(scaled >= 0x1p61);
}

double length_of(const std::vector<double>& weights) {
  return euclidean_length(weights.size(), [&](std::size_t i) { return weights[i]; });
}

TEST_CASE("a length is that of its squares' sum", "[scoring]") {
  const std::size_t n = GENERATE(0, 1, 2, 31, 32, 33, 4095, 4096, 4097, 10000, 300000);
  const double unit = GENERATE(1e-300, 1e-9, 1.0, 1e200);
  CAPTURE(n, unit);
  std::mt19937 random(5);
  std::vector<double> weights(n);
  for (double& w : weights) w = unit * std::generate_canonical<double, 53>(random);
  long double squares = 0;
  for (const double w : weights) squares += static_cast<long double>(w / unit) * (w / unit);
  CHECK(length_of(weights) ==
        Approx(unit * static_cast<double>(std::sqrt(squares))).epsilon(1e-14));
}

TEST_CASE("a length does not depend on the order of its weights, nor on weights of 0",
          "[scoring]") {
  std::mt19937 random(GENERATE(1, 2, 3));
  std::vector<double> weights(GENERATE(2, 33, 5000));
  for (double& w : weights)
    w = std::ldexp(std::generate_canonical<double, 53>(random), static_cast<int>(random() % 60));
  const double length = length_of(weights);
  weights.insert(weights.begin(), 7, 0.0);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(weights.begin(), weights.end(), random);
    CHECK(length_of(weights) == length);
  }
}

TEST_CASE("many small weights beside a large one count", "[scoring]") {
  std::vector<double> weights(200000, 1e-4);
  weights.push_back(1);
  CHECK(length_of(weights) == Approx(std::sqrt(1 + 200000 * 1e-8)).epsilon(1e-10));
}

TEST_CASE("a coarse sum is an upper bound, tight to a unit a term", "[scoring]") {
  std::mt19937_64 random(GENERATE(1, 2, 3));
  const int terms = GENERATE(1, 2, 76, 10000);
  CAPTURE(terms);
  std::vector<std::int64_t> exact;
  std::int64_t sum = 0;
  for (int i = 0; i < terms; ++i) {
    exact.push_back(static_cast<std::int64_t>(random() >> 2) / terms >> random() % 40);
    sum += exact.back();
  }
  const int shift = coarse_shift(sum, terms);
  std::uint64_t coarse = 0;
  for (const std::int64_t i : exact) {
    CHECK((coarse_contribution(i, shift) > 0) == (i > 0));
    coarse += coarse_contribution(i, shift);
  }
  REQUIRE(coarse <= INT32_MAX);
  const auto upper = static_cast<std::int64_t>(coarse) << shift;
  CHECK(upper >= sum);
  CHECK(upper - (std::int64_t{terms} << shift) <= sum);
}

/// Largest difference between the similarities of all rows and what they are in real numbers.
double worst_error(const char* kind, const Csr& csr, const TermWeighting& weighting,
                   std::uint32_t query_row) {
  Queries queries;
  test::add_row_query(queries, csr.view(), query_row, weighting);
  const auto exact = test::exact_similarities(csr.view(), weighting,
                                              test::raw_row(csr.view(), query_row, weighting));
  double worst = 0;
  for (const Neighbor& neighbor :
       make_backend(csr.view(), weighting, test::options(kind))->nearest(queries, csr.rows()))
    if (neighbor.number != kNoDocument)
      worst = std::max(worst, std::abs(neighbor.similarity - exact[neighbor.number - 1]));
  return worst;
}

KNN_TEST_CASE("similarities are within 1e-6 of the truth for documents of very different length",
              "[scoring]") {
  // Row 0 holds one term, which all documents but the last hold (idf about 1 / rows). The rows
  // after it hold up to 50 terms with a count of 1, and the last row holds 10,000 terms with counts
  // of 65,535. The longest row is more than 1e9 times as long as the shortest.
  const std::uint32_t rows = 2000, columns = 10001;
  Csr csr;
  csr.columns = columns;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint32_t length = row + 1 == rows ? columns : row % 7 == 0 ? 1 : 1 + row % 50;
    const std::uint32_t first = row + 1 == rows ? 1 : 0;
    for (std::uint32_t t = first; t < length; ++t) {
      csr.column.push_back(t);
      csr.count.push_back(row + 1 == rows ? 65535 : 1);
    }
    csr.row_begin.push_back(csr.column.size());
  }
  TermWeighting weighting = test::ntc_weighting(csr.view());
  weighting.divisor = GENERATE(RowDivisor::kOwnLength, RowDivisor::kLongest);
  for (const std::uint32_t query_row : {0u, 1u, 49u, 1000u, rows - 1}) {
    CAPTURE(query_row);
    CHECK(worst_error(kind, csr, weighting, query_row) < 1e-7);  // half a float's last bit is 6e-8
  }
}

KNN_TEST_CASE(
    "similarities of random text-like documents are within a float's rounding of the truth",
    "[scoring]") {
  const auto seed = GENERATE(1, 2, 3);
  const Csr csr = test::random_csr({.rows = 500, .columns = 300, .mean_length = 40}, seed);
  CAPTURE(seed);
  CHECK(worst_error(kind, csr, test::ltc_weighting(csr.view()), 17) < 1e-7);
  CHECK(worst_error(kind, csr, test::ntc_weighting(csr.view()), 18) < 1e-7);
  CHECK(worst_error(kind, csr, test::ltn_weighting(csr.view()), 19) < 1e-7);
  CHECK(worst_error(kind, csr, test::nnn_weighting(csr.view()), 20) < 1e-7);
}

KNN_TEST_CASE("a document is exactly similar to itself and never more", "[scoring]") {
  const Csr csr = test::random_csr({.rows = 300, .duplicate_share = 0}, 9);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  Queries queries;
  for (std::uint32_t row = 0; row < csr.rows(); ++row)
    test::add_row_query(queries, csr.view(), row, weighting);
  const auto best = make_backend(csr.view(), weighting, test::options(kind))->nearest(queries, 1);
  for (std::size_t row = 0; row < best.size(); ++row)
    if (!queries.terms(row).empty()) CHECK(best[row].similarity == 1.0F);
}

}  // namespace
}  // namespace kindred
