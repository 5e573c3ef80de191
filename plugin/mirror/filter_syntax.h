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

/// Words are looked for in this one.
inline constexpr FilterField kTextField = {"title",
                                           [](const Settings&) { return std::string("S"); }};

/// These hold whole values.
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
inline constexpr std::size_t kMaxFilterBrackets = 20;   ///< inside one another
inline constexpr std::size_t kMaxFilterTerms = 10'000;  ///< that all its wildcards stand for

/// Checks what Xapian::QueryParser takes for something else without a word: a field that is unknown
/// or has no value, quotes and brackets that are not closed, not opened, or stand right behind a
/// word. A word with a colon and more behind it is a field, but for numbers (12:30), "://" and
/// "::"; in quotes everything is text. Also checks the bounds above, which keep Xapian's recursion
/// and time small.
/// @returns the number of wildcards.
/// @throws Error kInvalidArgument naming the byte, from 1, and what was expected there.
KINDRED_API std::size_t check_filter(std::string_view filter);

}  // namespace kindred
