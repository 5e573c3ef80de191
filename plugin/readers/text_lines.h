#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "plugin/readers/decoded_text.h"

namespace kindred {

/// A line with its end, which may be "\n", "\r\n", "\r" or, at the end of the text, none.
struct TextLine {
  std::string text;
  std::uint64_t number = 0;  ///< 1-based
  bool is_too_long = false;  ///< and was not kept
};

/// The lines of a text. Memory is bounded by the longest line that is kept. For one thread.
class TextLines {
 public:
  TextLines(ByteSource source, std::size_t max_line_bytes);

  /// The next line; nothing at the end. Blocks. @throws what the source throws.
  std::optional<TextLine> next();

  /// Lines that next() returns again, in this order, before those that follow.
  void give_back(std::vector<TextLine> lines);

 private:
  bool fill();
  std::optional<std::size_t> line_end();

  DecodedText text_;
  const std::size_t max_bytes_;
  std::string buffer_;          // text that was decoded
  std::size_t at_ = 0;          // where its next line begins
  std::size_t searched_ = 0;    // up to where that line has no end
  std::deque<TextLine> again_;  // that were given back
  std::uint64_t number_ = 0;    // of the line read last
};

}  // namespace kindred
