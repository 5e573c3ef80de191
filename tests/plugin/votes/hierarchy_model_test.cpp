// Labels that are above and below others on a shortlist.
#include "plugin/votes/hierarchy_model.h"

#include "plugin/tune/hierarchy_fit.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

/// animals > dogs > poodles, and plants.
LabelHierarchy four_labels() {
  std::vector<api::VocabularyTerm> terms(4);
  terms[0].id = "animals";
  terms[1].id = "dogs";
  terms[1].broader = {"animals"};
  terms[2].id = "plants";
  terms[3].id = "poodles";
  terms[3].broader = {"dogs"};
  StringTable labels;
  for (const char* label : {"animals", "dogs", "plants", "poodles"}) labels.push_back(label);
  labels.index();
  return {Vocabulary(terms), labels};
}

}  // namespace

TEST_CASE("a label knows those above it at any distance") {
  const LabelHierarchy hierarchy = four_labels();
  CHECK_FALSE(hierarchy.is_flat());
  CHECK(hierarchy.above(0).empty());
  CHECK(std::vector<std::uint32_t>(hierarchy.above(3).begin(), hierarchy.above(3).end()) ==
        std::vector<std::uint32_t>{1, 0});
  CHECK(LabelHierarchy(Vocabulary(), StringTable()).is_flat());
}

TEST_CASE("what is said of kin changes the odds of a label, and nothing else does") {
  const std::vector<std::uint32_t> labels = {0, 2, 3};
  std::vector<double> probabilities = {.5, .5, .8};
  HierarchyModel().correct<double>(four_labels(), labels, probabilities);
  CHECK(probabilities == std::vector<double>{.5, .5, .8});

  const HierarchyModel only_the_narrowest{-2, 0, 0};
  only_the_narrowest.correct<double>(four_labels(), labels, probabilities);
  CHECK(probabilities[0] == Approx(1 / (1 + std::exp(2 * .8))));
  CHECK(probabilities[1] == .5);
  CHECK(probabilities[2] == .8);
}

TEST_CASE("a tuning learns whether people give a broader label, too") {
  const LabelHierarchy hierarchy = four_labels();
  for (const bool gives_both : {false, true}) {
    TrueLabels truth;
    truth.labels = 4;
    truth.folds = 1;
    Shortlists lists;
    std::vector<float> scores;
    for (int d = 0; d < 200; ++d) {
      std::vector<std::uint32_t> own = {1};
      if (gives_both) own = {0, 1};
      truth.add(own, 0);
      lists.add(Shortlist{{0, 1}, std::vector<float>(2 * kLabelFeatures)});
      scores.insert(scores.end(), {.5F, .9F});
    }

    const HierarchyModel model = fit_hierarchy(hierarchy, scores, lists, truth);
    CHECK(model.both == (gives_both ? 1 : 0));
    CHECK((model.below > 1) == gives_both);
    CHECK((model.below < -1) == !gives_both);
  }

  // Without anything to learn from, nothing changes.
  CHECK_FALSE(fit_hierarchy(hierarchy, {}, Shortlists(), TrueLabels()).is_used());
}
