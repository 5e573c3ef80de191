#include "plugin/cli/output/evaluation_output.h"

#include <unistd.h>
#include <algorithm>
#include <iostream>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"

namespace kindred::cli {
namespace {

void print_summary(const Json& answer, const std::string& subject) {
  const auto of = std::min<std::uint64_t>(answer["documents"].get<std::uint64_t>(), 100);
  const auto whole = [&](const char* key, double all) {
    return fixed(all * number_of(answer[key]), 0);
  };
  std::cout << fitted("The best tag is right for " + whole("accuracy", static_cast<double>(of)) +
                      " of " + counted(of, "document") + "; of the tags given " +
                      whole("micro_precision", 100) + " % are right, and " +
                      whole("micro_recall", 100) + " % of the true ones are found.\n")
            << "Measured: " << shown(subject) << "\n\n";
}

/// "micro_f1" as "micro F1".
std::string measure_name(std::string key) {
  std::ranges::replace(key, '_', ' ');
  if (key.ends_with("f1")) key.replace(key.size() - 2, 2, "F1");
  return key;
}

void print_measures(const Json& answer) {
  Table table({"measure", "value"});
  for (const auto& [key, value] : answer.items()) {
    if (!value.is_number() || key == "revision") continue;
    table.add_row(
        {measure_name(key), value.is_number_integer() ? text_of(value) : fixed(value, 4)});
  }
  table.print();
}

void print_labels(const Json& labels) {
  Table table({"support", "predicted", "right", "precision", "recall", "F1", "label"});
  for (const Json& label : labels) {
    table.add_row({text_of(label["support"]), text_of(label["predicted"]), text_of(label["right"]),
                   fixed(label["precision"], 4), fixed(label["recall"], 4), fixed(label["f1"], 4),
                   name_of(label["label"])});
  }
  std::cout << '\n';
  table.print();
}

void print_reliability(const Json& bins) {
  Table table({"confidence", "documents", "mean confidence", "accuracy"});
  for (const Json& bin : bins) {
    table.add_row({fixed(bin["low"], 1) + " to " + fixed(bin["high"], 1), text_of(bin["documents"]),
                   fixed(bin["confidence"], 4), fixed(bin["accuracy"], 4)});
  }
  std::cout << '\n';
  table.print();
}

constexpr std::size_t kConfusionsListed = 30;  // --json has all
constexpr std::size_t kColumnsOfFile = 100;    // if standard output is no terminal

void print_worst(const Json& worst) {
  if (worst.empty()) {
    std::cout << "no confusion: the best label of every document is right\n";
    return;
  }
  Table table({"documents", "share", "true label -> best label"});
  const std::size_t listed = std::min(kConfusionsListed, worst.size());
  for (std::size_t i = 0; i < listed; ++i) {
    const Json& taken_for = worst[i]["taken_for"];
    table.add_row({text_of(worst[i]["documents"]), percent(number_of(worst[i]["share"])),
                   name_of(worst[i]["label"]) + " -> " +
                       (taken_for.is_null() ? "(none)" : name_of(taken_for))});
  }
  table.print();
  if (listed < worst.size())
    std::cout << "and " << worst.size() - listed << " more; --json has all\n";
}

/// Prints the matrix if its rows fit into the width of the output.
void print_matrix(const Json& labels, const Json& counts) {
  constexpr std::size_t kGap = 2, kLeastName = 12;
  std::vector<std::string> headings;
  std::size_t width = kLeastName;
  for (std::size_t column = 0; column <= labels.size(); ++column) {
    headings.push_back(column == labels.size() ? "none" : std::to_string(column + 1));
    std::size_t widest = headings.back().size();
    for (const Json& row : counts) widest = std::max(widest, text_of(row[column]).size());
    width += widest + kGap;
  }
  const std::size_t columns = terminal_width(STDOUT_FILENO);
  if (width > (columns > 0 ? columns : kColumnsOfFile)) return;
  headings.emplace_back("true label");
  Table table(std::move(headings));
  for (std::size_t row = 0; row < labels.size(); ++row) {
    std::vector<std::string> cells;
    for (const Json& count : counts[row]) cells.push_back(count == 0 ? "." : text_of(count));
    cells.push_back(std::to_string(row + 1) + " " + name_of(labels[row]));
    table.add_row(std::move(cells));
  }
  std::cout << "\ndocuments by true label (rows) and best label (columns, by number)\n";
  table.print();
}

void print_confusion(const Json& confusion) {
  std::cout << '\n';
  if (confusion.is_null()) {
    std::cout << "no confusion matrix: some document has more than one label\n";
    return;
  }
  print_worst(confusion["worst"]);
  print_matrix(confusion["labels"], confusion["counts"]);
}

}  // namespace

void print_evaluation(const Json& answer, const std::string& subject, const ShownParts& parts) {
  print_summary(answer, subject);
  print_measures(answer);
  print_reliability(answer["reliability"]);
  if (parts.labels) print_labels(answer["per_label"]);
  if (parts.confusion) print_confusion(answer["confusion"]);
}

std::string method_text(const Json& method) {
  return method["vote"].get<std::string>() + (method["linear"].get<bool>() ? " + linear" : "") +
         ", k " + method["k"].dump();
}

std::string expectation_text(const Json& tuned) {
  const auto whole = [](const Json& share) { return fixed(100 * share.get<double>(), 0); };
  return (tuned["drift"] == 0 ? "" : whole(tuned["expected_accuracy"]) + " to ") +
         whole(tuned["tuning"]["scores"]["accuracy"]) + " %";
}

}  // namespace kindred::cli
