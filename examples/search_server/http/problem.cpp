#include "http/problem.h"

#include <microhttpd.h>

#include <nlohmann/json.hpp>

namespace search_server {
namespace {

/// What a status code is called, such as "Not Found".
std::string title_of(int status) {
  const char* phrase = MHD_get_reason_phrase_for(static_cast<unsigned>(status));
  return phrase == nullptr ? "Error" : phrase;
}

}  // namespace

Problem& Problem::with(std::string header, std::string value) {
  headers_.emplace_back(std::move(header), std::move(value));
  return *this;
}

Response Problem::response(const std::string& instance, const std::string& request_id) const {
  using Json = nlohmann::ordered_json;
  const Json members = {{"type", "urn:kindred:problem:" + type_},
                        {"title", title_of(status_)},
                        {"status", status_},
                        {"detail", detail_},
                        {"instance", instance},
                        {"request_id", request_id}};
  Response response;
  response.status = status_;
  response.type = "application/problem+json";
  response.body = members.dump(-1, ' ', false, Json::error_handler_t::replace);
  response.headers = headers_;
  return response;
}

Problem body_too_large(std::size_t limit) {
  return Problem(413, "body-too-large",
                 limit == 0 ? "This takes no body."
                            : "The body has more than " + std::to_string(limit) + " bytes.");
}

}  // namespace search_server
