#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "http/request.h"

struct MHD_Connection;

namespace search_server {

/// What may arrive before a body.
struct HeadLimits {
  std::size_t target_bytes = 8192;   ///< of path and query
  std::size_t header_bytes = 16384;  ///< of all names and values of headers
};

/// The head of a request, as far as its route does not matter.
struct Head {
  Request request;
  std::string raw_path;  ///< not decoded
  bool is_head = false;  ///< the method is HEAD; the request says GET
  bool has_body = false;
  bool chunked = false;              ///< the length of the body is not known
  std::uint64_t content_length = 0;  ///< if not chunked
  bool expects_continue = false;     ///< the client waits before it sends the body
  bool must_close = false;           ///< where the next request begins is not certain
};

/// Fills `head` in with what `connection` received. It is filled as far as it was read also if this
/// throws, and then has an id. `target` is what stood between the method and the version.
/// @throws Problem 400, 414, 431, 501.
void read_head(MHD_Connection* connection, const std::string& method, std::string target,
               const HeadLimits& limits, Head& head);

}  // namespace search_server
