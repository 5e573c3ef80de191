#include "http/response.h"

#include <algorithm>

namespace search_server {

std::string Response::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

Response json_response(std::string json, int status) {
  return {status, "application/json", std::move(json), {}};
}

std::string local_target(const std::string& target) {
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f' && c != '\\'; };
  const bool is_local = target.starts_with("/") && !target.starts_with("//") &&
                        std::all_of(target.begin(), target.end(), is_plain);
  return is_local ? target : "/";
}

Response see_other(const std::string& target) { return {303, "", "", {{"Location", target}}}; }

}  // namespace search_server
