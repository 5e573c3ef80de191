#include "http/problem.h"

#include <nlohmann/json.hpp>

#include "http/status.h"

namespace search_server {

Problem& Problem::with(std::string header, std::string value) {
  headers_.emplace_back(std::move(header), std::move(value));
  return *this;
}

Response Problem::response(const std::string& instance, const std::string& request_id) const {
  using Json = nlohmann::ordered_json;
  const Json members = {{"type", "urn:kindred:problem:" + type_},
                        {"title", status_title(status_)},
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

}  // namespace search_server
