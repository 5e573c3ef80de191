#include "plugin/votes/weights/label_weights.h"

#include <cmath>
#include <vector>

#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

/// Three terms: one that ten voters hold, one that two hold, one that none holds.
struct ThreeTerms {
  std::vector<double> idf = {1, 2, 3};
  LabelInformation information{.divergence = {0.5, 1.5, 0}, .voters = {10, 2, 0}};
  double scale = (10 * 0.5 + 2 * 1.5) / (10 * 1 + 2 * 2);

  double expected(double voters, double divergence, double idf_of_term) const {
    const double told = (voters * divergence + 5 * scale * idf_of_term) / (voters + 5);
    return std::sqrt(std::sqrt(idf_of_term) * std::sqrt(told));
  }
};

}  // namespace

TEST_CASE("roots of idf count it once in a cosine") {
  const std::vector<double> weights = roots_of_idf({1, 2, 0, -0.5});
  REQUIRE(weights.size() == 4);
  CHECK(weights[1] * weights[1] == Approx(2));
  CHECK(weights[2] == 0);
  CHECK(weights[3] == 0);
}

TEST_CASE("weights by labels turn to idf where few labeled documents have the term") {
  const ThreeTerms three;
  const auto weights = label_weights(three.idf, three.information);
  CHECK(weights[0] == Approx(three.expected(10, 0.5, 1)));
  CHECK(weights[1] == Approx(three.expected(2, 1.5, 2)));
  CHECK(weights[2] == Approx(three.expected(0, 0, 3)));
}

TEST_CASE("without labels that tell, weights by labels are those by idf") {
  const ThreeTerms three;
  CHECK(label_weights(three.idf, {.divergence = {0, 0, 0}, .voters = {3, 3, 0}}) ==
        roots_of_idf(three.idf));
}
