#include "plugin/tune/calibration_fit.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "plugin/tune/calibration_fit.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

/// Documents of some labels with drawn log-odds. A pair is true with probability true_at(z, lead).
template <typename TrueAt>
std::vector<std::vector<ScoredPair>> drawn_pairs(std::size_t documents, TrueAt&& true_at) {
  constexpr std::size_t kLabels = 8, kOfChunk = 100;
  std::mt19937 random(5);
  std::normal_distribution<double> normal(-3, 3);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::vector<ScoredPair>> chunks((documents + kOfChunk - 1) / kOfChunk);
  for (std::size_t d = 0; d < documents; ++d) {
    std::vector<ScoredPair> pairs(kLabels);
    for (ScoredPair& pair : pairs) pair.z = normal(random);
    for (ScoredPair& pair : pairs) {
      double other = -INFINITY;
      for (const ScoredPair& of : pairs) other = &of == &pair ? other : std::max(other, of.z);
      pair.lead = pair.z - other;
      pair.is_true = uniform(random) < true_at(pair.z, pair.lead);
    }
    auto& chunk = chunks[d / kOfChunk];
    chunk.insert(chunk.end(), pairs.begin(), pairs.end());
  }
  return chunks;
}

double logistic(double z) { return 1 / (1 + std::exp(-z)); }

}  // namespace

TEST_CASE("log-odds that say what is true stay nearly as they are") {
  const auto found =
      fit_calibration(drawn_pairs(4000, [](double z, double) { return logistic(z); }), 2)
          .calibration;
  for (const double z : {-8.0, -2.0, 0.0, 2.0, 5.0})
    CHECK(found.corrected(z, 0) == Approx(z).margin(.3));
}

TEST_CASE("labels that people leave out make a large confidence less sure, not a small one") {
  const auto left_out = [](double z, double) { return .8 * logistic(z); };
  const auto chunks = drawn_pairs(4000, left_out);
  const FittedCalibration fitted = fit_calibration(chunks, 2);
  for (const double z : {-4.0, 0.0, 2.0, 5.0})
    CHECK(logistic(fitted.calibration.corrected(z, 0)) == Approx(left_out(z, 0)).margin(.07));
  CHECK(fitted.calibration.likely < .5);
  CHECK(fitted.calibration.unlikely > .8);
  CHECK(fit_calibration(chunks, 1).calibration == fitted.calibration);
}

TEST_CASE("a calibration tells the best label from others of the same log-odds") {
  const auto found =
      fit_calibration(
          drawn_pairs(4000,
                      [](double z, double lead) { return logistic(z + std::max(lead, 0.0) / 2); }),
          2)
          .calibration;
  CHECK(found.ahead == Approx(.5).margin(.1));
}

TEST_CASE("a calibration keeps the order of labels where log-odds mislead") {
  const auto found =
      fit_calibration(drawn_pairs(500, [](double z, double) { return logistic(-z); }), 2)
          .calibration;
  double last = -INFINITY;
  for (double z = -10; z <= 10; z += .5) {
    CHECK(found.corrected(z, 0) >= last);
    last = found.corrected(z, 0);
  }
}

TEST_CASE("few documents hardly change a calibration") {
  std::vector<std::vector<ScoredPair>> chunks(1);
  chunks[0] = {{2, 3, 1, true}, {-1, -3, 1, false}};
  const Calibration found = fit_calibration(chunks, 1).calibration;
  CHECK(found.likely == Approx(1).margin(.5));
  CHECK(found.unlikely == Approx(1).margin(.5));
  CHECK(found.ahead < .5);
}

TEST_CASE("a combiner that is calibrated again keeps the order of labels") {
  const bool single_label = GENERATE(false, true);
  constexpr std::size_t kDocuments = 300, kLabels = 4;
  std::vector<float> features;
  std::vector<std::uint64_t> begin = {0};
  std::vector<std::uint32_t> truth;
  for (std::size_t d = 0; d < kDocuments; ++d) {
    for (std::uint32_t l = 0; l < kLabels; ++l) {
      features.insert(
          features.end(),
          {0, 0, 0, 0, 0, d % kLabels == l ? 2.0F : -1.0F - .1F * static_cast<float>(l)});
    }
    const std::size_t wrong = d % 4 == 0 ? 1 : 0;  // one of four is not what it seems to be
    truth.push_back(static_cast<std::uint32_t>((d + wrong) % kLabels));
    begin.push_back(truth.size());
  }
  Combiner sure;
  sure.single_label = single_label;
  sure.coefficients[kLinear] = 5;
  const CombinerExamples examples{kDocuments, kLabels, features, begin, truth};
  const Combiner found = recalibrated(sure, examples, 2);
  std::vector<double> before(kLabels), after(kLabels);
  sure.combine(std::span(features).first(kLabels * kLabelFeatures), before);
  found.combine(std::span(features).first(kLabels * kLabelFeatures), after);
  CHECK(before[0] > .99);
  CHECK(after[0] == Approx(.75).margin(.05));
  for (std::size_t l = 0; l + 1 < kLabels; ++l) CHECK(after[l] > after[l + 1]);
}
