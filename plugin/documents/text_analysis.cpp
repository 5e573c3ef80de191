#include "plugin/documents/text_analysis.h"

#include <algorithm>
#include <utility>

namespace kindred {

AnalyzedText analyze_text(const std::string& text, const std::string& language,
                          const std::vector<std::string>& prefixes, AnalyzerPool& analyzers) {
  const auto analyzer =
      language.empty() ? analyzers.lease_for_query(text) : analyzers.lease(language);
  const bool stemmed = std::any_of(prefixes.begin(), prefixes.end(),
                                   [](const auto& prefix) { return prefix.starts_with('Z'); });
  AnalyzedText analyzed;
  analyzed.language = analyzer->language();
  analyzed.prefix = stemmed ? "Z" : "";
  for (const Token& token : analyzer->tokens(text)) {
    AnalyzedWord word{token.word, stemmed ? token.term : token.word, token.position, false, {}};
    word.stop_word = word.term.empty() && analyzer->is_stop_word(token.word);
    if (stemmed && !word.term.empty()) word.term.insert(0, analyzed.prefix);
    if (stemmed)
      for (const std::string& joined : token.joined)
        word.joined.push_back(analyzed.prefix + joined);
    analyzed.words.push_back(std::move(word));
  }
  return analyzed;
}

}  // namespace kindred
