#pragma once

#include <cstddef>
#include <string>

#include "http/problem.h"

namespace search_server {

/// 413, for a body of more than `limit` bytes; 0: one where none is taken.
Problem body_too_large(std::size_t limit);

/// The body of a request, read piece by piece in the thread of the handler. While nobody reads, the
/// connection is suspended, so a slow handler slows its client down and memory stays bounded.
class BodyReader {
 public:
  virtual ~BodyReader() = default;

  /// Appends the next bytes, at most about 64 KiB, to `to`. False at the end of the body. Blocks.
  /// @throws Problem 408 if the client sends too slowly; 413 beyond the limit of the route;
  /// ClientGone.
  virtual bool read(std::string& to) = 0;

  /// The whole body. @throws Problem 413 if it has more than `limit` bytes; as read().
  std::string read_all(std::size_t limit);
};

/// The bytes of a body as lines, which end in "\n" or "\r\n" or at the end of the body.
class LineReader {
 public:
  /// `limit` is the greatest length of a line, in bytes.
  LineReader(BodyReader& body, std::size_t limit) : body_(body), limit_(limit) {}

  /// The next line, without its end. False at the end of the body. @throws as BodyReader::read();
  /// Problem 413 for a line beyond the limit, with its number.
  bool next(std::string& line);

  std::size_t number() const { return number_; }  ///< of the last line, from 1

 private:
  BodyReader& body_;
  std::size_t limit_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t number_ = 0;
  bool ended_ = false;
};

/// The client has closed the connection: nobody waits for the answer.
class ClientGone {};

}  // namespace search_server
