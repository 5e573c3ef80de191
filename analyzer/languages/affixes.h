#pragma once

#include <string>
#include <string_view>

#include "analyzer/languages/language_rules.h"

namespace kindred {

/// A word without the longest of the prefixes and the longest of the suffixes of the rules that it
/// has; one that would leave less than `keeps` characters stays. The okurigana of Japanese go
/// first, then the suffix. `word`: folded, in well-formed UTF-8.
std::string without_affixes(std::string_view word, const LanguageRules& rules);

}  // namespace kindred
