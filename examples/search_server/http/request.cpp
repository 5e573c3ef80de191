#include "http/request.h"

#include "http/encoding.h"
#include "http/problem.h"

namespace search_server {
std::string first_value(const Parameters& parameters, std::string_view name) {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return {};
}

std::string Request::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

Parameters Request::form() const {
  const std::string type = header("content-type");
  if (type.substr(0, type.find(';')) != "application/x-www-form-urlencoded") {
    throw Problem(415, "unsupported-media-type",
                  "The body must be a form (application/x-www-form-urlencoded).");
  }
  return parse_parameters(body);
}

}  // namespace search_server
