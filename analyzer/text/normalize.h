#pragma once

#include <string>
#include <string_view>

#include "analyzer/text/language.h"

namespace kindred {

/// Folds words, so that spellings that mean the same become one string.
///
/// - Compatibility and case: NFKC_Casefold (Unicode 3.13), which also drops soft hyphens and other
///   ignorable characters. In Turkish and Azerbaijani, I folds to dotless i, and dotted I to i.
/// - Apostrophes: U+2018, U+2019, U+201B, and the letters that are used as such, U+02BB and U+02BC,
///   become ', and are left out at the ends of the word ("ʻokina", "okina").
/// - By language (drop, fold and digits of config/languages.toml): vowel marks that are mostly left
///   out, letters that people write in two ways, digits.
/// - Accents, if asked for: nonspacing marks are taken off letters of the Latin, Greek and Cyrillic
///   scripts ("é" to "e", "й" to "и"). Marks of other scripts stay, since they are vowels or tell
///   letters apart there (Devanagari, Thai, Hebrew, kana). Letters that Unicode does not decompose
///   ("ø", "ł") stay.
///
/// Folding a folded word again changes nothing. Immutable; any number of threads may use it.
class Normalizer {
 public:
  Normalizer(const Language& language, bool fold_accents);

  /// `text` must be well-formed UTF-8. The result may be empty (a lone soft hyphen). Only the first
  /// 64 MiB of a word are read, which is enough to see that it is too long.
  std::string fold(std::string_view text) const;

  /// The word as dictionaries spell it: in lower case and composed (NFC), with ' for the
  /// apostrophes above, but otherwise unfolded. Of a folded word, the word itself.
  std::string lower(std::string_view text) const;

  /// Normalizers with equal keys fold alike: it names the language, and with it its rules.
  std::string key() const;

 private:
  std::string locale_;  // of lower case
  const LanguageRules& rules_;
  bool has_rules_;
  bool fold_accents_;
};

}  // namespace kindred
