#pragma once

#include <string>
#include <utility>

#include "http/response.h"
#include "plugin/handle.h"

namespace search_server {

/// In UTF-8; bytes that are not become U+FFFD.
inline std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The answer of a route, with its ETag if it has one.
inline Response answer(const Json& json, const std::string& etag = "", int status = 200) {
  Response response = json_response(to_text(json), status);
  if (!etag.empty()) response.headers.emplace_back("ETag", etag);
  return response;
}

}  // namespace search_server
