#pragma once

#include <unicode/translit.h>
#include <memory>
#include <string>

#include "analyzer/text/language.h"

namespace kindred {

/// Replaces what people write in several ways in one language by one of them: by
/// LanguageRules::umlauts, variants and transliterate. Use one per thread.
class Variants {
 public:
  /// The rules are borrowed.
  explicit Variants(const LanguageRules& rules);

  /// `word`: folded, in well-formed UTF-8.
  std::string apply(std::string word) const;

 private:
  const LanguageRules& rules_;
  std::unique_ptr<icu::Transliterator> transform_;  // null: none, or this ICU lacks it
};

}  // namespace kindred
