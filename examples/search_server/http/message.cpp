#include "http/message.h"

#include <kindred/analyzer/text/utf8.h>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace search_server {
namespace {

constexpr std::size_t kMostDetail = 1000, kMostInstance = 300;  // bytes

constexpr std::pair<int, const char*> kReasons[] = {{200, "OK"},
                                                    {201, "Created"},
                                                    {202, "Accepted"},
                                                    {204, "No Content"},
                                                    {304, "Not Modified"},
                                                    {400, "Bad Request"},
                                                    {401, "Unauthorized"},
                                                    {403, "Forbidden"},
                                                    {404, "Not Found"},
                                                    {405, "Method Not Allowed"},
                                                    {409, "Conflict"},
                                                    {412, "Precondition Failed"},
                                                    {413, "Content Too Large"},
                                                    {414, "URI Too Long"},
                                                    {415, "Unsupported Media Type"},
                                                    {421, "Misdirected Request"},
                                                    {431, "Request Header Fields Too Large"},
                                                    {500, "Internal Server Error"},
                                                    {503, "Service Unavailable"},
                                                    {505, "HTTP Version Not Supported"}};

/// What a hexadecimal digit stands for; -1 if it is none.
int digit_of(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::size_t at = kDigits.find(static_cast<char>(std::tolower(c)));
  return at == kDigits.npos ? -1 : static_cast<int>(at);
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

std::vector<std::string> Request::languages() const {
  // "de-AT, en;q=0.5": with a quality from 0 to 1 each; of equal ones, the first comes first.
  std::vector<std::pair<double, std::string>> wanted;
  std::istringstream ranges(header("accept-language"));
  for (std::string range; std::getline(ranges, range, ',');) {
    std::erase(range, ' ');
    const std::size_t quality = range.find(";q=");
    const double q = quality == range.npos ? 1 : std::strtod(range.c_str() + quality + 3, nullptr);
    std::string language = range.substr(0, range.find_first_of("-;"));
    const bool is_letters = std::ranges::all_of(language, [](unsigned char c) {
      return std::isalpha(c) != 0;
    });
    if (is_letters && !language.empty() && language.size() <= 8 && q > 0)
      wanted.emplace_back(-q, kindred::lower_ascii(language));
  }
  std::ranges::stable_sort(wanted, {}, &std::pair<double, std::string>::first);

  std::vector<std::string> languages;
  for (auto& [q, language] : wanted)
    if (languages.size() < 3 && std::ranges::find(languages, language) == languages.end())
      languages.push_back(std::move(language));
  return languages;
}

Problem& Problem::with(std::string header, std::string value) {
  headers_.emplace_back(std::move(header), std::move(value));
  return *this;
}

nlohmann::ordered_json Problem::json(const std::string& instance,
                                     const std::string& request_id) const {
  return {{"type", "urn:kindred:problem:" + type_},
          {"title", reason_phrase(status_)},
          {"status", status_},
          {"detail", shortened(what(), kMostDetail)},
          {"instance", shortened(instance, kMostInstance)},
          {"request_id", request_id}};
}

Response Problem::response(const std::string& instance, const std::string& request_id) const {
  const auto replace = nlohmann::json::error_handler_t::replace;
  return {status_, "application/problem+json",
          json(instance, request_id).dump(-1, ' ', false, replace), headers_};
}

std::string reason_phrase(int status) {
  const auto found = std::ranges::find(kReasons, status, &std::pair<int, const char*>::first);
  return found == std::end(kReasons) ? "Unknown" : found->second;
}

std::string shortened(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto continues = [&](std::size_t at) {
    return (text[at] & 0xc0) == 0x80;
  };
  while (most > 0 && continues(most)) --most;
  return text.substr(0, most) + "...";
}

Problem body_too_large(std::size_t limit) {
  return Problem(413, "body-too-large",
                 limit == 0 ? "This takes no body."
                            : "The body has more than " + std::to_string(limit) + " bytes.");
}

bool lists_tag(const std::string& list, const std::string& tag) {
  return list == "*" || (!tag.empty() && list.find(tag) != list.npos);
}

bool lists_strong_tag(std::string list, const std::string& tag) {
  const std::string weak = "W/" + tag;
  for (std::size_t at = 0; (at = list.find(weak)) != list.npos;) list.erase(at, weak.size());
  return lists_tag(list, tag);
}

std::string first_value(const Pairs& pairs, std::string_view name) {
  const auto found = std::ranges::find(pairs, name, &Pairs::value_type::first);
  return found == pairs.end() ? std::string() : found->second;
}

std::string random_hex(std::size_t bytes) {
  std::string random(bytes, '\0');
  if (getentropy(random.data(), bytes) != 0)
    throw std::runtime_error("the system gives no random bytes");

  std::string hex;
  for (const unsigned char byte : random) hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string percent_decode(std::string text) {
  std::size_t to = 0;
  for (std::size_t from = 0; from < text.size(); ++from, ++to) {
    const bool may_be = text[from] == '%' && from + 2 < text.size();
    const int high = may_be ? digit_of(text[from + 1]) : -1;
    const int low = may_be ? digit_of(text[from + 2]) : -1;
    const bool is_escape = high >= 0 && low >= 0;
    text[to] = is_escape ? static_cast<char>(high * 16 + low) : text[from];
    if (is_escape) from += 2;
  }
  text.resize(to);
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
