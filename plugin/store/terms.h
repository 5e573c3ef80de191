#pragma once

#include <xapian.h>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace kindred {

/// Xapian's limit for a term, in bytes; a zero byte counts twice.
inline constexpr std::size_t kMaxTermBytes = 245;

/// `value` under `prefix`, as Omega and the query parser write it: with a colon between them if the
/// prefix has several letters and the value starts with a capital (A-Z) or a colon. The prefixes Z
/// and X, after which Xapian itself never writes a capital, get the colon in the same cases:
/// without it, Z + "Foo" would read as the stem "oo" of the field F.
std::string prefixed_term(std::string_view prefix, std::string_view value);

/// The same, but always with a colon, as some programs write it.
std::string colon_term(std::string_view prefix, std::string_view value);

/// The part of `term` that is its value under `prefix`. Nothing if the value is empty, or if the
/// term has another prefix: XTAGx is not a term under XT. The prefix "" has the terms that do not
/// start with a capital, "Z" the stems of unprefixed text, "ZS" those of the field S. A colon after
/// a prefix of several letters is never part of the value (notmuch always writes one).
std::optional<std::string_view> value_under(std::string_view prefix, std::string_view term);

/// True for the letters of prefixes (A-Z).
inline bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

/// Calls visit(term, value, wdf) for each term of a document that has a value under `prefix`, in
/// byte order. @throws Xapian::Error.
template <typename Visit>
void for_each_under(const std::string& prefix, const Xapian::Document& document, Visit&& visit) {
  auto it = document.termlist_begin();
  const auto end = document.termlist_end();
  for (it.skip_to(prefix); it != end; ++it) {
    const std::string term = *it;
    if (!term.starts_with(prefix)) break;
    if (const auto value = value_under(prefix, term)) visit(term, *value, it.get_wdf());
  }
}

/// False for a whole title under S, which mu writes beside its words.
bool is_word_under(std::string_view prefix, std::string_view value);

/// True if Xapian can store the term: it is not empty and not too long.
bool fits_term(std::string_view term);

/// The label that a text or the value of a term names: in Unicode's normalization form C, without
/// white space at its ends, so that what looks the same is one label. Malformed UTF-8 stays.
std::string label_name(std::string_view text);

/// The same of each, in their order; of equal labels the first.
std::vector<std::string> label_names(const std::vector<std::string>& texts);

/// The values under which programs write a label that is given as `text`: as it is, and in each
/// normalization form, once.
std::vector<std::string> label_spellings(const std::string& text);

/// The values that documents in a language may have, which is given as `text`, such as pt_BR: as it
/// is, and the code that Kindred writes, pt.
std::vector<std::string> language_spellings(const std::string& text);

/// The prefix of the language of a document: L, or XLANG where L has labels.
inline std::string language_prefix(const LabelSettings& settings) {
  return settings.prefix == "L" ? "XLANG" : "L";
}

/// The prefixes under which Kindred may have to write a label: as one of people, as a predicted
/// tag, and as one that was taken off.
std::vector<std::string> label_prefixes(const LabelSettings& settings);

/// True if the label is not empty and fits a term under each of label_prefixes(). Others are never
/// predicted.
bool fits_terms(std::string_view label, const LabelSettings& settings);

}  // namespace kindred
