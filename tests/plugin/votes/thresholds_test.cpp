#include "plugin/votes/thresholds.h"

#include <cmath>
#include <vector>

#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

struct Label {
  std::vector<float> scores;
  std::vector<char> is_true;
  LabelScores view() const { return {scores, is_true}; }
};

}  // namespace

TEST_CASE("SCut is halfway between the score of the best F1 and the next lower one") {
  // F1 at .9: 2/3, at .8: 1, at .5: .8, at .2: 2/3
  const Label label{{.2f, .9f, .5f, .8f}, {0, 1, 0, 1}};
  CHECK(scut(label.view(), 0) == Approx((double{.8f} + double{.5f}) / 2));
}

TEST_CASE("of equal F1 the highest score is the cut, ties of scores count together") {
  // at .9: 2 * 1 / (1 + 2) = 2/3; at .5 (two documents, one true): 2 * 2 / (3 + 2) = .8
  const Label tied{{.9f, .5f, .5f, .1f}, {1, 1, 0, 0}};
  CHECK(scut(tied.view(), 0) == Approx((.5 + .1) / 2));
  // at .9: 2/3; at .6: 1/2; at .3 and .2: 2 * 2 / (4 + 2) = 2/3 again
  const Label equal{{.9f, .6f, .3f, .2f}, {1, 0, 0, 1}};
  CHECK(scut(equal.view(), 0) == Approx((.9 + .6) / 2));
}

TEST_CASE("below FBR the threshold is the largest score") {
  const Label rare{{.9f, .8f, .7f, .6f, .5f}, {0, 0, 0, 0, 1}};  // best F1: 1/3
  CHECK(scut(rare.view(), .2) == Approx(.25));
  CHECK(scut(rare.view(), .4) == Approx(.9));
}

TEST_CASE("a label that nothing has a score for is never given") {
  const Label silent{{0, 0, 0}, {1, 0, 0}};
  CHECK(std::isinf(scut(silent.view(), .2)));
  const Label absent{{.5f, .4f}, {0, 0}};
  CHECK(std::isinf(proportional_cut(absent.view())));
}

TEST_CASE("PCut gives a label as often as people did") {
  const Label label{{.9f, .8f, .7f, .6f}, {0, 1, 0, 1}};
  CHECK(proportional_cut(label.view()) == Approx((.8 + .7) / 2));
}

TEST_CASE("cross-fitted thresholds of a fold come from the others") {
  const Label label{{.2f, .9f, .5f, .8f}, {0, 1, 0, 1}};
  const std::vector<std::uint8_t> fold = {0, 1, 1, 0};
  const std::vector<double> fbrs = {0, .9};
  const auto cuts = cross_fitted_scut(label.view(), fbrs, fold, 2);
  REQUIRE(cuts.size() == 6);
  CHECK(cuts[0] == scut({std::vector<float>{.9f, .5f}, std::vector<char>{1, 0}}, 0));
  CHECK(cuts[1] == scut({std::vector<float>{.2f, .8f}, std::vector<char>{0, 1}}, 0));
  CHECK(cuts[2] == scut(label.view(), 0));
  CHECK(cuts[5] == scut(label.view(), .9));
}
