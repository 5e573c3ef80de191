#include "plugin/evaluate/evaluation.h"

#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

Classification predicted(const std::vector<std::string>& labels) {
  Classification result;
  double confidence = 0.9;
  for (const std::string& label : labels) {
    result.tags.push_back({label, confidence});
    confidence -= 0.1;
  }
  if (!labels.empty()) result.best = result.tags.front();
  return result;
}

/// The classification that a vote with these scores (descending) gives at a threshold.
Classification scored(const std::vector<Tag>& scores, double threshold) {
  Classification result;
  result.scores = scores;
  if (!scores.empty()) result.best = scores.front();
  for (const Tag& tag : scores) {
    if (tag.confidence >= threshold) result.tags.push_back(tag);
  }
  return result;
}

/// An evaluation with every special case: ties, no scores, no true label, all labels true, true
/// labels without a score.
Evaluation ranked() {
  Evaluation evaluation({"a", "b", "c", "d"});
  const auto add = [&](const std::vector<std::string>& truth, const std::vector<Tag>& scores) {
    evaluation.add(truth, scored(scores, 0.4));
  };
  add({"a"}, {{"a", .5}, {"b", .3}, {"c", .2}});
  add({"b"}, {{"a", .5}, {"b", .5}});
  add({"b", "c"}, {{"a", .6}, {"b", .2}, {"c", .2}});
  add({"d", "e"}, {{"a", .7}, {"d", .2}, {"b", .1}});
  add({"f"}, {});
  add({"a", "b", "c", "d", "e", "f"}, {{"a", 1}, {"b", .25}});
  add({}, {{"c", .5}});
  add({"a", "b"}, {{"a", .4}, {"b", .4}, {"c", .4}, {"d", .4}});
  add({"c"}, {{"c", 1}});
  return evaluation;
}

}  // namespace

TEST_CASE("of the best labels it is measured how many are true, and how far up they stand") {
  Evaluation evaluation({}, {1, 2, 5});
  evaluation.add({"a", "c"}, scored({{"a", .5}, {"b", .3}, {"c", .2}}, 0.4));
  evaluation.add({"x"}, scored({{"a", .5}}, 0.4));
  evaluation.add({}, scored({{"a", .5}}, 0.4));  // has nothing to be found

  const std::vector<api::BestLabelsReport> reports = evaluation.best_labels();
  REQUIRE(reports.size() == 3);
  CHECK(reports[0].precision == Approx(.5));
  CHECK(reports[0].recall == Approx(.25));
  CHECK(reports[0].f1 == Approx(2 / 3. / 2));
  CHECK(reports[0].ndcg == Approx(.5));
  CHECK(reports[1].precision == Approx(.25));
  CHECK(reports[2].k == 5);
  CHECK(reports[2].precision == Approx(.2));
  CHECK(reports[2].recall == Approx(.5));
  CHECK(reports[2].ndcg == Approx(1.5 / (1 + 1 / std::log2(3.)) / 2));
  CHECK(Evaluation().best_labels().empty());
}

// The expected numbers are those of scikit-learn 1.2 (precision_recall_fscore_support and f1_score
// on the binarized labels, zero_division=0).
TEST_CASE("the measures agree with scikit-learn") {
  Evaluation evaluation;
  evaluation.add({"space"}, predicted({"space"}));
  evaluation.add({"space", "physics"}, predicted({"space"}));
  evaluation.add({"cooking"}, predicted({"cooking", "music"}));
  evaluation.add({"music"}, predicted({"cooking"}));
  evaluation.add({"physics"}, predicted({}));
  evaluation.add({"cooking", "music"}, predicted({"music", "cooking", "space"}));
  evaluation.add({"chess"}, predicted({"music"}));
  evaluation.add({"space"}, predicted({"sailing"}));
  evaluation.add({"music"}, predicted({}));
  const EvaluationReport report = evaluation.report();
  CHECK(report.documents == 9);
  CHECK(report.labels == 6);
  CHECK(report.micro_precision == Approx(0.5).epsilon(1e-12));
  CHECK(report.micro_recall == Approx(0.45454545454545453).epsilon(1e-12));
  CHECK(report.micro_f1 == Approx(0.47619047619047616).epsilon(1e-12));
  CHECK(report.macro_f1 == Approx(0.3).epsilon(1e-12));
  CHECK(report.accuracy == Approx(4.0 / 9).epsilon(1e-12));
}

TEST_CASE("the best tag counts for accuracy also where it misses the threshold") {
  Classification unsure;
  unsure.best = Tag{"space", 0.2};
  Evaluation evaluation;
  evaluation.add({"space"}, unsure);
  CHECK(evaluation.report().accuracy == 1);
  CHECK(evaluation.report().micro_recall == 0);
  CHECK(evaluation.report().micro_precision == 0);
}

TEST_CASE("nothing to measure gives zeros") {
  const EvaluationReport report = Evaluation().report();
  CHECK(report.documents == 0);
  CHECK(report.labels == 0);
  CHECK(report.micro_f1 == 0);
  CHECK(report.macro_f1 == 0);
  CHECK(report.accuracy == 0);
  CHECK(report.coverage_error == 0);
  CHECK(report.ranking_average_precision == 0);
  CHECK(report.hamming_loss == 0);
}

// scikit-learn 1.2.1: coverage_error, label_ranking_loss, label_ranking_average_precision_score on
// the scores; hamming_loss, accuracy_score, precision_recall_fscore_support at threshold 0.4.
TEST_CASE("the ranking and multi-label measures agree with scikit-learn, ties and all") {
  const EvaluationReport report = ranked().report();
  CHECK(report.all_labels == 6);
  CHECK(report.coverage_error == Approx(3.2222222222222223).epsilon(1e-12));
  CHECK(report.ranking_loss == Approx(0.28611111111111115).epsilon(1e-12));
  CHECK(report.ranking_average_precision == Approx(0.6944444444444444).epsilon(1e-12));
  CHECK(report.hamming_loss == Approx(0.2962962962962963).epsilon(1e-12));
  CHECK(report.subset_accuracy == Approx(0.2222222222222222).epsilon(1e-12));
  CHECK(report.macro_precision == Approx(0.3055555555555555).epsilon(1e-12));
  CHECK(report.macro_recall == Approx(0.3055555555555555).epsilon(1e-12));
  CHECK(report.one_error == Approx(5.0 / 9).epsilon(1e-12));
  CHECK(report.one_error == Approx(1 - report.accuracy).epsilon(1e-12));
}

TEST_CASE("labels that are known but never turn up count as columns") {
  Evaluation evaluation({"a", "b", "c", "unused"});
  evaluation.add({"c"}, scored({{"a", 0.9}, {"b", 0.1}}, 0.5));
  const EvaluationReport report = evaluation.report();
  CHECK(report.labels == 2);
  CHECK(report.all_labels == 4);
  CHECK(report.coverage_error == 4);
  CHECK(report.ranking_loss == 1);
  CHECK(report.ranking_average_precision == 0.25);
  CHECK(report.hamming_loss == 0.5);
}

TEST_CASE("each label has its own counts") {
  const std::vector<LabelReport> labels = ranked().label_reports();
  REQUIRE(labels.size() == 6);
  CHECK(labels[0].label == "a");
  CHECK(labels[0].support == 3);
  CHECK(labels[0].predicted == 6);
  CHECK(labels[0].right == 3);
  CHECK(labels[0].precision == 0.5);
  CHECK(labels[0].recall == 1);
  CHECK(labels[0].f1 == Approx(2.0 / 3));
  CHECK(labels[5].label == "f");
  CHECK(labels[5].f1 == 0);
}

TEST_CASE("the confusion matrix counts the best label, or that there is none") {
  Evaluation evaluation({"a", "b", "never"});
  evaluation.add({"a"}, scored({{"a", 0.9}}, 0.5));
  evaluation.add({"a"}, scored({{"b", 0.3}, {"a", 0.2}}, 0.5));
  evaluation.add({"b"}, scored({}, 0.5));
  const std::optional<ConfusionMatrix> matrix = evaluation.confusion();
  REQUIRE(matrix);
  CHECK(matrix->labels == std::vector<std::string>{"a", "b"});
  CHECK(matrix->counts == std::vector<std::vector<std::uint64_t>>{{1, 1, 0}, {0, 0, 1}});
  evaluation.add({"a", "b"}, scored({{"a", 0.9}}, 0.5));
  CHECK_FALSE(evaluation.confusion());
  CHECK_FALSE(Evaluation().confusion());
}

TEST_CASE("the calibration error by chance is that of a fair coin, and of certainty") {
  Reliability coins;
  for (int i = 0; i < 4; ++i) coins.add(0.5, i == 0);
  CHECK(coins.error() == Approx(0.25));
  // Of four throws 0, 1, 2, 3, 4 show heads in 1, 4, 6, 4, 1 of 16 cases.
  CHECK(coins.error_by_chance() == Approx((2 * 1 + 1 * 4 + 1 * 4 + 2 * 1) / 16.0 / 4));
  Reliability one;
  one.add(0.2, false);
  CHECK(one.error_by_chance() == Approx(0.8 * 0.2 + 0.2 * 0.8));
  one.add(1, true);
  CHECK(one.error_by_chance() == Approx(0.16));  // over two documents, one of them certain
  Reliability many;
  many.add(0.3, 1000000, 300000);
  CHECK(many.error_by_chance() ==
        Approx(std::sqrt(2 * 0.3 * 0.7 / 3.14159265 / 1e6)).epsilon(1e-3));
  CHECK(Reliability().error_by_chance() == 0);
}

TEST_CASE(
    "calibration over all pairs counts labels without a score as 0, and true ones among them") {
  Evaluation evaluation({"a", "b", "c"});
  evaluation.add({"a"}, scored({{"a", .9}, {"b", .1}}, .5));
  evaluation.add({"c"}, scored({{"a", .6}}, .5));
  const EvaluationReport report = evaluation.report();
  // (0.9, true), (0.6, false), and in the lowest bin 0.1, 0, 0, 0, of which one is true
  CHECK(report.pair_calibration_error == Approx((0.1 + 0.6 + 4 * (1.0 / 4 - 0.1 / 4)) / 6));
  CHECK(evaluation.pair_reliability()[0].documents == 4);
  CHECK(report.calibration_error == Approx((0.1 + 0.6) / 2));
}

TEST_CASE("confusions come by documents, then by their share of the label") {
  // Columns a, b, c, none. Of the 10 documents with a, 3 were taken for b, of the 4 with b 3 for c;
  // one with c got no label.
  const ConfusionMatrix kConfused = {
      {"a", "b", "c"}, {{7, 3, 0, 0}, {0, 1, 3, 0}, {0, 0, 5, 1}}, {}};
  const std::vector<Confusion> worst = worst_confusions(kConfused);
  REQUIRE(worst.size() == 3);
  CHECK(worst[0].label == "b");
  CHECK(worst[0].taken_for == "c");
  CHECK(worst[0].documents == 3);
  CHECK(worst[0].share == 0.75);
  CHECK(worst[1].label == "a");
  CHECK(worst[1].share == 0.3);
  CHECK(worst[2].label == "c");
  CHECK_FALSE(worst[2].taken_for.has_value());
  CHECK(worst_confusions({{"a"}, {{4, 0}}, {}}).empty());
}
