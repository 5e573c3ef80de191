#include "plugin/cli/pages/reports/tuning_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/tuning_output.h"
#include "plugin/cli/pages/figures/report_parts.h"
#include "plugin/cli/pages/figures/trial_drawing.h"
#include "report_page.h"

namespace kindred::cli {
namespace {

std::string trials_table(const TuneReport& report, const std::string& caption,
                         const std::string& objective, const std::vector<std::size_t>& trials) {
  std::string html = begin_table(caption, {{"Method"},
                                           {objective},
                                           {"Micro F1"},
                                           {"Macro F1"},
                                           {"Accuracy"},
                                           {"ECE"},
                                           {"Log loss"},
                                           {"Seconds"}});
  for (const std::size_t i : trials) {
    const auto& [method, scores, seconds] = report.trials[i];
    html += method_row_html(method_text(method) + (i == report.best ? " (chosen)" : ""),
                            cell_html(objective_value(objective, scores)) +
                                cell_html(scores.micro_f1) + cell_html(scores.macro_f1) +
                                cell_html(scores.accuracy) + cell_html(scores.calibration_error) +
                                cell_html(scores.log_loss.value_or(std::nan(""))) + "<td>" +
                                fixed(seconds, 2) + "</td>");
  }
  return html.append(kEndTable);
}

/// The first trial of each vote in this order.
std::vector<std::size_t> first_of_each_vote(const TuneReport& report,
                                            const std::vector<std::size_t>& order) {
  std::set<VoteKind> seen;
  std::vector<std::size_t> firsts;
  for (const std::size_t i : order)
    if (seen.insert(report.trials[i].method.vote).second) firsts.push_back(i);
  return firsts;
}

std::string why(const TuneReport& report) {
  const Tuning& tuning = report.tuning;
  std::string html = "<h2>Chosen</h2>\n<p><b>" + escaped(method_text(tuning.method)) +
                     "</b></p>\n<p>Expect the best tag of " + expectation_text(report) +
                     " of later documents to be right.</p>\n";
  html +=
      "<p>A blend is chosen, since its confidences are probabilities, unless another vote is "
      "better by more than two standard errors, here " +
      fixed(report.allowance, 4) +
      ". Among blends, the one with the least log loss before its calibration is chosen; among "
      "other votes, and among "
      "the cuts of one method, the best.</p>\n";
  if (tuning.forward_documents > 0) {
    html += "<p>The collection drifts: the confidences are fitted to the " +
            std::to_string(tuning.forward_documents) +
            " latest documents, as earlier ones classify them. The calibration error below is that "
            "by leave-one-out.</p>\n";
  }
  if (!report.complete) html += "<p>The budget ended the search before all was tried.</p>\n";
  return html;
}

}  // namespace

std::vector<std::size_t> best_trials(const TuneReport& report, const std::string& objective) {
  const auto value = [&](std::size_t i) {
    return objective_value(objective, report.trials[i].scores);
  };
  std::vector<std::size_t> order(report.trials.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
  return order;
}

void write_tuning_report(const std::string& path, const TuningSubject& subject,
                         const TuneReport& report) {
  const std::vector<std::size_t> order = best_trials(report, subject.objective);
  const TuningScores& scores = report.tuning.scores;
  std::string html(report_page::kHead);
  html += begin_report(
      "Kindred tune", subject.database + ", objective " + subject.objective + ", by leave-one-out");
  html += tiles({{"Documents", std::to_string(scores.documents)},
                 {"Methods tried", std::to_string(report.trials.size())},
                 {"Seconds", fixed(subject.seconds, 1)},
                 {"Micro F1", fixed(scores.micro_f1, 4)},
                 {"Macro F1", fixed(scores.macro_f1, 4)},
                 {"Calibration error (ECE)", fixed(scores.calibration_error, 4)}});
  html += why(report);
  html += "<h2>Best method of each vote</h2>\n" +
          trials_table(report, "The best first; ECE and log loss say how good the confidences are",
                       subject.objective, first_of_each_vote(report, order));
  html += "<h2>Scores against the time</h2>\n" + trial_diagram(report, subject.objective);
  html +=
      "<h2>All methods</h2>\n" + trials_table(report, "The best first", subject.objective, order);
  write_output_file(path, html.append(report_page::kTail));
}

}  // namespace kindred::cli
