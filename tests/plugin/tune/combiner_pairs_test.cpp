#include "plugin/tune/combiner_pairs.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "plugin/tune/combiner_fit.h"
#include "plugin/votes/combiner.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

/// Documents with random features, whose labels are those with the largest cosines and profiles.
struct Examples {
  std::size_t documents, labels;
  std::vector<float> features;
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> truth;

  Examples(std::size_t rows, std::size_t columns) : documents(rows), labels(columns) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(0, 1);
    for (std::size_t pair = 0; pair < documents * labels; ++pair) {
      const float near = std::pow(uniform(random), 20.f);
      const float share = near > .7f ? near * uniform(random) : 0;
      features.insert(features.end(),
                      {std::log(share + .01f), share, std::sqrt(share),
                       near * .5f + uniform(random) * .1f, near * 8 - 6, near * 3 - 2});
      if (uniform(random) < .5f * near) truth.push_back(static_cast<std::uint32_t>(pair % labels));
      if (pair % labels == labels - 1) begin.push_back(truth.size());
    }
  }

  std::vector<CombinerPair> pairs_of(std::size_t document) const {
    std::vector<CombinerRow> room;
    std::vector<CombinerPair> pairs;
    const std::size_t size = labels * kLabelFeatures;
    add_pairs(document, std::span(features).subspan(document * size, size),
              std::span(truth).subspan(begin[document], begin[document + 1] - begin[document]),
              room, pairs);
    return pairs;
  }
};

}  // namespace

TEST_CASE("with few labels every pair counts once") {
  const Examples examples(3, kAllLabels);
  for (std::size_t d = 0; d < 3; ++d) {
    const auto pairs = examples.pairs_of(d);
    REQUIRE(pairs.size() == examples.labels);
    CHECK(std::all_of(pairs.begin(), pairs.end(), [](const auto& p) { return p.weight == 1; }));
  }
}

TEST_CASE("with many labels some pairs stand for all of them") {
  const Examples examples(16, 1000);
  double weight = 0;
  for (std::size_t d = 0; d < 16; ++d) {
    const auto pairs = examples.pairs_of(d);
    CHECK(pairs.size() < 250);
    const auto own = std::count_if(pairs.begin(), pairs.end(), [](const CombinerPair& pair) {
      return pair.is_true && pair.weight == 1;
    });
    CHECK(static_cast<std::uint64_t>(own) == examples.begin[d + 1] - examples.begin[d]);
    for (const CombinerPair& pair : pairs) weight += pair.weight;
  }
  CHECK(weight / 16 == Approx(1000).epsilon(.02));  // each of the others in one of 16 documents
}

TEST_CASE("a combiner that is fitted to some of the pairs is close to that of all") {
  const Examples many(400, 8 * kAllLabels);
  const FittedCombiner fitted =
      fit_combiner(false, {many.documents, many.labels, many.features, many.begin, many.truth}, 2);
  double loss = 0;
  std::vector<double> probabilities(many.labels);
  for (std::size_t d = 0; d < many.documents; ++d) {
    const std::size_t size = many.labels * kLabelFeatures;
    fitted.combiner.combine(std::span(many.features).subspan(d * size, size), probabilities);
    for (std::uint32_t l = 0; l < many.labels; ++l) {
      const bool is_true =
          std::binary_search(many.truth.begin() + static_cast<long>(many.begin[d]),
                             many.truth.begin() + static_cast<long>(many.begin[d + 1]), l);
      loss -= std::log(is_true ? probabilities[l] : 1 - probabilities[l]);
    }
  }
  CHECK(fitted.log_loss == Approx(loss / static_cast<double>(many.truth.size())).epsilon(.01));
}
