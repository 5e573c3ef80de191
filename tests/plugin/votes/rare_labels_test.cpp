// Labels that few documents have, and labels that none has.
#include "plugin/votes/rare_labels.h"

#include <cmath>
#include <vector>

#include "plugin/votes/suggestion_model.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

TEST_CASE("the odds of rare labels follow from how many labels are a document less rare") {
  // 30 labels of one document, 10 of two, 10 of three.
  std::vector<std::uint32_t> documents(30, 1);
  documents.insert(documents.end(), 10, 2);
  documents.insert(documents.end(), 10, 3);
  const RareLabels rare(documents);

  CHECK(rare.corrected(.5, 1) == Approx(1 / 3.));  // odds by 20 / 40
  CHECK(rare.corrected(.5, 2) == .5);              // by 20 / 20
  CHECK(rare.corrected(.5, 3) == Approx(1 / 3.));  // by 10 / 20
  CHECK(rare.corrected(.5, 4) == .5);              // by 10 / 10
  CHECK(rare.corrected(1, 1) == 1);
  CHECK(rare.corrected(0, 1) == 0);
  CHECK(rare.corrected(.3, RareLabels::kMost + 1) == .3);
  CHECK(RareLabels().corrected(.3, 1) == .3);
}

TEST_CASE("labels are never likelier for being rare") {
  std::vector<std::uint32_t> documents(3, 1);
  documents.insert(documents.end(), 500, 2);
  CHECK(RareLabels(documents).corrected(.2, 1) == .2);
  CHECK(RareLabels(documents).corrected(.2, 2) < .2);
}

TEST_CASE("a term that no document has is the likelier, the more a text says of its name") {
  const SuggestionModel model;
  const auto likely = [&](double similarity, bool is_whole, double length) {
    const NamedTerm terms[] = {{0, 0, similarity, is_whole, length}, {1, 1, .1, false, 3}};
    return model.probability(SuggestionModel::rows(terms).front());
  };
  CHECK(likely(.6, true, 8) > likely(.4, true, 8));
  CHECK(likely(.4, true, 8) > likely(.4, false, 8));
  CHECK(likely(.4, true, 8) > likely(.4, true, 4));

  const NamedTerm alone[] = {{0, 0, .5, true, std::exp(1)}};
  CHECK(SuggestionModel::rows(alone).front() == SuggestionModel::Row{1, std::log(.5), 0, 1, 1});
}
