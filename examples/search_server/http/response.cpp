#include "http/response.h"

#include <algorithm>

namespace search_server {

Response json_response(std::string json, int status) {
  Response response;
  response.status = status;
  response.type = "application/json";
  response.body = std::move(json);
  return response;
}

Response html_response(std::string html, int status) {
  Response response;
  response.status = status;
  response.type = "text/html; charset=utf-8";
  response.body = std::move(html);
  return response;
}

std::string local_target(const std::string& target) {
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f' && c != '\\'; };
  const bool is_local = target.starts_with("/") && !target.starts_with("//") &&
                        std::all_of(target.begin(), target.end(), is_plain);
  return is_local ? target : "/";
}

Response see_other(const std::string& target) {
  Response response;
  response.status = 303;
  response.headers.emplace_back("Location", target);
  return response;
}

}  // namespace search_server
