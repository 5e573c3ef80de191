#include "plugin/evaluate.h"

#include <string>
#include <vector>

#include "tests/catch.h"

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

}  // namespace

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
}
