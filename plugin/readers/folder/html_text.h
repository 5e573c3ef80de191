#pragma once

#include <string>
#include <string_view>

namespace kindred {

/// What a file or a mail says.
struct TitledText {
  std::string title;  ///< "" if there is none
  std::string text;
};

/// The text of HTML or of the XML of an office document, with a line for each block. The title is
/// that of the first `title` element, else of the first heading. Scripts and styles are left out.
/// Nothing is loaded from elsewhere, no entity is read but those of HTML, and memory is
/// proportional to the bytes however they are nested.
/// @param charset what the bytes are said to be; "": what a `meta` element says, or as they look
TitledText read_html(std::string_view bytes, const std::string& charset);

/// A text with one blank for any white space, and none at its ends.
std::string in_one_line(std::string_view text);

}  // namespace kindred
