#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace search_server {

/// A body that is made while it is sent: NDJSON, server-sent events.
class BodyStream {
 public:
  virtual ~BodyStream() = default;

  /// Blocks until there are more bytes, at most for `wait`. "" if there are none yet; nothing at
  /// the end. Runs in a thread of the pool, one call at a time; the object ends when the client
  /// goes.
  virtual std::optional<std::string> next(std::chrono::milliseconds wait) = 0;

  /// True for one that ends when the server stops, such as events. Others are sent to their end.
  virtual bool is_endless() const { return false; }
};

/// An answer. Without a stream it has a Content-Length; a stream is sent in chunks.
struct Response {
  int status = 200;
  std::string type;  ///< the media type, with its charset if it is text
  std::string body;
  std::unique_ptr<BodyStream> stream;                        ///< instead of `body`
  std::vector<std::pair<std::string, std::string>> headers;  ///< further ones
};

/// JSON in UTF-8.
Response json_response(std::string json, int status = 200);
Response html_response(std::string html, int status = 200);
/// A target that a client names, if it is one on this server, else "/": "//host" and "/\host" lead
/// elsewhere, and control characters end a header. Whatever is not printable ASCII is refused.
std::string local_target(const std::string& target);
/// 303, to a target on this server that begins with "/".
Response see_other(const std::string& target);

}  // namespace search_server
