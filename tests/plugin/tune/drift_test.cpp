#include "plugin/tune/drift.h"

#include "plugin/tune/expected_accuracy.h"
#include "plugin/tune/forward_fit.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/made_mirror.h"

using namespace kindred;

namespace {

constexpr std::uint32_t kRows = 400;

/// The loss if each row has 20 neighbors, drawn from those that `may_be(row, other)`.
template <typename MayBe>
double loss_of(const Mirror& mirror, MayBe&& may_be) {
  std::mt19937 random(1);
  DriftMeasure drift(mirror, mirror.labeled);
  for (std::uint32_t row = 0; row < kRows; ++row) {
    std::vector<Neighbor> nearest;
    while (nearest.size() < 20) {
      const auto other = static_cast<std::uint32_t>(random() % kRows);
      if (other != row && may_be(row, other)) nearest.push_back({other + 1, 0.5F});
    }
    drift.add(row + 1, nearest);
  }
  return drift.loss();
}

std::uint32_t by_turns(std::uint32_t row) { return row % 2; }
std::uint32_t sorted(std::uint32_t row) { return row / (kRows / 2); }

/// A combiner that is nearly sure of the label with the feature.
Combiner sure() {
  Combiner combiner;
  combiner.single_label = true;
  combiner.coefficients[kLinear] = 5;
  return combiner;
}

/// Documents of two labels, of which one in `each` has not the one that it seems to have.
struct Latest {
  TrueLabels truth;
  Shortlists lists;

  Latest(std::uint32_t documents, std::uint32_t each) {
    truth.labels = 2;
    truth.folds = 2;
    for (std::uint32_t d = 0; d < documents; ++d) {
      Shortlist list{{0, 1}, {}};
      for (const std::uint32_t l : list.labels)
        list.features.insert(list.features.end(),
                             {0, 0, 0, .5F, 0, d % 2 == l ? 1.0F : 0, 0, 0, 0});
      lists.add(list);
      const std::uint32_t own = d % each == 0 ? 1 - d % 2 : d % 2;
      truth.add({&own, 1}, d / 2 % 2);
    }
  }
  std::optional<Combiner> fit() const { return fit_forward(sure(), truth, lists, 2); }
};

}  // namespace

TEST_CASE("a collection drifts if its later documents are known by later ones only") {
  const Mirror mirror = test::labeled_mirror(kRows, by_turns);
  const double loss = loss_of(mirror, [](std::uint32_t row, std::uint32_t other) {
    return by_turns(row) == by_turns(other) ? other >= kRows / 2
                                            : other < kRows / 2 && other % 5 == 0;
  });
  CHECK(loss > .9);
  CHECK(loss <= 1);
}

TEST_CASE("a collection does not drift if documents are known by others of any age") {
  const bool in_order = GENERATE(true, false);
  CAPTURE(in_order);
  const auto label_of = in_order ? by_turns : sorted;
  const Mirror mirror = test::labeled_mirror(kRows, label_of);
  std::mt19937 random(2);
  CHECK(loss_of(mirror, [&](std::uint32_t row, std::uint32_t other) {
          return label_of(row) == label_of(other) || random() % 2 == 0;
        }) == 0);
}

TEST_CASE("in a collection that is sorted by label, drift is seen within each label") {
  const Mirror mirror = test::labeled_mirror(kRows, sorted);
  const auto is_late = [](std::uint32_t row) { return row % (kRows / 2) >= kRows / 4; };
  const double loss = loss_of(mirror, [&](std::uint32_t row, std::uint32_t other) {
    return is_late(other) ? sorted(row) == sorted(other)
                          : sorted(row) != sorted(other) && other % 5 == 0;
  });
  CHECK(loss > .9);
}

TEST_CASE("a single document tells no drift") {
  const Mirror mirror = test::labeled_mirror(kRows, by_turns);
  DriftMeasure drift(mirror, mirror.labeled);
  CHECK(drift.loss() == 0);
  drift.add(kRows - 1, std::vector<Neighbor>{{kRows - 3, 0.5F}});
  CHECK(drift.loss() == 0);
}

namespace {

/// A report of so many documents that chance tells little.
TuneReport report_of(double accuracy, std::uint64_t documents = 1'000'000'000) {
  TuneReport report;
  report.tuning.scores.accuracy = accuracy;
  report.tuning.scores.documents = documents;
  return report;
}

void check_expected(const TuneReport& report, double least, double most) {
  const auto expected = expected_accuracy(report);
  REQUIRE(expected);
  CHECK(expected->least == Approx(least).margin(1e-4));
  CHECK(expected->most == Approx(most).margin(1e-4));
}

}  // namespace

TEST_CASE("what to expect of later documents is less by what was seen, in a range of at most 0.1") {
  TuneReport report = report_of(.75);
  check_expected(report, .75, .75);
  report.drift = .0625;
  check_expected(report, .6875, .75);
  report.gain = .125;
  check_expected(report, .8125, .875);
  report.siblings = .5;
  check_expected(report, .375, .475);
  report.drift = 1;
  check_expected(report, 0, .1);
}

TEST_CASE("the fewer documents were measured, the wider is the range of what to expect") {
  check_expected(report_of(.8, 10'000), .8 - 1.645 * .004, .8 + 1.645 * .004);
  check_expected(report_of(.8, 400), .8 - 1.645 * .0201, .8 + 1.645 * .0201);
  check_expected(report_of(.8, 20), .75, .85);
  check_expected(report_of(1, 100), 1 - 1.645 * .01, 1);
}

TEST_CASE("labels of one document count as wrong at least, and promise nothing where all are so") {
  TuneReport report = report_of(.72);
  report.alone = .1;
  check_expected(report, .72, .8);
  report.alone = 1;
  CHECK_FALSE(expected_accuracy(report));
}

TEST_CASE("confidences are fitted forward where the latest documents deny them") {
  const std::optional<Combiner> drifting = Latest(200, 5).fit();
  REQUIRE(drifting);
  CHECK(drifting->coefficients[kLinear] < 2);
  CHECK(drifting->coefficients[kLinear] > 1);
  CHECK_FALSE(Latest(200, 150).fit());
}
