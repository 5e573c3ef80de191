#include "plugin/documents/analyzed_text.h"

#include <algorithm>
#include <utility>

#include "plugin/store/terms.h"

namespace kindred {

api::AnalyzeAnswer analyze_text(const std::string& text, const std::string& language,
                                const std::vector<std::string>& prefixes, AnalyzerPool& analyzers) {
  // The text is analyzed as a query is, in the language that it says or seems to be in.
  const auto analyzer =
      language.empty() ? analyzers.lease_for_query(text) : analyzers.lease(language);
  const auto is_stemmed = [](const auto& prefix) {
    return prefix.starts_with('Z');
  };
  const bool stemmed = std::ranges::any_of(prefixes, is_stemmed);
  const std::string unstemmed = prefixes.empty() ? "" : prefixes.front();
  const std::string prefix = stemmed ? "Z" : unstemmed;

  api::AnalyzeAnswer analyzed;
  analyzed.language = analyzer->language();
  analyzed.prefix = prefix;

  // Where the index has stems, the term is one; else a word stands for itself.
  for (const Token& token : analyzer->tokens(text)) {
    api::AnalyzedWord& word = analyzed.words.emplace_back();
    word.word = token.word;
    word.position = token.position;

    const std::string& term = stemmed ? token.term : token.word;
    word.stop_word = term.empty() && analyzer->is_stop_word(token.word);
    word.term = term.empty() ? "" : prefixed_term(prefix, term);

    word.joined.emplace();
    if (!stemmed) continue;
    for (const std::string& joined : token.joined)
      word.joined->push_back(prefixed_term(prefix, joined));
  }
  return analyzed;
}

}  // namespace kindred
