#include "plugin/documents/analyzed_text.h"

#include <algorithm>
#include <utility>

namespace kindred {

AnalyzedText analyze_text(const std::string& text, const std::string& language,
                          const std::vector<std::string>& prefixes, AnalyzerPool& analyzers) {
  // The text is analyzed as a query is, in the language that it says or seems to be in.
  const auto analyzer =
      language.empty() ? analyzers.lease_for_query(text) : analyzers.lease(language);
  const auto is_stemmed = [](const auto& prefix) {
    return prefix.starts_with('Z');
  };
  const bool stemmed = std::ranges::any_of(prefixes, is_stemmed);

  AnalyzedText analyzed;
  analyzed.language = analyzer->language();
  if (stemmed) analyzed.prefix = "Z";

  // Where the index has stems, the term is one; else a word stands for itself.
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
