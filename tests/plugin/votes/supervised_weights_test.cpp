#include "plugin/votes/weights/supervised_weights.h"

#include <cmath>
#include <vector>

#include "gpu/csr.h"
#include "gpu/row_set.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/random_csr.h"

using namespace kindred;

namespace {

/// Six documents with four terms and the labels 0 and 1. The last document has both labels, the
/// fifth has none.
struct SixDocuments {
  Csr counts;
  std::vector<std::uint64_t> label_begin = {0, 1, 2, 3, 4, 4, 6};
  std::vector<std::uint32_t> label = {0, 0, 1, 1, 0, 1};
  RowSet rows = RowSet::all(6);
  Csr postings;

  SixDocuments() {
    counts.columns = 4;
    const std::vector<std::vector<std::uint32_t>> terms = {{0, 1}, {0}, {1, 2}, {1}, {0, 3}, {1}};
    for (const auto& row : terms) {
      for (const std::uint32_t term : row) {
        counts.column.push_back(term);
        counts.count.push_back(1);
      }
      counts.row_begin.push_back(counts.column.size());
    }
    postings = transpose(counts.view());
  }
  Voters voters() const {
    return {postings.view(), LabelView{6, label_begin.data(), label.data()}, rows};
  }
};

}  // namespace

TEST_CASE("divergence weighs a term by how far its labels are from those of all documents") {
  const SixDocuments six;
  const auto weights = score_terms(TermScore::kDivergence, six.voters(), 2, 1);
  // Each label has mass 2.5 of 5, so p = 1/2. Term 0 is in documents 0 and 1, both of label 0 (the
  // fifth has no label), so q = (2 + .5) / 3 and .5 / 3. Term 1 is in documents 0, 2, 3 and 5.
  const auto kl = [](double a, double b) {
    return std::sqrt(a * std::log(a / .5) + b * std::log(b / .5));
  };
  CHECK(weights[0] == Approx(kl(2.5 / 3, .5 / 3)));
  CHECK(weights[1] == Approx(kl((1.5 + .5) / 5, (2.5 + .5) / 5)));
  CHECK(weights[2] == 0);  // only one document holds it
  CHECK(weights[3] == 0);  // only an unlabeled document holds it
}

TEST_CASE("information gain has its closed form") {
  const SixDocuments six;
  const auto gain = score_terms(TermScore::kInformationGain, six.voters(), 2, 2);
  // Documents with term 0 have label 0 only. Those without it have masses .5 and 2.5 of 3.
  const auto h = [](double p) {
    return p <= 0 || p >= 1 ? 0 : -p * std::log(p) - (1 - p) * std::log(1 - p);
  };
  CHECK(gain[0] == Approx(h(.5) - 3.0 / 5 * h(.5 / 3)));
}

TEST_CASE("rows that do not vote change no weight") {
  SixDocuments six;
  const auto all = score_terms(TermScore::kDivergence, six.voters(), 2, 1);
  six.rows.reset(4);  // the unlabeled one
  CHECK(score_terms(TermScore::kDivergence, six.voters(), 2, 1) == all);
  six.rows.reset(5);
  CHECK(score_terms(TermScore::kDivergence, six.voters(), 2, 1) != all);
}

TEST_CASE("the best share of the terms keeps its weights, ties go to the lower term") {
  std::vector<double> weights = {1, 2, 3, 4, 5};
  keep_best_terms({.5, .1, 0, .5, .5}, 0.5, weights);  // two of four with a score
  CHECK(weights == std::vector<double>{1, 0, 0, 4, 0});
}

TEST_CASE("supervised weights are the same on any number of threads") {
  const SixDocuments six;
  CHECK(score_terms(TermScore::kDivergence, six.voters(), 2, 1) ==
        score_terms(TermScore::kDivergence, six.voters(), 2, 4));
}
