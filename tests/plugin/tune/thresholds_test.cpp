#include "plugin/tune/thresholds.h"

#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

/// Scores of one label, and the documents that have it. The others have another label, which is
/// always given.
struct Label {
  std::vector<float> scores;
  std::vector<char> is_true;
  std::vector<std::uint8_t> fold = std::vector<std::uint8_t>(scores.size(), 0);

  LabelCuts cuts() const {
    TrueLabels truth;
    truth.labels = 2;
    truth.folds = 2;
    std::vector<float> of_both;
    for (std::size_t d = 0; d < scores.size(); ++d) {
      of_both.insert(of_both.end(), {scores[d], 1});
      const std::vector<std::uint32_t> own = {0, 1};
      truth.add(std::span(own).subspan(is_true[d] != 0 ? 0 : 1), fold[d]);
    }
    return cut_labels(of_both, truth);
  }
  double cut() const { return cuts().thresholds.front(); }
};

/// Few values, so that many scores tie.
Label random_label(std::mt19937& random, std::size_t documents) {
  Label label;
  for (std::size_t d = 0; d < documents; ++d) {
    label.scores.push_back(static_cast<float>(4 + random() % 36) / 40);
    label.is_true.push_back(random() % 2 == 0 ? 1 : 0);
  }
  label.fold.assign(documents, 0);
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
  return std::max(cut, .1);
}

}  // namespace

TEST_CASE("SCut is halfway between the score of the best F1 and the next lower one") {
  // F1 at .9: 2/3, at .8: 1, at .5: .8, at .2: 2/3
  const Label label{{.2f, .9f, .5f, .8f}, {0, 1, 0, 1}};
  CHECK(label.cut() == Approx((double{.8f} + double{.5f}) / 2));
}

TEST_CASE("of equal F1 the highest score is the cut, ties of scores count together") {
  // at .9: 2 * 1 / (1 + 2) = 2/3; at .5 (two documents, one true): 2 * 2 / (3 + 2) = .8
  const Label tied{{.9f, .5f, .5f, .1f}, {1, 1, 0, 0}};
  CHECK(tied.cut() == Approx((.5 + .1) / 2));
  // at .9: 2/3; at .6: 1/2; at .3 and .2: 2 * 2 / (4 + 2) = 2/3 again
  const Label equal{{.9f, .6f, .3f, .2f}, {1, 0, 0, 1}};
  CHECK(equal.cut() == Approx((.9 + .6) / 2));
}

TEST_CASE("below FBR the threshold is the largest score") {
  CHECK(Label{{.9f, .8f, .7f, .6f, .5f}, {0, 0, 0, 0, 1}}.cut() == Approx(.25));         // F1: 1/3
  CHECK(Label{{.9f, .8f, .7f, .6f, .5f, .4f}, {0, 0, 0, 0, 0, 1}}.cut() == Approx(.9));  // 2/7
}

TEST_CASE("FBR is lower where that gives the higher F1") {
  Label label{{.9f, .8f, .7f, .6f, .5f, .4f}, {0, 0, 0, 0, 0, 1}};
  label.scores.insert(label.scores.end(), label.scores.begin(), label.scores.end());
  label.is_true.insert(label.is_true.end(), label.is_true.begin(), label.is_true.end());
  label.fold = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  CHECK(label.cut() == Approx(.2));  // 2/7: the largest score would never be right
}

TEST_CASE("no threshold is below a tenth") {
  CHECK(Label{{0, 0, 0}, {1, 0, 0}}.cut() == .1);
  CHECK(Label{{.11f, .05f, 0}, {1, 0, 0}}.cut() == .1);
}

TEST_CASE("what is measured of a fold goes by thresholds from the others") {
  const Label label{{.2f, .9f, .6f, .8f}, {0, 1, 0, 1}, {0, 1, 1, 0}};
  CHECK(label.cut() == Label{{.2f, .9f, .6f, .8f}, {0, 1, 0, 1}}.cut());
  // Fold 0 is cut at (.9 + .6) / 2, fold 1 at (.8 + .2) / 2, which lets .6 pass, too. All have the
  // other label.
  CHECK(label.cuts().micro_f1 == Approx(2.0 * 6 / (7 + 6)));
  CHECK(label.cuts().macro_f1 == Approx((2.0 * 2 / (3 + 2) + 1) / 2));
}

TEST_CASE("SCut finds the cut that trying all of them finds") {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    const Label label = random_label(random, 10 + random() % 700);
    REQUIRE(label.cut() == tried_cut(label));
  }
}
