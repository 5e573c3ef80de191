#include "plugin/cli/pages/figures/trial_drawing.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/tuning_output.h"
#include "plugin/cli/pages/figures/report_parts.h"
#include "plugin/cli/pages/figures/svg_parts.h"

namespace kindred::cli {
namespace {

// The field of the diagram, in units of a drawing that is 440 wide.
constexpr double kTrialLeft = 56, kTrialTop = 14, kTrialWidth = 368, kTrialHeight = 280;
constexpr double kTrialBottom = kTrialTop + kTrialHeight;

/// The votes of the trials in the order of trying: their places are their colors.
std::vector<VoteKind> votes_of(const TuneReport& report) {
  std::vector<VoteKind> votes;
  for (const TuneTrial& trial : report.trials) {
    if (std::find(votes.begin(), votes.end(), trial.method.vote) == votes.end())
      votes.push_back(trial.method.vote);
  }
  return votes;
}

/// Where trials lie in the diagram.
class TrialField {
 public:
  TrialField(const TuneReport& report, const std::string& objective) : objective_(objective) {
    for (const TuneTrial& trial : report.trials) {
      seconds_ = std::max(seconds_, trial.seconds);
      const double value = objective_value(objective, trial.scores);
      least_ = std::min(least_, value);
      most_ = std::max(most_, value);
    }
    if (most_ <= least_) least_ = most_ - 0.1;
  }

  double x(double share) const { return kTrialLeft + kTrialWidth * share; }
  double y(double share) const { return kTrialBottom - kTrialHeight * share; }
  double x_of(const TuneTrial& trial) const { return x(0.02 + 0.96 * trial.seconds / seconds_); }
  double y_of(const TuneTrial& trial) const {
    const double value = objective_value(objective_, trial.scores);
    return y(0.03 + 0.94 * (value - least_) / (most_ - least_));
  }

  /// The frame, with numbers at its ends and in the middle.
  std::string frame() const {
    std::string svg = "<path class=\"axis\" d=\"M" + svg_number(x(0)) + " " + svg_number(y(1)) +
                      "V" + svg_number(y(0)) + "H" + svg_number(x(1)) + "\"/>\n";
    for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      svg += svg_text(x(0) - 8, y(0.03 + 0.94 * share) + 4, "end faint",
                      fixed(least_ + share * (most_ - least_), 3)) +
             svg_text(x(0.02 + 0.96 * share), y(0) + 18, "middle faint",
                      fixed(seconds_ * share, seconds_ < 4 ? 2 : 1));
    }
    return svg + svg_text(x(0.5), y(0) + 38, "middle", "seconds since the start");
  }

 private:
  const std::string& objective_;
  double seconds_ = 1e-9;
  double least_ = 1, most_ = 0;
};

}  // namespace

std::string trial_diagram(const TuneReport& report, const std::string& objective) {
  const TrialField field(report, objective);
  const std::vector<VoteKind> votes = votes_of(report);
  std::string svg =
      "<figure>\n<svg viewBox=\"0 0 440 340\" role=\"img\" aria-label=\"Scores of "
      "the methods against the time; the table has the values\">\n" +
      field.frame();
  for (const TuneTrial& trial : report.trials) {
    const auto color = std::find(votes.begin(), votes.end(), trial.method.vote) - votes.begin();
    svg += "<circle class=\"vote" + std::to_string(color) + "\" cx=\"" +
           svg_number(field.x_of(trial)) + "\" cy=\"" + svg_number(field.y_of(trial)) +
           "\" r=\"4\"><title>" + escaped(method_text(trial.method)) + ": " +
           fixed(objective_value(objective, trial.scores), 4) + "</title></circle>\n";
  }
  const TuneTrial& best = report.trials[report.best];
  svg += "<circle class=\"chosen\" cx=\"" + svg_number(field.x_of(best)) + "\" cy=\"" +
         svg_number(field.y_of(best)) + "\" r=\"8\"/>\n</svg>\n<figcaption>The score (" +
         escaped(objective) + ") of each method when it was judged; the chosen one has a ring. ";
  for (std::size_t i = 0; i < votes.size(); ++i) {
    svg += key_html("vote" + std::to_string(i), std::string(vote_name(votes[i]))) + "&ensp;";
  }
  return svg + "</figcaption>\n</figure>\n";
}

}  // namespace kindred::cli
