// Corrections of term weights, against finite differences of their loss.
#include "plugin/tune/correction_fit.h"

#include <vector>

#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

/// Six documents with four terms and the labels 0 and 1. Four documents are judged by their
/// neighbors: three have three neighbors, the last has two.
struct SixDocuments {
  Csr counts;
  std::vector<std::uint64_t> label_begin = {0, 1, 2, 3, 4, 4, 6};
  std::vector<std::uint32_t> label = {0, 0, 1, 1, 0, 1};
  TermWeighting base{{1.0, 0.7, 0.4, 0.9}, {0, 1, 1.7}};
  std::vector<std::uint32_t> documents = {0, 2, 3, 5};
  std::vector<Neighbor> neighbors = {{1, .5f}, {3, .5f}, {5, .5f}, {0, .5f}, {3, .5f}, {5, .5f},
                                     {0, .5f}, {2, .5f}, {5, .5f}, {0, .5f}, {3, .5f}, {}};

  SixDocuments() {
    counts.columns = 4;
    counts.row_begin = {0, 2, 3, 5, 6, 8, 9};
    counts.column = {0, 1, 0, 1, 2, 1, 0, 3, 1};
    counts.count.assign(counts.column.size(), 1);
  }
  CorrectionExamples examples() const {
    return {counts.view(), LabelView{6, label_begin.data(), label.data()},
            &base,         documents,
            neighbors,     3};
  }
};

}  // namespace

TEST_CASE("the gradient of corrections agrees with finite differences of their loss") {
  const SixDocuments six;
  const CorrectionExamples examples = six.examples();
  std::vector<double> theta = {.1, -.2, .3, 0}, gradient(4), ignored(4);
  correction_loss(examples, theta, 0.3, 2, gradient);
  for (std::size_t t = 0; t < 4; ++t) {
    constexpr double kStep = 1e-5;
    std::vector<double> up = theta, down = theta;
    up[t] += kStep;
    down[t] -= kStep;
    const double slope = (correction_loss(examples, up, 0.3, 1, ignored) -
                          correction_loss(examples, down, 0.3, 1, ignored)) /
                         (2 * kStep);
    CHECK(gradient[t] == Approx(slope).margin(1e-7));
  }
}

TEST_CASE("corrections lower the loss, and are the same on any number of threads") {
  const SixDocuments six;
  const CorrectionExamples examples = six.examples();
  const std::vector<double> theta = fit_corrections(examples, 0.3, 10, 1);
  CHECK(fit_corrections(examples, 0.3, 10, 4) == theta);
  std::vector<double> ignored(4);
  CHECK(correction_loss(examples, theta, 0.3, 1, ignored) <
        correction_loss(examples, std::vector<double>(4), 0.3, 1, ignored));
}
