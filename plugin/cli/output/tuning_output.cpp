#include "plugin/cli/output/tuning_output.h"

#include "plugin/cli/output/table.h"

namespace kindred::cli {
std::string method_text(const TaggingMethod& method) {
  std::string text(vote_name(method.vote));
  if (method.linear) text += " + linear";
  return text + ", k " + std::to_string(method.k) + ", FBR " + fixed(method.fbr, 1);
}

std::string expectation_text(const TuneReport& report) {
  const std::string measured = fixed(report.tuning.scores.accuracy, 2);
  return report.drift == 0 ? measured : fixed(expected_accuracy(report), 2) + " to " + measured;
}

}  // namespace kindred::cli
