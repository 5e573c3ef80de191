#include "http/message.h"

#include <microhttpd.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "analyzer/text/utf8.h"

namespace search_server {

std::string Request::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

Pairs Request::form() const {
  const std::string type = header("content-type");
  if (type.substr(0, type.find(';')) == "application/x-www-form-urlencoded")
    return parse_parameters(body);
  throw Problem(415, "unsupported-media-type",
                "The body must be a form (application/x-www-form-urlencoded).");
}

Response json_response(std::string json, int status) {
  return {status, "application/json", std::move(json)};
}

Problem& Problem::with(std::string header, std::string value) {
  headers_.emplace_back(std::move(header), std::move(value));
  return *this;
}

nlohmann::ordered_json Problem::json(const std::string& instance,
                                     const std::string& request_id) const {
  return {{"type", "urn:kindred:problem:" + type_},
          {"title", MHD_get_reason_phrase_for(static_cast<unsigned>(status_))},
          {"status", status_},
          {"detail", what()},
          {"instance", instance},
          {"request_id", request_id}};
}

Response Problem::response(const std::string& instance, const std::string& request_id) const {
  const auto replace = nlohmann::json::error_handler_t::replace;
  return {status_, "application/problem+json",
          json(instance, request_id).dump(-1, ' ', false, replace), headers_};
}

Problem body_too_large(std::size_t limit) {
  return Problem(413, "body-too-large",
                 limit == 0 ? "This takes no body."
                            : "The body has more than " + std::to_string(limit) + " bytes.");
}

bool lists_tag(const std::string& list, const std::string& tag) {
  return list == "*" || (!tag.empty() && list.find(tag) != list.npos);
}

std::string first_value(const Pairs& pairs, std::string_view name) {
  const auto found = std::ranges::find(pairs, name, &Pairs::value_type::first);
  return found == pairs.end() ? std::string() : found->second;
}

std::string random_hex(std::size_t bytes) {
  std::random_device random("/dev/urandom");
  std::string hex;
  while (hex.size() < 2 * bytes) hex += fmt::format("{:08x}", random());
  return hex.substr(0, 2 * bytes);
}

std::string percent_decode(std::string text) {
  text.resize(MHD_http_unescape(text.data()));
  return text;
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  for (const unsigned char c : text) {
    const bool stays = c < 0x80 && (std::isalnum(c) != 0 || (c != 0 && std::strchr("-._~", c)));
    encoded += stays ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return encoded;
}

Pairs parse_parameters(std::string_view text) {
  const auto decoded = [](std::string part) {
    std::ranges::replace(part, '+', ' ');
    part = percent_decode(std::move(part));
    if (kindred::is_utf8(part)) return part;
    throw Problem(400, "malformed-parameters", "The parameters are not UTF-8.");
  };
  Pairs pairs;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('&', begin), text.size());
    const std::string part(text.substr(begin, end - begin));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string value = part.substr(std::min(equals + 1, part.size()));
    if (!part.empty()) pairs.emplace_back(decoded(part.substr(0, equals)), decoded(value));
  }
  return pairs;
}

}  // namespace search_server
