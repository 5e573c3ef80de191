// kindred analyze: how a text becomes terms.

#include <memory>
#include <optional>

#include "analyzer/analyzer.h"
#include "analyzer/text/detect.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/analysis_output.h"
#include "plugin/cli/pages/reports/report.h"
#include "plugin/cli/question.h"

namespace kindred::cli {
namespace {

constexpr const char* kAnalyzeFooter = R"(
Examples:
  kindred analyze --text "The dogs' houses"
  kindred analyze --lang pt --text-file carta.txt --json
  kindred analyze --text-file letter.txt --html letter.html
'word' is what people search for, 'term' the feature that tags and similarities rest on. A dash
means that a step has dropped it; the steps say why. 'joined' are features of several words.)";

struct AnalyzeOptions {
  CommonOptions common;
  std::string language;
  std::vector<std::string> texts;
  std::vector<std::string> text_files;
  std::string html;
};

/// What language the text is found to be in; none if one is given, or the settings find none.
std::optional<Detection> detect(const AnalyzerSettings& settings, const std::string& language,
                                const std::string& text) {
  if (!language.empty() || settings.detect == "off") return {};
  return LanguageDetector(settings.languages).detect(text);
}

Analyzer make_analyzer(const AnalyzerSettings& settings, const std::string& language,
                       const std::optional<Detection>& found) {
  if (!found || !found->is_certain()) return Analyzer(settings, language);
  return Analyzer(settings, found->language, LanguageSource::kDetected);
}

int run(const AnalyzeOptions& options) {
  const Settings settings = read_settings(options.common);
  const std::string text =
      options.texts.empty() ? read_text(options.text_files.front()) : options.texts.front();
  const auto found = detect(settings.analyzer, options.language, text);
  Analyzer analyzer = make_analyzer(settings.analyzer, options.language, found);
  const Json analysis = analysis_json(analyzer.language(), found, analyzer.trace(text));
  if (!options.html.empty()) write_report(options.html, "analyze", "", analysis);
  if (options.common.json) {
    print_json(analysis);
  } else if (options.html.empty()) {
    print_analysis(analysis);
  }
  return kGood;
}

}  // namespace

void add_analyze(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand("analyze", "Show how a text becomes terms");
  auto options = std::make_shared<AnalyzeOptions>();
  add_common_options(command, options->common);
  add_language_option(command, options->language);
  add_texts(command, "--text", options->texts, "The text");
  add_texts(command, "--text-file", options->text_files,
            "A file with the text; - is standard input")
      ->type_name("FILE")
      ->check(not_empty("a file"));
  add_html_option(command, options->html, "Write a page with the text and its steps here");
  command.footer(kAnalyzeFooter + 1);
  command.callback([options, &action] {
    if (options->texts.size() + options->text_files.size() != 1) {
      throw CLI::ValidationError("expected exactly one --text or --text-file");
    }
    action = [options] { return run(*options); };
  });
}

}  // namespace kindred::cli
