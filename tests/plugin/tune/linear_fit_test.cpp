// Linear classifiers are at the optimum of their problem.
#include "plugin/tune/linear_fit.h"

#include "tests/fixtures/catch.h"
#include "tests/fixtures/segmented_mirror.h"

using namespace kindred;

namespace {

constexpr std::uint32_t kTerms = 40, kLabels = 3;

/// Documents of up to eight terms. Those of a label lean towards every third term.
struct Collection {
  test::Labels labels;
  LinearExamples examples;

  explicit Collection(std::size_t documents)
      : Collection(test::random_labels(static_cast<std::uint32_t>(documents), kLabels, 1)) {
    std::mt19937_64 random(2);
    for (std::uint32_t d = 0; d < documents; ++d) add(d, random);
  }
  explicit Collection(test::Labels own) : labels(std::move(own)) {
    examples.of_label.resize(kLabels);
    for (std::uint32_t d = 0; d < labels.view().rows; ++d)
      for (const std::uint32_t label : labels.view().of(d)) examples.of_label[label].push_back(d);
  }

  void add(std::uint32_t document, std::mt19937_64& random) {
    std::vector<double> weights(kTerms, 0);
    for (int i = 0; i < 8; ++i) {
      auto term = static_cast<std::uint32_t>(random() % kTerms);
      const auto own = labels.view().of(document);
      if (!own.empty() && random() % 2 == 0) term = term / 3 * 3 % kTerms + own.front();
      weights[term % kTerms] += 1;
    }
    std::vector<std::uint32_t> terms(kTerms);
    std::iota(terms.begin(), terms.end(), 0U);
    examples.vectors.add_weights(terms, weights);
  }

  std::span<const std::uint32_t> terms(std::size_t document) const {
    return examples.vectors.terms(document);
  }
  std::span<const double> weights(std::size_t document) const {
    return examples.vectors.weights(document);
  }
  bool has(std::uint32_t document, std::uint32_t label) const {
    return std::ranges::binary_search(labels.view().of(document), label);
  }
};

/// A classifier in plain numbers; the offset is the last.
std::vector<double> plain(const LinearClassifiers& parts, std::uint32_t label) {
  std::vector<double> weights(kTerms + 1, 0);
  for (std::uint32_t term = 0; term < kTerms; ++term) {
    for (std::uint64_t i = parts.begin[term]; i < parts.begin[term + 1]; ++i)
      if (parts.entries[i].label == label)
        weights[term] = parts.entries[i].weight * LinearClassifiers::kUnit;
  }
  weights[kTerms] = parts.offset[label] * LinearClassifiers::kUnit;
  return weights;
}

constexpr double kCostOfOwn = 2;
constexpr double kCostOfOthers = .5;

double objective(const Collection& of, const std::vector<double>& weights, std::uint32_t label) {
  double sum = 0;
  for (const double weight : weights) sum += weight * weight / 2;
  for (std::uint32_t d = 0; d < of.labels.view().rows; ++d) {
    double value = weights[kTerms];
    for (std::size_t i = 0; i < of.terms(d).size(); ++i)
      value += weights[of.terms(d)[i]] * of.weights(d)[i];
    const double missing = std::max(0.0, 1 - (of.has(d, label) ? value : -value));
    sum += (of.has(d, label) ? kCostOfOwn : kCostOfOthers) * missing * missing;
  }
  return sum;
}

/// The least objective, by many small steps downhill.
double least_objective(const Collection& of, std::uint32_t label) {
  std::vector<double> weights(kTerms + 1, 0);
  for (int step = 0; step < 3000; ++step) {
    std::vector<double> gradient = weights;
    for (std::uint32_t d = 0; d < of.labels.view().rows; ++d) {
      double value = weights[kTerms];
      for (std::size_t i = 0; i < of.terms(d).size(); ++i)
        value += weights[of.terms(d)[i]] * of.weights(d)[i];
      const double y = of.has(d, label) ? 1 : -1;
      const double cost = of.has(d, label) ? kCostOfOwn : kCostOfOthers;
      const double by = 2 * cost * y * std::max(0.0, 1 - y * value);
      gradient[kTerms] -= by;
      for (std::size_t i = 0; i < of.terms(d).size(); ++i)
        gradient[of.terms(d)[i]] -= by * of.weights(d)[i];
    }
    for (std::uint32_t i = 0; i <= kTerms; ++i) weights[i] -= .001 * gradient[i];
  }
  return objective(of, weights, label);
}

}  // namespace

TEST_CASE("a linear classifier is close to the best") {
  const Collection collection(100);
  const LinearClassifiers parts = fit_linear(collection.examples, kTerms, 2);
  for (std::uint32_t label = 0; label < kLabels; ++label) {
    const double found = objective(collection, plain(parts, label), label);
    CHECK(found < 1.1 * least_objective(collection, label));
  }
}

TEST_CASE("documents without a term of the label count as many as they are") {
  Collection collection(test::Labels{{0, 1, 1, 1, 1}, {0}});
  for (const std::uint32_t term : {0U, 1U, 2U, 3U})
    collection.examples.vectors.add_weights(std::vector{term}, std::vector{1.0});
  const LinearClassifiers parts = fit_linear(collection.examples, kTerms, 1);
  // At the optimum w = 4 (1 - w - o), and o = w - 3 (1 + o).
  const std::vector<double> found = plain(parts, 0);
  CHECK(found[0] == Approx(28.0 / 24).margin(.1));
  CHECK(found[kTerms] == Approx(-11.0 / 24).margin(.1));
}
