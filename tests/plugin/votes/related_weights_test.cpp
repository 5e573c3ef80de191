#include "plugin/votes/weights/related_weights.h"

#include <cmath>
#include <vector>

#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"

using namespace kindred;

namespace {

/// Four terms: one that ten voters hold, one that two hold, two that none holds. Of the last the
/// voters did not even know.
struct FourTerms {
  std::vector<double> idf = {1, 2, 3, 4};
  LabelInformation information{.divergence = {0.5, 1.5, 0}, .voters = {10, 2, 0}};
  double scale = (10 * 0.5 + 2 * 1.5) / (10 * 1 + 2 * 2);

  double of_labels(double voters, double divergence, double idf_of_term) const {
    return std::sqrt((voters * divergence + 5 * scale * idf_of_term) / (voters + 5));
  }
};

}  // namespace

TEST_CASE("weights by idf count it once in a cosine, and smart ones as the setting says") {
  const FourTerms four;
  CHECK(related_term_weights(RelatedWeights::kSmart, four.idf, {}) == four.idf);
  const auto weights = related_term_weights(RelatedWeights::kIdf, four.idf, {});
  for (std::size_t term = 0; term < four.idf.size(); ++term)
    CHECK(weights[term] * weights[term] == Approx(four.idf[term]));
}

TEST_CASE("weights by labels turn to idf where few labeled documents have the term") {
  const FourTerms four;
  const auto weights = related_term_weights(RelatedWeights::kLabels, four.idf, four.information);
  CHECK(weights[0] == Approx(four.of_labels(10, 0.5, 1)));
  CHECK(weights[1] == Approx(four.of_labels(2, 1.5, 2)));
  CHECK(weights[2] == Approx(std::sqrt(four.scale * 3)));
  CHECK(weights[3] == Approx(std::sqrt(four.scale * 4)));
}

TEST_CASE("weights by both are the geometric mean of those by idf and by labels") {
  const FourTerms four;
  const auto idf = related_term_weights(RelatedWeights::kIdf, four.idf, {});
  const auto labels = related_term_weights(RelatedWeights::kLabels, four.idf, four.information);
  const auto both = related_term_weights(RelatedWeights::kBoth, four.idf, four.information);
  for (std::size_t term = 0; term < four.idf.size(); ++term)
    CHECK(both[term] == Approx(std::sqrt(idf[term] * labels[term])));
}

TEST_CASE("labels tell nothing if no term tells one from another") {
  CHECK(LabelInformation{.divergence = {0, 0.1}, .voters = {3, 3}}.tells());
  CHECK_FALSE(LabelInformation{.divergence = {0, 0}, .voters = {3, 3}}.tells());
  CHECK_FALSE(LabelInformation{}.tells());
}

TEST_CASE("weights of an unknown name are refused") {
  CHECK(related_weights("both") == RelatedWeights::kBoth);
  CHECK(test::code_of([] { related_weights("tfidf"); }) == Errc::kInvalidArgument);
}
