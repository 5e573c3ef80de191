// The thresholds of labels, against trying every score as the lowest that is given.
#include "plugin/tune/thresholds.h"

#include "config/error.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

/// Documents of three labels in three folds, with few values of scores, so that many tie.
struct Drawn {
  TrueLabels truth;
  Shortlists lists;  // of all labels
  std::vector<float> scores;

  Drawn(std::size_t documents, bool single_label, std::mt19937& random) {
    truth.labels = truth.folds = 3;
    for (std::size_t d = 0; d < documents; ++d) {
      std::vector<std::uint32_t> own;
      for (std::uint32_t label = 0; label < 3; ++label) {
        scores.push_back(static_cast<float>(random() % 40) / 40);
        const bool is_rare = random() % (1 + 10 * label) > 0;
        if (!is_rare && random() % 2 == 0) own.push_back(label);
      }
      if (single_label) own = {static_cast<std::uint32_t>(random() % 3)};
      truth.add(own, static_cast<std::uint8_t>(d % 3));
      lists.add(Shortlist{{0, 1, 2}, {}});
    }
  }

  float score(std::size_t d, std::size_t label) const { return scores[d * 3 + label]; }

  bool may_be_given(std::size_t d, std::size_t label) const {
    const auto row = std::span(scores).subspan(d * 3, 3);
    return !truth.single_label() ||
           std::ranges::max_element(row) - row.begin() == static_cast<std::ptrdiff_t>(label);
  }
};

double f1(double right, double given, double positives) {
  return given + positives > 0 ? 2 * right / (given + positives) : 0;
}

/// SCut with FBR by its definition, from the documents that are not of the fold.
double tried_cut(const Drawn& drawn, std::size_t label, std::size_t fold, double fbr) {
  std::set<float, std::greater<>> scores;
  for (std::size_t d = 0; d < drawn.truth.documents; ++d)
    if (drawn.truth.fold[d] != fold && drawn.score(d, label) >= .02f)
      scores.insert(drawn.score(d, label));
  double best = -1, cut = 0;
  for (auto least = scores.begin(); least != scores.end(); ++least) {
    double right = 0, given = 0, positives = 0;
    for (std::size_t d = 0; d < drawn.truth.documents; ++d) {
      if (drawn.truth.fold[d] == fold) continue;
      positives += drawn.truth.has(d, label) ? 1 : 0;
      if (drawn.score(d, label) < *least) continue;
      ++given;
      right += drawn.truth.has(d, label) ? 1 : 0;
    }
    if (f1(right, given, positives) <= best) continue;
    best = f1(right, given, positives);
    const double next = std::next(least) == scores.end() ? 0 : *std::next(least);
    cut = (double{*least} + next) / 2;
  }
  if (best < fbr && !scores.empty()) cut = *scores.begin();
  return std::max(cut, .1);
}

/// SCut without FBR of all labels together.
double tried_common_cut(const Drawn& drawn, std::size_t fold) {
  Drawn together = drawn;
  together.truth = {};
  together.truth.labels = together.truth.folds = 3;
  together.scores.clear();
  for (std::size_t d = 0; d < drawn.truth.documents; ++d) {
    for (std::uint32_t label = 0; label < 3; ++label) {
      // One that may not be given counts among the true ones only.
      const bool is_true = drawn.truth.has(d, label);
      together.truth.add(is_true ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{},
                         drawn.truth.fold[d]);
      const float own = drawn.may_be_given(d, label) ? drawn.score(d, label) : 0;
      together.scores.insert(together.scores.end(), {own, 0, 0});
    }
  }
  return tried_cut(together, 0, fold, 0);
}

/// The same, and a label's own, as many times as the label has documents.
double tried_shrunken_cut(const Drawn& drawn, std::size_t label, std::size_t fold,
                          double documents) {
  double positives = 0;
  for (std::size_t d = 0; d < drawn.truth.documents; ++d)
    if (drawn.truth.fold[d] != fold && drawn.truth.has(d, label)) ++positives;
  return (positives * tried_cut(drawn, label, fold, 0) +
          documents * tried_common_cut(drawn, fold)) /
         (positives + documents);
}

/// What is measured of each fold goes by thresholds from the others: tried(label, fold).
template <typename Tried>
LabelCuts tried_cuts(const Drawn& drawn, Tried&& tried) {
  LabelCuts cuts;
  double all_right = 0, all_given = 0, all_positives = 0, labels = 0;
  for (std::size_t label = 0; label < 3; ++label) {
    constexpr std::size_t kNone = 3;
    cuts.thresholds.push_back(tried(label, kNone));
    double right = 0, given = 0, positives = 0;
    for (std::size_t d = 0; d < drawn.truth.documents; ++d) {
      const bool is_true = drawn.truth.has(d, label);
      positives += is_true ? 1 : 0;
      const double cut = tried(label, drawn.truth.fold[d]);
      if (drawn.score(d, label) < cut || !drawn.may_be_given(d, label)) continue;
      ++given;
      right += is_true ? 1 : 0;
    }
    all_right += right, all_given += given, all_positives += positives;
    labels += given + positives > 0 ? 1 : 0;
    cuts.macro_f1 += f1(right, given, positives);
  }
  cuts.micro_f1 = f1(all_right, all_given, all_positives);
  cuts.macro_f1 /= std::max(labels, 1.0);
  return cuts;
}

}  // namespace

TEST_CASE("thresholds, and what they are worth, are those that trying all of them finds") {
  std::mt19937 random(5);
  for (int i = 0; i < 60; ++i) {
    const Drawn drawn(3 + random() % 30, i % 2 == 0, random);
    const auto shrunken = [&](double documents) {
      return tried_cuts(drawn, [&drawn, documents](std::size_t label, std::size_t fold) {
        return tried_shrunken_cut(drawn, label, fold, documents);
      });
    };
    const LabelCuts by_label = tried_cuts(drawn, [&](std::size_t label, std::size_t fold) {
      return tried_cut(drawn, label, fold, .3);
    });
    LabelCuts wanted = by_label;
    for (const LabelCuts& other : {shrunken(10), shrunken(100)})
      if (other.micro_f1 + other.macro_f1 > wanted.micro_f1 + wanted.macro_f1 + 1e-12)
        wanted = other;

    const LabelCuts found = cut_labels(drawn.scores, drawn.lists, drawn.truth);
    for (std::size_t label = 0; label < 3; ++label)
      REQUIRE(found.thresholds[label] == Approx(wanted.thresholds[label]));
    REQUIRE(found.micro_f1 == Approx(wanted.micro_f1));
    REQUIRE(found.macro_f1 == Approx(wanted.macro_f1));
  }
}

TEST_CASE("a goal of a precision is reached, with no lower threshold that reaches it") {
  std::mt19937 random(6);
  for (int i = 0; i < 40; ++i) {
    const Drawn drawn(30, i % 2 == 0, random);
    const LabelCuts found =
        cut_labels(drawn.scores, drawn.lists, drawn.truth, tag_goal("precision=0.6"));
    REQUIRE(found.thresholds == std::vector<double>(3, found.other));

    // By each score as the lowest that is given.
    std::set<float> reach;
    for (const float least : drawn.scores) {
      double right = 0, given = 0;
      for (std::size_t d = 0; d < drawn.truth.documents; ++d)
        for (std::size_t label = 0; label < 3; ++label)
          if (drawn.score(d, label) >= std::max(least, .02f) && drawn.may_be_given(d, label)) {
            ++given;
            right += drawn.truth.has(d, label) ? 1 : 0;
          }
      if (given > 0 && right >= .6 * given) reach.insert(least);
    }
    if (reach.empty()) continue;
    const auto above =
        std::ranges::find_if(reach, [&](float score) { return score >= found.other; });
    CHECK((above == reach.begin() || *reach.begin() < .02f));
  }
}

TEST_CASE("a goal of so many tags gives that many, whatever their scores") {
  std::mt19937 random(7);
  const Drawn drawn(20, false, random);
  const LabelCuts found = cut_labels(drawn.scores, drawn.lists, drawn.truth, tag_goal("top=2"));
  CHECK(found.thresholds == std::vector<double>(3, 0));
  CHECK(found.other == 0);
  const auto right = static_cast<double>(drawn.truth.label.size()) * found.recall;
  CHECK(found.precision * 40 == Approx(right));
}

TEST_CASE("goals are read, and what is none is refused") {
  CHECK(tag_goal("").kind == TagGoal::kBalanced);
  CHECK(tag_goal("micro").kind == TagGoal::kMicro);
  CHECK(tag_goal("macro").kind == TagGoal::kMacro);
  CHECK(tag_goal("precision=.9").precision == .9);
  CHECK(tag_goal("top=5").top == 5);
  for (const char* bad : {"Micro", "precision", "precision=", "precision=0", "precision=1",
                          "precision=nan", "precision=.9x", "top=0", "top=-1", "top=1001", "f1"})
    CHECK_THROWS_AS(tag_goal(bad), Error);
}
