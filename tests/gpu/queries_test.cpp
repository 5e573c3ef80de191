// The contract of gpu/queries.h.
#include "gpu/queries.h"

#include "tests/fixtures/error_code.h"

namespace kindred {
namespace {

using Terms = std::vector<std::uint32_t>;
using Weights = std::vector<double>;

Weights weights_of(const Queries& queries, std::size_t row) {
  return {queries.weights(row).begin(), queries.weights(row).end()};
}
Terms terms_of(const Queries& queries, std::size_t row) {
  return {queries.terms(row).begin(), queries.terms(row).end()};
}

TEST_CASE("counts are weighted and normalized, and terms of weight 0 drop", "[queries]") {
  const TermWeighting weighting{{3, 0, 1, 2}, {0, 1, 2}};
  Queries queries;
  queries.add_counts(Terms{0, 1, 3}, Terms{1, 5, 9}, weighting);  // 9 weighs as 2
  REQUIRE(queries.rows() == 1);
  CHECK(terms_of(queries, 0) == Terms{0, 3});
  CHECK(weights_of(queries, 0) == Weights{0.6, 0.8});
}

TEST_CASE("a query without a term of positive weight is an empty row", "[queries]") {
  const TermWeighting weighting{{0, 1}, {0, 1}};
  Queries queries;
  queries.add_counts(Terms{}, Terms{}, weighting);
  queries.add_counts(Terms{0}, Terms{1}, weighting);
  queries.add_counts(Terms{1}, Terms{0}, weighting);
  queries.add_weights(Terms{5, 7}, Weights{-1, 0});
  queries.add_weights(Terms{5}, Weights{std::nan("")});
  queries.add_weights(Terms{9}, Weights{2});
  REQUIRE(queries.rows() == 6);
  for (std::size_t row = 0; row < 5; ++row) CHECK(queries.terms(row).empty());
  CHECK(weights_of(queries, 5) == Weights{1});
}

TEST_CASE("negative weights clip to nothing", "[queries]") {
  Queries queries;
  queries.add_weights(Terms{1, 2, 4}, Weights{3, -100, 4});
  CHECK(terms_of(queries, 0) == Terms{1, 4});
  CHECK(weights_of(queries, 0) == Weights{0.6, 0.8});
}

TEST_CASE("batches that are appended keep their rows, also empty ones", "[queries]") {
  Queries queries, more;
  queries.add_weights(Terms{1, 2}, Weights{3, 4});
  more.add_weights(Terms{}, Weights{});
  more.add_weights(Terms{0}, Weights{2});
  queries.append(more);
  queries.append(Queries());
  REQUIRE(queries.rows() == 3);
  CHECK(weights_of(queries, 0) == Weights{0.6, 0.8});
  CHECK(terms_of(queries, 1).empty());
  CHECK(terms_of(queries, 2) == Terms{0});
  CHECK(weights_of(queries, 2) == Weights{1});
}

TEST_CASE("weights of any magnitude have length 1", "[queries]") {
  const double magnitude = GENERATE(1e-320, 1e-200, 1e-3, 1.0, 1e200, 8e307);
  CAPTURE(magnitude);
  Queries queries;
  queries.add_weights(Terms{1, 2}, Weights{magnitude, magnitude});
  CHECK(queries.weights(0)[0] == Approx(std::sqrt(0.5)).epsilon(1e-15));
  CHECK(queries.weights(0)[1] == queries.weights(0)[0]);
}

void check_refused(Queries& queries, const std::function<void()>& call) {
  const std::size_t rows = queries.rows();
  CHECK(test::error_of(call).code() == Errc::kInvalidArgument);
  CHECK(queries.rows() == rows);
}

TEST_CASE("wrong queries are refused and leave the batch as it was", "[queries]") {
  const TermWeighting weighting{{1, 1}, {0, 1}};
  const double infinity = std::numeric_limits<double>::infinity();
  Queries queries;
  queries.add_weights(Terms{0}, Weights{1});
  check_refused(queries, [&] { queries.add_counts(Terms{0, 1}, Terms{1}, weighting); });
  check_refused(queries, [&] { queries.add_counts(Terms{2}, Terms{1}, weighting); });
  check_refused(queries, [&] { queries.add_counts(Terms{1, 0}, Terms{1, 1}, weighting); });
  check_refused(queries, [&] { queries.add_counts(Terms{0}, Terms{1}, {{1, 1}, {}}); });
  check_refused(queries, [&] { queries.add_weights(Terms{1, 1}, Weights{1, 1}); });
  check_refused(queries, [&] { queries.add_weights(Terms{1}, Weights{1, 1}); });
  check_refused(queries, [&] { queries.add_weights(Terms{1}, Weights{infinity}); });
  queries.add_weights(Terms{1}, Weights{1});
  CHECK(terms_of(queries, 1) == Terms{1});
}

}  // namespace
}  // namespace kindred
