#include "index/words.h"

#include <algorithm>
#include <unordered_map>

#include "analyzer/text/utf8.h"
#include "config/shown.h"
#include "http/message.h"

namespace search_server {
namespace {

constexpr int kMostNear = 200'000;  ///< words that are compared with one that is unknown
/// A word of fewer than 1 in so many documents may be a slip, if another is so much more frequent.
constexpr Xapian::doccount kRareShare = 10'000, kMoreFrequent = 10;
constexpr const char* kSigns = "\"():";  ///< in a query, of what is more than words

class Stems : public Xapian::StemImplementation {
 public:
  Stems(kindred::AnalyzerPool& analyzers, const std::string& text)
      : analyzer_(analyzers.lease_for_query(text)) {}
  std::string operator()(const std::string& word) override {
    const auto [known, is_new] = known_.try_emplace(word, word);
    std::string term;
    if (is_new && kindred::is_ascii(word)) {
      term = analyzer_->term_of(word);  // it is folded, and need not be cut
    } else if (is_new) {
      const auto& tokens = analyzer_->tokens(word);
      if (tokens.size() == 1) term = tokens[0].term;
    }
    if (!term.empty()) known->second = term;
    return known->second;
  }
  std::string get_description() const override { return "stems of the index"; }

 private:
  const kindred::AnalyzerPool::Lease analyzer_;
  std::unordered_map<std::string, std::string> known_;  ///< texts say most words again
};

/// The word of more than `least` documents that perhaps was meant: the nearest, of equally near
/// ones the most frequent.
std::string near_word(const Xapian::Database& database, const std::string& word,
                      Xapian::doccount least) {
  if (word.size() < 4 || word.size() > 40) return "";
  std::string near;
  std::size_t distance = word.size() < 6 ? 1 : 2;
  Xapian::doccount most = least;
  int left = kMostNear;
  const std::string first = word.substr(0, 1);
  const auto end = database.allterms_end(first);
  for (auto term = database.allterms_begin(first); term != end && left > 0; ++term, --left) {
    const std::string name = *term;
    if (name.size() + distance < word.size() || name.size() > word.size() + distance) continue;
    const std::size_t its = kindred::edit_distance(word, name);
    const Xapian::doccount documents = term.get_termfreq();
    if (its > distance || documents <= (its == distance ? most : least)) continue;
    near = name;
    distance = its;
    most = documents;
  }
  return near;
}

}  // namespace

AnalyzedQuery analyzed_query(const Handle& plugin, const std::string& typed, bool partial) {
  AnalyzedQuery query;
  if (typed.find_first_not_of(" \t\r\n") == std::string::npos) {
    // Not Query::MatchAll: copies of it share a count that only one thread at a time may change.
    query.query = Xapian::Query(std::string());
    return query;
  }
  const auto ask = [&](const std::string& text) {
    return plugin.ask("analyze", {{"query", text}, {"partial", partial}});
  };
  Json parsed;
  try {
    parsed = ask(typed);
  } catch (const PluginError& e) {
    if (!partial || e.code() != KINDRED_INVALID_ARGUMENT) throw;
    std::string words = typed;
    for (std::size_t at = 0; (at = words.find_first_of(kSigns, at)) != words.npos;) words[at] = ' ';
    parsed = ask(words);
  }
  query.query = Xapian::Query::unserialise(read_name(parsed["query"].get<std::string>()));
  for (const Json& word : parsed["words"]) {
    query.words.push_back({word["word"], {}});
    for (const Json& term : word["terms"])
      query.words.back().terms.push_back(read_name(term.get<std::string>()));
  }
  return query;
}

std::string corrected(const Xapian::Database& database, const std::string& typed,
                      const std::vector<AnalyzedQuery::Word>& words, std::size_t found) {
  const Xapian::doccount few = database.get_doccount() / kRareShare, rare = found > few ? 0 : few;
  std::string result = typed;
  for (const auto& [word, terms] : words) {
    Xapian::doccount documents = 0;
    for (const std::string& term : terms)
      documents = std::max(documents, database.get_termfreq(term));
    if (documents > rare) continue;
    const std::string lower = lower_ascii(word);
    std::string better = database.get_spelling_suggestion(lower);
    if (better.empty()) better = near_word(database, lower, kMoreFrequent * documents);
    const std::size_t place = lower_ascii(result).find(lower);
    if (!better.empty() && place != result.npos) result.replace(place, word.size(), better);
  }
  return result == typed ? "" : result;
}

std::vector<std::string> typed_words(kindred::AnalyzerPool& analyzers, const std::string& typed) {
  std::vector<std::string> words;
  const auto analyzer = analyzers.lease_for_query(typed);
  for (const kindred::Token& token : analyzer->tokens(typed))
    if (!token.word.empty()) words.push_back(token.word);
  return words;
}

Xapian::Stem stemmer(kindred::AnalyzerPool& analyzers, const Xapian::Database& database,
                     const std::string& text) {
  const bool stemmed = database.allterms_begin("Z") != database.allterms_end("Z");
  return stemmed ? Xapian::Stem(new Stems(analyzers, text)) : Xapian::Stem();
}

}  // namespace search_server
