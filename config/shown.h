#pragma once

#include <string>
#include <string_view>

#include "config/api.h"

namespace kindred {

/// How what may not be shown is written instead.
enum class ShownAs {
  kText,        ///< for people; a backslash of the text stays as it is, so this cannot be undone
  kReversible,  ///< as kText with \\ for a backslash: whoever undoes the escapes has the same bytes
  kJson,        ///< for JSON as a whole: \uXXXX as JSON has it, so it means the same as before
};

/// `text` as a terminal, a page, a drawing or a log may have it: valid UTF-8 in which every
/// character can be seen, on one line. Applying it again changes nothing (but for kReversible).
///
/// Not shown are control characters, line and paragraph separators, noncharacters, and what
/// Unicode lets a display ignore or use for layout: bidirectional marks, overrides and isolates,
/// zero-width spaces, soft hyphens, tags. Joiners (U+200C, U+200D) and variation selectors stay
/// where scripts and emoji need them: after a character that can be joined or varied.
///
/// They are written \n, \t, \r, \xNN (other ASCII characters, and bytes that are not UTF-8), \uNNNN
/// or \UNNNNNNNN (all other characters), in lower-case digits. In JSON, newlines stay.
KINDRED_API std::string shown(std::string_view text, ShownAs as = ShownAs::kText);

}  // namespace kindred
