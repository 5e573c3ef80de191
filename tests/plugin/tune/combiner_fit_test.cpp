// The fit of a blend, where it is known what it has to find.
#include "plugin/tune/combiner_fit.h"

#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

double logistic(double z) { return 1 / (1 + std::exp(-z)); }

struct Examples {
  TrueLabels truth;
  Shortlists lists;  // of all labels

  explicit Examples(std::size_t labels) { truth.labels = labels; }

  /// Adds a document whose labels have these features.
  void add_features(std::vector<float> features, const std::vector<std::uint32_t>& own) {
    Shortlist list{std::vector<std::uint32_t>(truth.labels), std::move(features)};
    std::iota(list.labels.begin(), list.labels.end(), 0U);
    lists.add(list);
    truth.add(own, 0);
  }
  /// Adds a document whose labels have these log-odds.
  void add(const std::vector<double>& z, const std::vector<std::uint32_t>& own) {
    std::vector<float> features;
    for (const double value : z)
      features.insert(features.end(), {static_cast<float>(value), 0, 0, .5F, 0, 0, 0, 0, 0});
    add_features(std::move(features), own);
  }

  /// Of these log-odds, without a change of what makes them.
  Calibration calibration() const {
    return fit_shares(truth, lists, false, 2).combiner.calibration;
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

}  // namespace

TEST_CASE("labels that people leave out make a large confidence less sure, not a small one") {
  const auto left_out = [](double z, double) { return .8 * logistic(z); };
  const Calibration found = drawn_examples(4000, left_out).calibration();
  for (const double z : {-4.0, 0.0, 2.0, 5.0})
    CHECK(logistic(found.corrected(z, 0)) == Approx(left_out(z, 0)).margin(.07));
  CHECK(found.likely < .5);
  CHECK(found.unlikely > .8);
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

TEST_CASE("a fitted combiner is where the gradient vanishes: mean probability is the base rate") {
  Examples examples(3);
  for (std::uint32_t d = 0; d < 40; ++d) {
    std::vector<std::uint32_t> own;
    std::vector<float> features;
    for (std::uint32_t l = 0; l < 3; ++l) {
      const bool is_true = (d * 7 + l * 3) % 5 < 2;
      if (is_true) own.push_back(l);
      const auto noise = static_cast<float>((d * 13 + l * 29) % 17) / 17;
      for (int f = 0; f < 6; ++f)
        features.push_back(noise * static_cast<float>(f + 1) / 6 + (is_true ? .4f : 0));
      for (std::size_t f = kFewShare; f < kLabelFeatures; ++f)
        features.push_back(0);  // of few voters and of names nothing is said
    }
    examples.add_features(std::move(features), own);
  }
  const FittedCombiner fitted = fit_combiner(examples.truth, examples.lists, false, 2);
  double sum = 0;
  for (const float p : combined_scores({&fitted.combiner, 1}, examples.lists, examples.truth, 2))
    sum += p;
  CHECK(sum == Approx(static_cast<double>(examples.truth.label.size())));
}

TEST_CASE("of later documents with one label, less is sure than of those that are left out") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  Examples examples(2);
  for (int d = 0; d < 20000; ++d) {
    const double z = 4 * uniform(random) - 2;
    examples.add({z, 0}, {uniform(random) < logistic(z) ? 0U : 1U});
  }

  // The log-odds are right, so the factor that fits them best is about 1.
  const Combiner combiner = fit_shares(examples.truth, examples.lists, false, 2).combiner;
  CHECK(combiner.coefficients[kLogShare] == Approx(.95).epsilon(.03));
}
