#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/request.h"

namespace search_server {

using Json = nlohmann::json;

/// What a page needs besides the answer that it shows.
struct PageContext {
  bool may_write = false;    ///< tags can be changed by whoever asks
  bool has_session = false;  ///< by a session, which can be ended
  std::string collection;    ///< the name of what is searched, as people call it
  std::string path;          ///< of the page, such as "/explore"
  std::string target;        ///< path and query as they came
  Parameters query;
  bool fragment = false;  ///< only <main>, for the script
  std::string notice;     ///< what was just done, or ""

  /// The first value of a parameter, or "".
  std::string parameter(std::string_view name) const { return first_value(query, name); }
};

}  // namespace search_server
