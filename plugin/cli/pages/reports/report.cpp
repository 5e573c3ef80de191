#include "plugin/cli/pages/reports/report.h"

#include "plugin/cli/output/output_file.h"
#include "report_page.h"

namespace kindred::cli {

void write_report(const std::string& path, const std::string& report, const std::string& subject,
                  const Json& answer) {
  const Json data = {{"report", report}, {"subject", subject}, {"answer", answer}};
  std::string html(report_page::kHead);
  html += script_json(data);
  write_output_file(path, html.append(report_page::kTail));
}

std::string script_json(const Json& json) {
  std::string text;
  for (const char c : json_line(json)) text += c == '<' ? "\\u003c" : std::string(1, c);
  return text;
}

}  // namespace kindred::cli
