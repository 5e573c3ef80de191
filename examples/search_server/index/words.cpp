#include "index/words.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

namespace search_server {
namespace {

constexpr std::size_t kMostRemembered = 100'000;
constexpr std::size_t kLongest = 64;     ///< bytes of a word that is remembered
constexpr int kMostOfStem = 400;         ///< words that are looked at for one stem
constexpr int kMostNear = 50'000;        ///< words that are compared with one that is unknown
constexpr const char* kSigns = "\"():";  ///< in a query, of what is more than words

std::string without_prefix(std::string_view term) {
  const std::size_t begin =
      std::min(term.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), term.size());
  const bool has_colon = begin > 0 && begin < term.size() && term[begin] == ':';
  return std::string(begin == term.size() ? term : term.substr(begin + (has_colon ? 1 : 0)));
}

/// The most frequent word that begins so and has the stem; "" if there is none.
std::string most_frequent(const Xapian::Database& database, const std::string& begin,
                          const std::string& stem, const Xapian::Stem& stemmer) {
  std::string best;
  Xapian::doccount most = 0;
  int left = kMostOfStem;
  const auto end = database.allterms_end(begin);
  for (auto term = database.allterms_begin(begin); term != end && left > 0; ++term, --left) {
    const Xapian::doccount documents = term.get_termfreq();
    if (documents <= most || stemmer(*term) != stem) continue;
    best = *term;
    most = documents;
  }
  return best;
}

std::string nearest_word(const Xapian::Database& database, const std::string& word) {
  if (word.size() < 3 || word.size() > 40) return "";
  std::string best;
  std::size_t least = word.size() < 6 ? 2 : 3;  // what is nearer is near enough
  Xapian::doccount frequency = 0;
  int left = kMostNear;
  const std::string first = word.substr(0, 1);
  const auto end = database.allterms_end(first);
  for (auto term = database.allterms_begin(first); term != end && left > 0; ++term, --left) {
    const std::string name = *term;
    if (std::max(name.size(), word.size()) - std::min(name.size(), word.size()) > 2) continue;
    const std::size_t distance = edit_distance(word, name);
    const bool is_near = distance < least || (distance == least && !best.empty());
    if (!is_near || (distance == least && term.get_termfreq() <= frequency)) continue;
    best = name;
    least = distance;
    frequency = term.get_termfreq();
  }
  return best;
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 'a' - 'A');
  return text;
}

}  // namespace

template <typename Make>
std::string Words::Known::get(const std::string& key, Make&& make) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
  }
  std::string made = make();
  if (key.size() > kLongest) return made;
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMostRemembered) known_.clear();
  known_.emplace(key, made);
  return made;
}

void Words::Known::forget() {
  const std::lock_guard lock(mutex_);
  known_.clear();
}

class Words::Stems : public Xapian::StemImplementation {
 public:
  Stems(Words& words, const std::string& language)
      : words_(words), language_(language), known_(words.stems_of(language)) {}
  std::string operator()(const std::string& word) override {
    return known_.get(word, [&] { return words_.stem(word, language_); });
  }
  std::string get_description() const override { return "stems of the index"; }

 private:
  Words& words_;
  const std::string language_;
  Known& known_;
};

AnalyzedQuery Words::analyzed(const std::string& typed, bool partial) const {
  const Json text = ask_("analyze", {{"text", typed}});
  AnalyzedQuery query;
  query.language = text["language"];
  for (const Json& word : text["words"])
    if (word["word"] != "") query.typed.push_back(word["word"]);
  if (typed.find_first_not_of(" \t\r\n") == std::string::npos) {
    // Not Query::MatchAll: copies of it share a count that only one thread at a time may change.
    query.query = Xapian::Query(std::string());
    return query;
  }
  Json parsed;
  try {
    parsed = ask_("analyze", {{"query", typed}, {"partial", partial}});
  } catch (const PluginError& e) {
    if (!partial || e.code() != KINDRED_INVALID_ARGUMENT) throw;
    std::string words = typed;
    for (std::size_t at = 0; (at = words.find_first_of(kSigns, at)) != words.npos;) words[at] = ' ';
    parsed = ask_("analyze", {{"query", words}, {"partial", partial}});
  }
  query.query = Xapian::Query::unserialise(read_name(parsed["query"].get<std::string>()));
  for (const Json& word : parsed["words"]) {
    query.words.push_back({word["word"], {}});
    for (const Json& term : word["terms"])
      query.words.back().terms.push_back(read_name(term.get<std::string>()));
  }
  return query;
}

Words::Known& Words::stems_of(const std::string& language) {
  const std::lock_guard lock(mutex_);
  return stems_[language];
}

std::string Words::stem(const std::string& word, const std::string& language) const {
  const Json analysis = ask_("analyze", {{"text", word}, {"lang", language}});
  const Json& words = analysis["words"];
  if (words.size() != 1 || words[0]["term"] == "") return word;
  return read_name(words[0]["term"].get<std::string>())
      .substr(analysis["prefix"].get_ref<const std::string&>().size());
}

Xapian::Stem Words::stemmer(const Xapian::Database& database, const std::string& language) {
  const bool stemmed = database.allterms_begin("Z") != database.allterms_end("Z");
  return stemmed ? Xapian::Stem(new Stems(*this, language)) : Xapian::Stem();
}

std::string Words::word(const Xapian::Database& database, const std::string& term,
                        const std::string& language) {
  const std::string stem = without_prefix(term);
  if (!term.starts_with('Z')) return stem;
  return words_.get(language + " " + stem, [&] {
    const Xapian::Stem stemmer = this->stemmer(database, language);
    std::string word;
    // Stems may end otherwise than their words: "happi" of "happy".
    for (std::size_t cut = stem.size() > 3 && stem.ends_with('i') ? 1 : 0;
         cut < 2 && word.empty() && stem.size() > cut; ++cut)
      word = most_frequent(database, stem.substr(0, stem.size() - cut), stem, stemmer);
    return word.empty() ? stem : word;
  });
}

void Words::forget() {
  words_.forget();
  const std::lock_guard lock(mutex_);
  for (auto& [language, known] : stems_) known.forget();
}

std::string corrected(const Xapian::Database& database, const std::string& typed,
                      const std::vector<AnalyzedQuery::Word>& words) {
  std::string result = typed;
  for (const auto& [word, terms] : words) {
    const auto exists = [&](const std::string& term) { return database.term_exists(term); };
    if (std::ranges::any_of(terms, exists)) continue;
    const std::string lower = lower_case(word);
    std::string better = database.get_spelling_suggestion(lower);
    if (better.empty()) better = nearest_word(database, lower);
    const std::size_t place = lower_case(result).find(lower);
    if (!better.empty() && place != result.npos) result.replace(place, word.size(), better);
  }
  return result == typed ? "" : result;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // The rows for the prefixes of `a` that end two bytes back, one byte back, and here.
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.resize(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& here = rows[i % 3];
    const auto& before = rows[(i + 2) % 3];
    here[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      here[j] = std::min({before[j] + 1, here[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        here[j] = std::min(here[j], rows[(i + 1) % 3][j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace search_server
