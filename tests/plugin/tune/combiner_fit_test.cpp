#include "plugin/tune/combiner_fit.h"

#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

double logistic(double z) { return 1 / (1 + std::exp(-z)); }

/// A combiner whose log-odds are one feature.
Combiner by_linear(bool single_label, double coefficient) {
  Combiner combiner;
  combiner.single_label = single_label;
  combiner.coefficients[kLinear] = coefficient;
  return combiner;
}

struct Examples {
  TrueLabels truth;
  std::vector<float> features;

  explicit Examples(std::size_t labels) { truth.labels = labels; }

  /// Adds a document whose labels have these log-odds.
  void add(const std::vector<double>& z, const std::vector<std::uint32_t>& own) {
    for (const double value : z)
      features.insert(features.end(), {0, 0, 0, .5F, 0, static_cast<float>(value)});
    truth.add(own, 0);
  }
  Calibration calibration(std::size_t threads = 2) const {
    return recalibrated(by_linear(false, 1), truth, truth.documents, features, threads).calibration;
  }
};

/// Documents of some labels with drawn log-odds. A pair is true with probability true_at(z, lead).
template <typename TrueAt>
Examples drawn_examples(std::size_t documents, TrueAt&& true_at) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal(-3, 3);
  std::uniform_real_distribution<double> uniform(0, 1);
  Examples examples(8);
  for (std::size_t d = 0; d < documents; ++d) {
    std::vector<double> z(8);
    for (double& value : z) value = normal(random);
    std::vector<std::uint32_t> own;
    for (std::uint32_t l = 0; l < z.size(); ++l) {
      double other = -INFINITY;
      for (std::uint32_t m = 0; m < z.size(); ++m) other = m == l ? other : std::max(other, z[m]);
      if (uniform(random) < true_at(z[l], z[l] - other)) own.push_back(l);
    }
    examples.add(z, own);
  }
  return examples;
}

/// Documents with random features, whose labels are those with the largest cosines and profiles.
Examples random_examples(std::size_t documents, std::size_t labels) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(0, 1);
  Examples examples(labels);
  for (std::size_t d = 0; d < documents; ++d) {
    std::vector<std::uint32_t> own;
    for (std::uint32_t l = 0; l < labels; ++l) {
      const float near = std::pow(uniform(random), 20.f);
      const float share = near > .7f ? near * uniform(random) : 0;
      examples.features.insert(examples.features.end(),
                               {std::log(share + .01f), share, std::sqrt(share),
                                near * .5f + uniform(random) * .1f, near * 8 - 6, near * 3 - 2});
      if (uniform(random) < .5f * near) own.push_back(l);
    }
    examples.truth.add(own, 0);
  }
  return examples;
}

}  // namespace

TEST_CASE("log-odds that say what is true stay nearly as they are") {
  const auto found =
      drawn_examples(4000, [](double z, double) { return logistic(z); }).calibration();
  for (const double z : {-8.0, -2.0, 0.0, 2.0, 5.0})
    CHECK(found.corrected(z, 0) == Approx(z).margin(.3));
}

TEST_CASE("labels that people leave out make a large confidence less sure, not a small one") {
  const auto left_out = [](double z, double) { return .8 * logistic(z); };
  const Examples examples = drawn_examples(4000, left_out);
  const Calibration found = examples.calibration();
  for (const double z : {-4.0, 0.0, 2.0, 5.0})
    CHECK(logistic(found.corrected(z, 0)) == Approx(left_out(z, 0)).margin(.07));
  CHECK(found.likely < .5);
  CHECK(found.unlikely > .8);
  CHECK(examples.calibration(1) == found);
}

TEST_CASE("a calibration tells the best label from others of the same log-odds") {
  const auto found = drawn_examples(4000, [](double z, double lead) {
                       return logistic(z + std::max(lead, 0.0) / 2);
                     }).calibration();
  CHECK(found.ahead == Approx(.5).margin(.1));
}

TEST_CASE("a calibration keeps the order of labels where log-odds mislead") {
  const auto found =
      drawn_examples(500, [](double z, double) { return logistic(-z); }).calibration();
  double last = -INFINITY;
  for (double z = -10; z <= 10; z += .5) {
    CHECK(found.corrected(z, 0) >= last);
    last = found.corrected(z, 0);
  }
}

TEST_CASE("few documents hardly change a calibration") {
  Examples examples(2);
  examples.add({2, -1}, {0});
  const Calibration found = examples.calibration();
  CHECK(found.likely == Approx(1).margin(.5));
  CHECK(found.unlikely == Approx(1).margin(.5));
  CHECK(found.ahead < .5);
}

TEST_CASE("a combiner that is calibrated again keeps the order of labels") {
  const bool single_label = GENERATE(false, true);
  Examples examples(4);
  for (std::uint32_t d = 0; d < 300; ++d) {
    std::vector<double> z = {-1, -1.1, -1.2, -1.3};
    z[d % 4] = 2;
    examples.add(z, {(d + (d % 4 == 0 ? 1 : 0)) % 4});  // one of four is not what it seems to be
  }
  const Combiner sure = by_linear(single_label, 5);
  const Combiner found = recalibrated(sure, examples.truth, 300, examples.features, 2);
  std::vector<double> before(4), after(4);
  sure.combine(std::span(examples.features).first(4 * kLabelFeatures), before);
  found.combine(std::span(examples.features).first(4 * kLabelFeatures), after);
  CHECK(before[0] > .99);
  CHECK(after[0] == Approx(.75).margin(.05));
  for (std::size_t l = 0; l + 1 < 4; ++l) CHECK(after[l] > after[l + 1]);
}

TEST_CASE(
    "features that say nothing of some documents say nothing of others, and are not believed") {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 1);
  Examples examples(10);
  examples.truth.folds = 5;
  for (std::uint32_t d = 0; d < 60; ++d) {
    for (int label = 0; label < 10; ++label)
      for (std::size_t f = 0; f < kLabelFeatures; ++f)
        examples.features.push_back(f == kCosine ? std::abs(normal(random)) + .1F : normal(random));
    const auto own = static_cast<std::uint32_t>(random() % 10);
    examples.truth.add({&own, 1}, static_cast<std::uint8_t>(d % 5));
  }
  const FittedCombiner fitted = fit_combiner(examples.truth, examples.features, 2);
  CHECK(fitted.log_loss == Approx(std::log(10)).margin(.1));
  for (const float score :
       combined_scores({&fitted.combiner, 1}, examples.features, examples.truth, 2))
    CHECK(score == Approx(.1).margin(.1));
}

TEST_CASE("a combiner that is fitted to some of the pairs is close to that of all") {
  const Examples many = random_examples(400, 1024);
  const FittedCombiner fitted = fit_combiner(many.truth, many.features, 2);
  const std::vector<float> scores =
      combined_scores({&fitted.combiner, 1}, many.features, many.truth, 2);
  double loss = 0;
  for (std::size_t d = 0; d < many.truth.documents; ++d) {
    for (std::size_t l = 0; l < many.truth.labels; ++l) {
      const double p = scores[d * many.truth.labels + l];
      loss -= std::log(many.truth.has(d, l) ? p : 1 - p);
    }
  }
  CHECK(fitted.log_loss ==
        Approx(loss / static_cast<double>(many.truth.label.size())).epsilon(.02));
}

TEST_CASE("a fitted combiner is where the gradient vanishes: mean probability is the base rate") {
  Examples examples(3);
  for (std::uint32_t d = 0; d < 40; ++d) {
    std::vector<std::uint32_t> own;
    for (std::uint32_t l = 0; l < 3; ++l) {
      const bool is_true = (d * 7 + l * 3) % 5 < 2;
      if (is_true) own.push_back(l);
      const auto noise = static_cast<float>((d * 13 + l * 29) % 17) / 17;
      for (int f = 0; f < 6; ++f)
        examples.features.push_back(noise * static_cast<float>(f + 1) / 6 + (is_true ? .4f : 0));
    }
    examples.truth.add(own, 0);
  }
  const FittedCombiner fitted = fit_combiner(examples.truth, examples.features, 2);
  double sum = 0;
  for (const float p : combined_scores({&fitted.combiner, 1}, examples.features, examples.truth, 2))
    sum += p;
  CHECK(sum == Approx(static_cast<double>(examples.truth.label.size())));
  CHECK(fit_combiner(examples.truth, examples.features, 1).combiner.coefficients ==
        fitted.combiner.coefficients);
}
