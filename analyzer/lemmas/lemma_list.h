#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/lemmas/lemma_source.h"
#include "analyzer/words/normalize.h"
#include "analyzer/words/word_list.h"

namespace kindred {

/// Lemmas from a file with one pair per line, lemma TAB form. A lemma is also a form of itself. A
/// form may have several lemmas.
class LemmaList : public LemmaSource {
 public:
  /// @throws Error as read_word_list() and parse_words(); kInvalidArgument also for a line that
  /// does not have exactly one TAB.
  LemmaList(const std::string& path, const Normalizer& normalizer);

  std::vector<std::string> lemmas_of(std::string_view spelling,
                                     std::string_view word) const override;

 private:
  WordMap lemmas_;  // folded form -> folded lemmas, with a TAB between two
};

}  // namespace kindred
