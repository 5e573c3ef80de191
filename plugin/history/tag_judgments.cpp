#include "plugin/history/tag_judgments.h"

#include <limits>

namespace kindred {

double Judged::right() const {
  if (all() == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(accepted) / static_cast<double>(all());
}

void Judged::add(bool is_right) {
  if (is_right)
    ++accepted;
  else
    ++refused;
}

void TagJudgments::judge(const std::string& label, bool is_latest, bool is_right) {
  for (Periods* const periods : {&all_, &labels_[label]}) {
    if (is_latest)
      periods->latest.add(is_right);
    else
      periods->before.add(is_right);
  }
}

void TagJudgments::add(const HistoryEntry& entry) {
  // A label that is renamed, or an edit that is taken back, says nothing of a prediction.
  const std::string& how = entry.block.how;
  if (how == "label" || how == "undo") return;

  const bool is_latest = entry.block.milliseconds >= since_;
  for (const LabelStep& step : entry.change.labels) {
    if (step.label.empty()) continue;
    const auto comes = [&](LabelState bit) {
      return (step.after & bit) != 0 && (step.before & bit) == 0;
    };
    const bool was_predicted = (step.before & kPredictedState) != 0;
    const bool is_gone = (step.before & kGivenState) != 0 && (step.after & kGivenState) == 0;

    // A run that finds a tag taken off by another program rejects it.
    if (was_predicted && comes(kGivenState)) judge(step.label, is_latest, true);
    if (comes(kRejectedState) && (was_predicted || how == "tag"))
      judge(step.label, is_latest, false);
    if (is_latest && comes(kGivenState)) ++given_;
    if (is_latest && is_gone) ++taken_off_;
  }
}

}  // namespace kindred
