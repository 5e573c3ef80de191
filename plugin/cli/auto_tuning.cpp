#include "plugin/cli/auto_tuning.h"

#include "plugin/cli/output/evaluation_output.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"

namespace kindred::cli {

void tune_if_needed(Engine& engine, const ClassifyRequest& request) {
  if (request.vote || !engine.needs_tuning()) return;
  Progress progress("auto", "");
  const auto report = engine.tune_if_needed([&](const std::string& doing, std::uint64_t documents) {
    progress.report("tuning: " + doing, documents);
  });
  if (!report) return;
  progress.step("tuned on " + std::to_string(report->tuning.scores.documents) + " of " +
                std::to_string(report->tuning.voters) +
                " labeled documents: " + method_text(report->tuning) +
                "; expect the best tag of " + expectation_text(*report) +
                " of later ones to be right (classify.auto_tune; 'kindred tune' looks longer)");
}

}  // namespace kindred::cli
