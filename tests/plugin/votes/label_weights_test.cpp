#include "plugin/votes/label_weights.h"

#include "gpu/document_set.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/six_documents.h"

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

/// What the labels of six documents, or of some of them, tell.
struct SixVoters : test::SixDocuments {
  RowSet rows = RowSet::all(6);

  std::vector<double> divergence(std::size_t threads = 1) const {
    const DocumentSet documents(mirror, rows);
    const Csr postings = transpose(*mirror);
    return label_information({postings.view(), documents}, 2, threads).divergence;
  }
};

}  // namespace

TEST_CASE("divergence tells how far the labels of a term are from those of all documents") {
  const SixVoters six;
  const std::vector<double> found = six.divergence();
  // Each label has mass 2.5 of 5, so p = 1/2. Term 0 is in documents 0 and 1, both of label 0 (the
  // fifth has no label), so q = (2 + .5) / 3 and .5 / 3. Term 1 is in documents 0, 2, 3 and 5.
  const auto kl = [](double a, double b) { return a * std::log(a / .5) + b * std::log(b / .5); };
  CHECK(found[0] == Approx(kl(2.5 / 3, .5 / 3)));
  CHECK(found[1] == Approx(kl((1.5 + .5) / 5, (2.5 + .5) / 5)));
  CHECK(found[2] == 0);  // only one document holds it
  CHECK(found[3] == 0);  // only an unlabeled document holds it
  CHECK(six.divergence(4) == found);
}

TEST_CASE("documents that do not vote tell nothing") {
  SixVoters six;
  const std::vector<double> all = six.divergence();
  six.rows.reset(4);  // the unlabeled one
  CHECK(six.divergence() == all);
  six.rows.reset(5);
  CHECK(six.divergence() != all);
}

TEST_CASE("weights by labels turn to idf where few labeled documents have the term") {
  const ThreeTerms three;
  const auto weights = label_weights(three.idf, three.information);
  CHECK(weights[0] == Approx(three.expected(10, 0.5, 1)));
  CHECK(weights[1] == Approx(three.expected(2, 1.5, 2)));
  CHECK(weights[2] == Approx(three.expected(0, 0, 3)));
}

TEST_CASE("without labels that tell, weights by labels are the roots of idf") {
  const std::vector<double> weights =
      label_weights({1, 2, 0, -0.5}, {.divergence = {0, 0, 0, 0}, .voters = {3, 3, 0, 1}});
  REQUIRE(weights.size() == 4);
  CHECK(weights[1] * weights[1] == Approx(2));
  CHECK(weights[2] == 0);
  CHECK(weights[3] == 0);
}
