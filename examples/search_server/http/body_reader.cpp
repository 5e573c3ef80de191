#include "http/body_reader.h"

#include <algorithm>

namespace search_server {

Problem body_too_large(std::size_t limit) {
  return Problem(413, "body-too-large",
                 limit == 0 ? "This takes no body."
                            : "The body has more than " + std::to_string(limit) + " bytes.");
}

std::string BodyReader::read_all(std::size_t limit) {
  std::string body;
  while (read(body)) {
    if (body.size() > limit) throw body_too_large(limit);
  }
  return body;
}

bool LineReader::next(std::string& line) {
  std::size_t searched = begin_;
  std::size_t end = buffer_.find('\n', searched);
  while (end == std::string::npos && !ended_) {
    if (buffer_.size() - begin_ > limit_ + 1) break;
    searched = buffer_.size() - begin_;
    buffer_.erase(0, begin_);
    begin_ = 0;
    ended_ = !body_.read(buffer_);
    end = buffer_.find('\n', searched);
  }
  if (end == std::string::npos) end = buffer_.size();
  if (ended_ && begin_ == buffer_.size()) return false;
  ++number_;
  std::size_t size = end - begin_;
  if (size > 0 && buffer_[end - 1] == '\r') --size;
  if (size > limit_) {
    throw Problem(413, "line-too-long",
                  "Line " + std::to_string(number_) + " of the body has more than " +
                      std::to_string(limit_) + " bytes.");
  }
  line.assign(buffer_, begin_, size);
  begin_ = std::min(end + 1, buffer_.size());
  return true;
}

}  // namespace search_server
