#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"
#include "config/settings.h"

namespace kindred {

/// A field of a filter, and the prefix of its terms in the index. A name may have several prefixes.
struct FilterField {
  std::string name, prefix;
};

/// The fields of a filter.
struct FilterFields {
  std::vector<FilterField> texts;   ///< whose values are text: their words are searched for
  std::vector<FilterField> values;  ///< whose values are taken whole

  bool is_text(std::string_view name) const;
  bool is_value(std::string_view name) const;
  std::vector<std::string> names() const;  ///< each once, those of texts first
};

/// Kindred's own fields (title; label, predicted, rejected, topic, unit, id, lang) and those of the
/// settings, which replace fields of the same name.
KINDRED_API FilterFields filter_fields(const Settings& settings = {});

/// The names of the fields: "title, label, ...".
KINDRED_API std::string listed_filter_fields(const FilterFields& fields = filter_fields());

inline constexpr std::size_t kMaxFilterBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxFilterParts = 1000;    ///< operators, phrases and brackets
inline constexpr std::size_t kMaxFilterBrackets = 20;   ///< levels of nesting
inline constexpr std::size_t kMaxFilterTerms = 10'000;  ///< that all its wildcards stand for

/// Refuses mistakes that Xapian::QueryParser silently reads as something else:
///
/// - a field that is unknown or has no value,
/// - a quote or bracket that is not closed or not opened, and a bracket directly after a word.
///
/// A word that is followed by a colon and more text is a field, except for numbers (12:30), "://"
/// and "::". In quotes everything is text. Also checks the limits above, which keep the recursion
/// and the time of Xapian small.
/// @returns the number of wildcards.
/// @throws Error kInvalidArgument that names the byte, from 1, and what was expected there.
KINDRED_API std::size_t check_filter(std::string_view filter,
                                     const FilterFields& fields = filter_fields());

}  // namespace kindred
