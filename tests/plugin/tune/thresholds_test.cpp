#include "plugin/tune/thresholds.h"

#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

struct Label {
  std::vector<float> scores;
  std::vector<char> is_true;
  LabelScores view() const { return {scores, is_true}; }
};

double scut(const Label& label, double fbr) {
  const std::vector<double> fbrs = {fbr};
  return LabelCuts(label.view()).scut(fbrs).front();
}

/// Few values, so that many scores tie.
Label random_label(std::mt19937& random, std::size_t documents) {
  Label label;
  for (std::size_t d = 0; d < documents; ++d) {
    label.scores.push_back(static_cast<float>(random() % 40) / 40);
    label.is_true.push_back(random() % 9 == 0 ? 1 : 0);
  }
  return label;
}

/// SCut without FBR by its definition: every score is tried as the lowest that is given.
double tried_cut(const Label& label) {
  const auto f1_from = [&](float least) {
    double right = 0, given = 0, positives = 0;
    for (std::size_t d = 0; d < label.scores.size(); ++d) {
      positives += label.is_true[d];
      if (label.scores[d] < least) continue;
      ++given;
      right += label.is_true[d];
    }
    return 2 * right / (given + positives);
  };
  std::set<float, std::greater<>> scores(label.scores.begin(), label.scores.end());
  scores.insert(0);
  double best = -1, cut = 0;
  for (auto score = scores.begin(); *score > 0; ++score) {
    if (f1_from(*score) <= best) continue;
    best = f1_from(*score);
    cut = (double{*score} + double{*std::next(score)}) / 2;
  }
  return cut;
}

}  // namespace

TEST_CASE("SCut is halfway between the score of the best F1 and the next lower one") {
  // F1 at .9: 2/3, at .8: 1, at .5: .8, at .2: 2/3
  const Label label{{.2f, .9f, .5f, .8f}, {0, 1, 0, 1}};
  CHECK(scut(label, 0) == Approx((double{.8f} + double{.5f}) / 2));
}

TEST_CASE("of equal F1 the highest score is the cut, ties of scores count together") {
  // at .9: 2 * 1 / (1 + 2) = 2/3; at .5 (two documents, one true): 2 * 2 / (3 + 2) = .8
  const Label tied{{.9f, .5f, .5f, .1f}, {1, 1, 0, 0}};
  CHECK(scut(tied, 0) == Approx((.5 + .1) / 2));
  // at .9: 2/3; at .6: 1/2; at .3 and .2: 2 * 2 / (4 + 2) = 2/3 again
  const Label equal{{.9f, .6f, .3f, .2f}, {1, 0, 0, 1}};
  CHECK(scut(equal, 0) == Approx((.9 + .6) / 2));
}

TEST_CASE("below FBR the threshold is the largest score") {
  const Label rare{{.9f, .8f, .7f, .6f, .5f}, {0, 0, 0, 0, 1}};  // best F1: 1/3
  CHECK(scut(rare, .2) == Approx(.25));
  CHECK(scut(rare, .4) == Approx(.9));
}

TEST_CASE("a label that nothing has a score for is never given") {
  const Label silent{{0, 0, 0}, {1, 0, 0}};
  CHECK(std::isinf(scut(silent, .2)));
}

TEST_CASE("cross-fitted thresholds of a fold come from the others") {
  const Label label{{.2f, .9f, .5f, .8f}, {0, 1, 0, 1}};
  const std::vector<std::uint8_t> fold = {0, 1, 1, 0};
  const std::vector<double> fbrs = {0, .9};
  const auto cuts = LabelCuts(label.view(), fold, 2).scut(fbrs);
  REQUIRE(cuts.size() == 6);
  CHECK(cuts[0] == scut(Label{{.9f, .5f}, {1, 0}}, 0));
  CHECK(cuts[1] == scut(Label{{.2f, .8f}, {0, 1}}, 0));
  CHECK(cuts[2] == scut(label, 0));
  CHECK(cuts[5] == scut(label, .9));
}

TEST_CASE("sorting no more than is needed changes no threshold") {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    const Label label = random_label(random, 1 + random() % 700);
    REQUIRE(scut(label, 0) == tried_cut(label));
  }
}

TEST_CASE("documents from a score on are visited, the best first") {
  const Label label{{.2f, .9f, 0, .5f, .9f}, {0, 1, 0, 1, 0}};
  LabelCuts cuts(label.view());
  std::vector<std::uint32_t> visited;
  cuts.each_from(.5, [&](std::uint32_t document) { visited.push_back(document); });
  CHECK(visited == std::vector<std::uint32_t>{1, 4, 3});
}
