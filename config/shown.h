#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"

namespace kindred {

/// How characters that may not be shown are written instead.
enum class ShownAs {
  kText,        ///< for people; a backslash of the text stays as it is, so this cannot be undone
  kReversible,  ///< as kText, but a backslash becomes \\, so that the bytes can be restored
  kJson,        ///< for a whole JSON text: \uXXXX, which readers of JSON turn back
};

/// `text` in a form that is safe on a terminal or a page, in a drawing or a log: one line of valid
/// UTF-8 in which every character can be seen. Applying it again changes nothing (except with
/// kReversible).
///
/// Not shown are control characters, line and paragraph separators, noncharacters, and what
/// Unicode lets a display ignore or use for layout: bidirectional marks, overrides and isolates,
/// zero-width spaces, soft hyphens, tags. Joiners (U+200C, U+200D) and variation selectors stay
/// where scripts and emoji need them: after a character that can be joined or varied.
///
/// They are written as \n, \t, \r, \xNN (other ASCII characters, and bytes that are not UTF-8),
/// \uNNNN or \UNNNNNNNN (all other characters), with lower-case digits. In JSON, newlines stay.
KINDRED_API std::string shown(std::string_view text, ShownAs as = ShownAs::kText);

/// The number in decimal digits, with a point whatever the locale of the host: the fewest digits
/// that read back as the same number. Whole numbers below 1e15 have no exponent.
KINDRED_API std::string number_text(double value);

/// A number with a fixed number of decimals and a point, in any locale.
KINDRED_API std::string fixed(double value, int decimals);

/// The least number of slips between two words: a byte that is changed, left out or added, or two
/// neighbors that changed places (optimal string alignment).
KINDRED_API std::size_t edit_distance(std::string_view a, std::string_view b);

/// The `count` entries of `known` with the least edit distance to `word`, the nearest first, or all
/// if there are fewer; ties go to the first entry. For "did you mean".
std::vector<std::string> nearest_of(std::string_view word, const std::vector<std::string>& known,
                                    std::size_t count);

/// The beginning of a text that somebody handed in, for a message: at most 200 bytes of whole
/// characters, and "..." for the rest.
std::string shortened(std::string_view text);

/// Adds an item to a list that is written in one line, with the separator before it unless the list
/// is empty.
inline void append_item(std::string& list, std::string_view item,
                        std::string_view separator = ", ") {
  if (!list.empty()) list += separator;
  list += item;
}

/// "auto, cpu or cuda".
std::string choices_text(std::span<const std::string_view> words);

/// The entry of `known` that `word` perhaps stands for: the only one that begins with it, else the
/// nearest one, if its edit distance is at most one more than a third of the letters of `word`.
/// Dashes in front do not count. "" if there is none.
KINDRED_API std::string likely_of(std::string_view word, const std::vector<std::string>& known);

}  // namespace kindred
