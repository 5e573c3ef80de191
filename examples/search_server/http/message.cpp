#include "http/message.h"

#include <microhttpd.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <new>
#include <nlohmann/json.hpp>

#include "analyzer/text/utf8.h"

namespace search_server {
namespace {

constexpr int kGzipWindow = 15 + 16;  // as zlib writes "gzip, with the largest window"

std::string decoded_parameter(std::string_view part) {
  std::string text(part);
  std::replace(text.begin(), text.end(), '+', ' ');
  text = percent_decode(std::move(text));
  if (kindred::is_utf8(text)) return text;
  throw Problem(400, "malformed-parameters", "The parameters are not UTF-8.");
}

}  // namespace

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

Response Problem::response(const std::string& instance, const std::string& request_id) const {
  using Json = nlohmann::ordered_json;
  const Json members = {{"type", "urn:kindred:problem:" + type_},
                        {"title", MHD_get_reason_phrase_for(static_cast<unsigned>(status_))},
                        {"status", status_},
                        {"detail", what()},
                        {"instance", instance},
                        {"request_id", request_id}};
  return {status_, "application/problem+json",
          members.dump(-1, ' ', false, Json::error_handler_t::replace), headers_};
}

Problem body_too_large(std::size_t limit) {
  return Problem(413, "body-too-large",
                 limit == 0 ? "This takes no body."
                            : "The body has more than " + std::to_string(limit) + " bytes.");
}

std::string first_value(const Pairs& pairs, std::string_view name) {
  const auto found = std::ranges::find(pairs, name, &Pairs::value_type::first);
  return found == pairs.end() ? std::string() : found->second;
}

std::string lower_ascii(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::string percent_decode(std::string text) {
  text.resize(MHD_http_unescape(text.data()));
  return text;
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    char code[4] = {c};
    if (byte >= 0x80 || (std::isalnum(byte) == 0 && std::string_view("-._~").find(c) == text.npos))
      std::snprintf(code, sizeof code, "%%%02X", byte);
    encoded += code;
  }
  return encoded;
}

Pairs parse_parameters(std::string_view text) {
  Pairs pairs;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    if (!part.empty())
      pairs.emplace_back(decoded_parameter(part.substr(0, equals)), decoded_parameter(value));
  }
  return pairs;
}

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace search_server
