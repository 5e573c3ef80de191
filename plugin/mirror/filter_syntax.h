#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "config/api.h"

namespace kindred {

/// The fields of a filter: words are looked for in the first, the others hold whole values.
inline constexpr std::string_view kTextField = "title";
inline constexpr std::array<std::string_view, 7> kValueFields = {
    "label", "predicted", "rejected", "topic", "unit", "id", "lang"};

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
