#include "plugin/readers/text_lines.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kindred {

TextLines::TextLines(ByteSource source, std::size_t max_line_bytes)
    : text_(std::move(source)), max_bytes_(max_line_bytes) {}

/// Appends text to the buffer, and drops what was used of it; false at the end.
bool TextLines::fill() {
  buffer_.erase(0, at_);
  searched_ -= at_;
  at_ = 0;
  return text_.read(buffer_);
}

/// Where the line at `at_` ends, behind its last character; nothing if that is not in the buffer.
std::optional<std::size_t> TextLines::line_end() {
  searched_ = std::min(buffer_.find_first_of("\r\n", searched_), buffer_.size());
  if (searched_ == buffer_.size()) return {};
  if (buffer_[searched_] == '\n') return searched_ + 1;
  if (searched_ + 1 == buffer_.size()) return {};  // perhaps "\r\n"
  return buffer_[searched_ + 1] == '\n' ? searched_ + 2 : searched_ + 1;
}

std::optional<TextLine> TextLines::next() {
  if (!again_.empty()) {
    TextLine line = std::move(again_.front());
    again_.pop_front();
    return line;
  }

  TextLine line{.text = {}, .number = number_ + 1};
  std::optional<std::size_t> end = line_end();
  while (!end) {
    // A line that is too long is read to its end, but not kept.
    if (buffer_.size() - at_ > max_bytes_) {
      line.is_too_long = true;
      at_ = searched_;
    }
    if (!fill()) break;
    end = line_end();
  }

  const std::size_t behind = end.value_or(buffer_.size());
  if (behind == at_ && !line.is_too_long) return {};
  if (behind - at_ > max_bytes_) line.is_too_long = true;
  if (!line.is_too_long) line.text = buffer_.substr(at_, behind - at_);

  at_ = behind;
  searched_ = behind;
  ++number_;
  return line;
}

void TextLines::give_back(std::vector<TextLine> lines) {
  again_.insert(again_.begin(), std::make_move_iterator(lines.begin()),
                std::make_move_iterator(lines.end()));
}

}  // namespace kindred
