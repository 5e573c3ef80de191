#pragma once

#include <string>
#include <string_view>

#include "config/api.h"

namespace kindred {

/// How characters that may not be shown are written instead.
enum class ShownAs {
  kText,        ///< for people; a backslash of the text stays as it is, so this cannot be undone
  kReversible,  ///< as kText, but a backslash becomes \\, so that the bytes can be restored
  kJson,        ///< for a whole JSON text: \uXXXX as in JSON, which means the same as before
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

}  // namespace kindred
