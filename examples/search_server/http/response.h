#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace search_server {

/// An answer. Targets in Location are those of this server, without http.base_path.
struct Response {
  int status = 200;
  std::string type;  ///< the media type, with its charset if it is text
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  ///< further ones

  /// A header; "" if there is none.
  std::string header(std::string_view name) const;
};

/// JSON in UTF-8.
Response json_response(std::string json, int status = 200);
/// A target that a client names, if it is one on this server, else "/": "//host" and "/\host" lead
/// elsewhere, and control characters end a header. Whatever is not printable ASCII is refused.
std::string local_target(const std::string& target);
/// 303, to a target on this server that begins with "/".
Response see_other(const std::string& target);

}  // namespace search_server
