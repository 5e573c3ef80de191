#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/text/language.h"
#include "analyzer/text/normalize.h"
#include "config/settings.h"

namespace kindred {

/// Knows the lemmas of the words of one language. Any number of threads may use it.
class LemmaSource {
 public:
  LemmaSource() = default;
  virtual ~LemmaSource() = default;
  LemmaSource(const LemmaSource&) = delete;
  LemmaSource& operator=(const LemmaSource&) = delete;

  /// Lemmas that the word may have, the best one (best_lemma()) among them, in any order and case;
  /// none if it is unknown. `spelling`: the word in lower case, as Draft::spelling; `word`: the
  /// same word, folded.
  virtual std::vector<std::string> lemmas_of(std::string_view spelling,
                                             std::string_view word) const = 0;
};

/// The lemma to take, folded; "" if there is none. A form may belong to several lemmas: Spanish
/// "casas" to "casa" and "casar". The choice must not depend on the words around it, or documents
/// and queries would not meet: it is the lemma with the fewest characters, and of those the first
/// in byte order. What folding leaves nothing of, or more than one word of, is no lemma.
std::string best_lemma(const std::vector<std::string>& lemmas, const Normalizer& normalizer);

/// The sources that analyzer.lemmas names for a language, in its order. A dictionary or list that
/// is in use in this process already is not loaded again.
/// @throws Error kNotFound (a dictionary or list that is not there), kInvalidArgument (a list, by
/// file and line; a language), kUnsupported (a build without Hunspell, an unknown encoding).
std::vector<std::shared_ptr<const LemmaSource>> open_lemma_sources(const AnalyzerSettings& settings,
                                                                   const Language& language,
                                                                   const Normalizer& normalizer);

/// The version of Hunspell in this build, such as "1.7.1"; "" without Hunspell.
KINDRED_API std::string hunspell_version();

}  // namespace kindred
