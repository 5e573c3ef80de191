#pragma once

#include <xapian.h>

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plugin/handle.h"

namespace search_server {

/// A query as people write it, as the index has it.
struct AnalyzedQuery {
  struct Word {
    std::string word;
    std::vector<std::string> terms;  ///< under which the index may have it
  };
  Xapian::Query query;
  std::vector<Word> words;
  std::vector<std::string> typed;  ///< its words, as the index has those of titles
  std::string language;
};

/// What words of people are in the index, and the other way round. Any thread may use it.
class Words {
 public:
  /// Asks the plugin that is current, as Handle::ask().
  using Ask = std::function<Json(const std::string& question, const Json& request)>;

  explicit Words(Ask ask) : ask_(std::move(ask)) {}

  /// `partial`: the last word may be the beginning of one, and a quote or a bracket may not be
  /// closed yet: then only the words count. @throws PluginError for a mistake; as the plugin.
  AnalyzedQuery analyzed(const std::string& typed, bool partial) const;

  /// Stems as the index does; nothing if the database has no stems. Words must outlive it.
  Xapian::Stem stemmer(const Xapian::Database& database, const std::string& language);

  /// The word that people would write for a term: of a stem, the most frequent one of the index
  /// that has it. @throws Xapian::Error; as the plugin.
  std::string word(const Xapian::Database& database, const std::string& term,
                   const std::string& language);

  void forget();  ///< what another plugin said

 private:
  class Stems;
  /// What was found out for some ten thousands of keys. Any thread may use it.
  class Known {
   public:
    template <typename Make>
    std::string get(const std::string& key, Make&& make);
    void forget();

   private:
    std::shared_mutex mutex_;
    std::unordered_map<std::string, std::string> known_;
  };

  Known& stems_of(const std::string& language);
  std::string stem(const std::string& word, const std::string& language) const;

  const Ask ask_;
  std::mutex mutex_;                    ///< guards stems_, not what is in it
  std::map<std::string, Known> stems_;  ///< of words, by language
  Known words_;                         ///< of languages and stems
};

/// The query with its unknown words replaced by the nearest words of the index. "" if nothing is
/// near. Looks at the words that begin with the same letter, or the index's spelling data.
std::string corrected(const Xapian::Database& database, const std::string& typed,
                      const std::vector<AnalyzedQuery::Word>& words);

/// How many bytes must be put in, left out, changed or swapped with the next to make `a` into `b`
/// (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace search_server
