#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

/// False for a whole title under S, which mu writes beside its words.
bool is_word_under(std::string_view prefix, std::string_view value);

/// True if Xapian can store the term: it is not empty and not too long.
bool fits_term(std::string_view term);

}  // namespace kindred
