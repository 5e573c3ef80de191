#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "config/api.h"
#include "config/settings.h"

namespace kindred {

/// A field of a filter, and the prefix of its terms in the index.
struct FilterField {
  std::string_view name;
  std::string (*prefix)(const Settings& settings);
};

/// The field whose value is text: its words are searched for.
inline constexpr FilterField kTextField = {"title",
                                           [](const Settings&) { return std::string("S"); }};

/// The fields whose values are taken whole.
inline constexpr std::array<FilterField, 7> kValueFields = {
    {{"label", [](const Settings& s) { return s.labels.prefix; }},
     {"predicted", [](const Settings& s) { return s.labels.predicted_prefix; }},
     {"rejected", [](const Settings& s) { return s.labels.rejected_prefix; }},
     {"topic", [](const Settings& s) { return s.topics.prefix; }},
     {"unit", [](const Settings& s) { return s.topics.unit_prefix; }},
     {"id", [](const Settings& s) { return s.index.id_prefix; }},
     {"lang", [](const Settings&) { return std::string("L"); }}}};

/// The names of all fields: "title, label, ...".
KINDRED_API std::string listed_filter_fields();

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
KINDRED_API std::size_t check_filter(std::string_view filter);

}  // namespace kindred
