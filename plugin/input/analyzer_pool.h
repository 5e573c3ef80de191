#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyzer.h"
#include "analyzer/text/detect.h"
#include "config/profiles.h"
#include "config/settings.h"
#include "gpu/pool.h"
#include "plugin/input/record.h"

namespace kindred {

/// Lends analyzers, which are costly to make and serve one thread each. Any number of threads may
/// use the pool; its lock is held for a look-up only.
class AnalyzerPool {
  using Kind = std::pair<std::string, LanguageSource>;

 public:
  /// @throws Error as Analyzer and LanguageDetector: bad word lists, and dictionaries that are not
  /// there, are found here, not at the first lease.
  explicit AnalyzerPool(const AnalyzerSettings& settings, const IndexSettings& index = {});
  AnalyzerPool(const AnalyzerPool&) = delete;
  AnalyzerPool& operator=(const AnalyzerPool&) = delete;

  using Lease = Pool<Analyzer>::Lease;

  /// An analyzer for the language, or for the default one if `language` is "" or unknown.
  Lease lease(const std::string& language) { return lease({language, LanguageSource::kGiven}); }

  /// An analyzer for a record: of the language that it names, or else of the one that its title and
  /// text are found to be in, if the settings want that and it is certain enough; else the default.
  Lease lease_for(const Record& record);

  /// An analyzer for the text of a query: of the language that it is found to be in, if the
  /// settings want that and it is certain enough; else the default.
  Lease lease_for_query(std::string_view text);

  /// What language a text is found to be in, whether or not that is certain enough; none if the
  /// settings do not want to know.
  Detection detect(std::string_view text);

  /// From now on only these languages are found, beside the default, since others do not occur.
  /// Codes that are none are left out; an empty list changes nothing.
  void expect_languages(const std::vector<std::string>& languages);

  /// True if expect_languages() makes a difference.
  bool detects() const { return settings_.detect != "off"; }

 private:
  Lease lease(const Kind& kind);
  std::unique_ptr<Analyzer> make(const Kind& kind) const;

  const AnalyzerSettings settings_;
  const bool term_generator_;  // as IndexSettings
  const bool stemmed_words_;   // as IndexSettings
  const TextFolding folding_;  // of its profile
  std::mutex mutex_;           // guards what follows
  std::map<Kind, Pool<Analyzer>> pools_;
  std::shared_ptr<const LanguageDetector> detector_;  // null if the settings want none
};

/// Cuts texts as Xapian::TermGenerator does, with the stemmer of a language, so that a text has the
/// terms that it has in an index of a program that uses TermGenerator. `ngrams`: as its
/// FLAG_CJK_NGRAM, Chinese, Japanese and Korean become characters and pairs of them. `stems_all`:
/// as STEM_ALL, also words that do not begin with a letter have a stem; else as STEM_SOME.
/// `folding`: of the whole text, before it is cut.
std::unique_ptr<WordCutter> term_generator_words(std::string_view language, bool ngrams,
                                                 bool stems_all,
                                                 TextFolding folding = TextFolding::kNone);

}  // namespace kindred
