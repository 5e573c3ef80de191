// Corrections of term weights, against finite differences of their loss.
#include "plugin/tune/correction_fit.h"

#include "tests/fixtures/catch.h"
#include "tests/fixtures/six_documents.h"

using namespace kindred;

namespace {

/// Four documents that are judged by their neighbors: three have three neighbors, the last has two.
struct FourJudged : test::SixDocuments {
  TermWeighting base{{1.0, 0.7, 0.4, 0.9}, {0, 1, 1.7}};
  std::vector<std::uint32_t> documents = {1, 3, 4, 6};
  std::vector<Neighbor> neighbors = {{2, .5f}, {4, .5f}, {6, .5f}, {1, .5f}, {4, .5f}, {6, .5f},
                                     {1, .5f}, {3, .5f}, {6, .5f}, {1, .5f}, {4, .5f}, {}};

  CorrectionExamples examples() const { return {*mirror, base, documents, neighbors, 3}; }
};

/// The loss, by its definition.
double loss_of(const CorrectionExamples& set, const std::vector<double>& theta, double lambda) {
  std::map<std::uint32_t, std::map<std::uint32_t, double>> units;
  for (const std::uint32_t document : set.mirror.numbers()) {
    double squares = 0;
    const RowEntries own = set.mirror.terms_of(document);
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::uint32_t term = own.columns[i];
      const double w = set.base.tf[own.counts[i]] * set.base.idf[term];
      squares += std::pow(units[document][term] = w * std::exp(theta[term]), 2);
    }
    for (auto& [term, unit] : units[document]) unit /= std::sqrt(squares);
  }
  double loss = 0;
  for (const double t : theta) loss += lambda * t * t;
  for (std::size_t d = 0; d < set.documents.size(); ++d) {
    std::map<std::uint32_t, double> shares;
    const auto own = set.mirror.labels_of(set.documents[d]);
    double total = 0;
    for (const std::uint32_t label : own) shares[label];
    for (const Neighbor& neighbor : set.neighbors.subspan(d * set.k, set.k)) {
      if (neighbor.number == kNoDocument) continue;
      double s = 0;
      for (const auto& [term, unit] : units[set.documents[d]])
        s += unit * units[neighbor.number][term];
      total += std::pow(s, 5);
      for (const std::uint32_t label : set.mirror.labels_of(neighbor.number))
        shares[label] += std::pow(s, 5);
    }
    for (const auto& [label, share] : shares) {
      const double p = std::ranges::count(own, label) > 0 ? share / total : 1 - share / total;
      loss -= std::log((p + .02) / 1.02);
    }
  }
  return loss;
}

}  // namespace

TEST_CASE("the gradient of corrections agrees with finite differences of their loss") {
  const FourJudged four;
  const CorrectionExamples examples = four.examples();
  const std::vector<double> theta = {.1, -.2, .3, 0};
  const std::vector<double> gradient = correction_gradient(examples, theta, 0.3, 2);
  for (std::size_t t = 0; t < 4; ++t) {
    constexpr double kStep = 1e-5;
    std::vector<double> up = theta, down = theta;
    up[t] += kStep;
    down[t] -= kStep;
    const double slope = (loss_of(examples, up, 0.3) - loss_of(examples, down, 0.3)) / (2 * kStep);
    CHECK(gradient[t] == Approx(slope).margin(1e-7));
  }
}

TEST_CASE("corrections lower the loss, and are the same on any number of threads") {
  const FourJudged four;
  const CorrectionExamples examples = four.examples();
  const std::vector<double> theta = fit_corrections(examples, 0.3, 10, 1);
  CHECK(fit_corrections(examples, 0.3, 10, 4) == theta);
  CHECK(loss_of(examples, theta, 0.3) < loss_of(examples, std::vector<double>(4), 0.3));
}
