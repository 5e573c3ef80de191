#include "plugin/cli/pages/reports/reports.h"

#include <algorithm>
#include <cstddef>

#include "plugin/cli/output/analysis_output.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/pages/reports/report_parts.h"
#include "report_page.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kMostRows = 5000;  // more make a page slow

std::string analysis_tiles(const std::vector<TokenTrace>& traces) {
  std::size_t features = 0, joined = 0;
  for (const TokenTrace& trace : traces) {
    features += trace.term.empty() ? 0 : 1;
    joined += trace.parts.size() + trace.joined.size();
  }
  std::vector<Tile> list = {{"Words", std::to_string(traces.size())},
                            {"Features", std::to_string(features)},
                            {"Dropped", std::to_string(traces.size() - features)}};
  if (joined > 0) list.push_back({"Parts and joined", std::to_string(joined)});
  return tiles(list);
}

/// The words in the order of the text; those that are no features are faint and crossed out.
std::string words_html(const std::vector<TokenTrace>& traces) {
  std::string html = "<h2>The words</h2>\n<p class=\"words\">";
  for (const TokenTrace& trace : traces) {
    const std::string tip = trace.term.empty() ? drop_reason(trace).text : trace.term;
    html += std::string(trace.term.empty() ? "<del" : "<span") + " title=\"" + escaped(tip) +
            "\">" + escaped(trace.surface) + (trace.term.empty() ? "</del>\n" : "</span>\n");
  }
  return html + "</p>\n";
}

std::string steps_text(const TokenTrace& trace) {
  std::string text;
  for (const TraceStep& step : trace.steps)
    text += (text.empty() ? "" : ", ") + step.step + ": " +
            (step.result.empty() ? "dropped" : step.result);
  const DropReason dropped = drop_reason(trace);
  return dropped.text.empty() ? text : text + " (" + dropped.text + ")";
}

bool has_joined(const TokenTrace& trace) { return !trace.parts.empty() || !trace.joined.empty(); }

/// `with_joined`: whether the table has a column for parts and joined terms.
std::string analysis_row(const TokenTrace& trace, bool with_joined) {
  std::string joined;
  for (const auto* terms : {&trace.parts, &trace.joined})
    for (const std::string& term : *terms) joined += (joined.empty() ? "" : ", ") + term;
  return row_html(trace.surface, text_cell_html(trace.term.empty() ? "-" : trace.term) +
                                     text_cell_html(steps_text(trace)) +
                                     (with_joined ? text_cell_html(joined) : ""));
}

}  // namespace

void write_analysis_report(const std::string& path, const std::string& language,
                           const std::vector<TokenTrace>& traces) {
  const std::vector<TokenTrace> shown(
      traces.begin(),
      traces.begin() + static_cast<std::ptrdiff_t>(std::min(kMostRows, traces.size())));
  std::string html(report_page::kHead);
  std::string subject = "How a text becomes terms; language " + language;
  if (shown.size() < traces.size())
    subject += "; the first " + std::to_string(shown.size()) + " words";
  html += begin_report("Kindred analysis", subject) + analysis_tiles(traces);
  if (!shown.empty()) {
    html += words_html(shown) + "<h2>The steps</h2>\n";
    const bool with_joined = std::any_of(shown.begin(), shown.end(), has_joined);
    std::vector<TableColumn> columns = {{"In the text"}, {"Term", true}, {"Steps", true}};
    if (with_joined) columns.push_back({"Parts and joined", true});
    html += begin_table("What each step made of each word", columns);
    for (const TokenTrace& trace : shown) html += analysis_row(trace, with_joined);
    html.append(kEndTable);
  }
  write_output_file(path, html.append(report_page::kTail));
}

}  // namespace kindred::cli
