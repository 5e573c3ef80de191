#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/message.h"

namespace search_server {

/// What a request begins with.
struct Head {
  std::string method;
  std::string target;   ///< as it came
  bool is_old = false;  ///< of HTTP/1.0
  Headers headers;
};

/// How many bytes of what a client has sent are a head; 0: more of it has to come. `looked`: of
/// these so many were looked at by calls before; it is 0 at first.
/// @throws Problem 400 for an end of a line that is not CR LF.
std::size_t head_size(std::string_view bytes, std::size_t& looked);

/// Reads a head; an empty line before it is passed over. It is taken as RFC 9112 has it, and in no
/// other form: what one server takes for a header, and another for a part of the one before, hides
/// requests.
/// @throws Problem 400 for what is malformed: a name with other signs than those of a token, such
/// as a space before the colon, a value with a control character (tabs are none), a folded line, a
/// Host that is missing (of HTTP/1.1) or doubled; 505 for other versions than 1.0 and 1.1.
Head read_head(std::string_view text);

/// How long a body is.
struct BodyLength {
  bool is_chunked = false;
  std::uint64_t bytes = 0;  ///< if it is not
};

/// @throws Problem 400 if it is not one Content-Length, or the Transfer-Encoding "chunked".
BodyLength body_length(const Head& head);

/// The size that a line before a chunk tells. @throws Problem 400 if it tells none.
std::uint64_t chunk_size(std::string_view line);

/// A line behind the last chunk, without its end. @throws Problem 400 if it is no header.
void check_trailer(std::string_view line);

}  // namespace search_server
