// The thresholds of labels, against trying every score as the lowest that is given.
#include "plugin/tune/thresholds.h"

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

/// What is measured of each fold goes by thresholds from the others.
LabelCuts tried_cuts(const Drawn& drawn, double fbr) {
  LabelCuts cuts;
  double all_right = 0, all_given = 0, all_positives = 0, labels = 0;
  for (std::size_t label = 0; label < 3; ++label) {
    constexpr std::size_t kNone = 3;
    cuts.thresholds.push_back(tried_cut(drawn, label, kNone, fbr));
    double right = 0, given = 0, positives = 0;
    for (std::size_t d = 0; d < drawn.truth.documents; ++d) {
      const bool is_true = drawn.truth.has(d, label);
      positives += is_true ? 1 : 0;
      const double cut = tried_cut(drawn, label, drawn.truth.fold[d], fbr);
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
    const LabelCuts found = cut_labels(drawn.scores, drawn.lists, drawn.truth);
    const LabelCuts strict = tried_cuts(drawn, .3), lax = tried_cuts(drawn, .1);
    const bool is_lax = lax.micro_f1 + lax.macro_f1 > strict.micro_f1 + strict.macro_f1 + 1e-12;
    const LabelCuts& wanted = is_lax ? lax : strict;
    REQUIRE(found.thresholds == wanted.thresholds);
    REQUIRE(found.micro_f1 == Approx(wanted.micro_f1));
    REQUIRE(found.macro_f1 == Approx(wanted.macro_f1));
  }
}
