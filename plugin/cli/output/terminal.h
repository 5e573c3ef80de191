#pragma once

#include <unistd.h>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kindred::cli {

/// The columns that a text takes on a terminal. `text`: as shown() gives it.
/// - 2 for characters that are wide or full-width (UAX #11: East Asian Width), which most emoji are
/// - 0 for combining marks, joiners, and what joins the character before it: the vowels and final
///   consonants of Hangul, skin tones, and the further parts of an emoji sequence
/// - 1 for all others, and one more if a variation selector turns a symbol into an emoji
std::size_t display_width(std::string_view text);

/// The text if it takes at most `columns`, else as much of its beginning as fits, and an ellipsis.
/// Characters are not parted from their marks. `columns`: at least 1.
std::string cut_to_width(std::string_view text, std::size_t columns);

/// A text in lines of at most `columns`, as far as its words allow. An indented line that is too
/// long goes on below its second column, or further indented; others run on into the next line of
/// their paragraph.
std::string wrapped(std::string_view text, std::size_t columns);

/// A text wrapped to the columns of the terminal that a file descriptor leads to, standard output
/// if none is given; as it is if the descriptor leads to no terminal.
std::string fitted(const std::string& text, int descriptor = STDOUT_FILENO);

/// The width of the terminal that a file descriptor leads to: $COLUMNS, else what the terminal
/// says. 0 = it is no terminal, or nobody knows.
std::size_t terminal_width(int descriptor);

/// The languages that the environment asks for, such as de_DE, the best first; none for "C".
std::vector<std::string> reader_languages();

/// Writes a line on standard error in one piece. What may not be shown is escaped.
void tell(std::string_view text);

}  // namespace kindred::cli
