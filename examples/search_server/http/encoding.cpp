#include "http/encoding.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "http/problem.h"

namespace search_server {
namespace {

constexpr std::size_t kMostParameters = 1000;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded_part(std::string_view part) {
  std::optional<std::string> decoded = percent_decode(part, true);
  if (!decoded) {
    throw Problem(400, "malformed-parameters",
                  "The parameters have a \"%\" without two hexadecimal digits, or are not UTF-8.");
  }
  return std::move(*decoded);
}

}  // namespace

bool is_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto size = static_cast<std::int64_t>(text.size());
  for (std::int64_t i = 0; i < size;) {
    UChar32 c = 0;
    U8_NEXT(bytes, i, size, c);
    if (c < 0) return false;
  }
  return true;
}

std::string lower_ascii(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (!is_utf8(decoded)) return std::nullopt;
  return decoded;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      encoded.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  return encoded;
}

Parameters parse_parameters(std::string_view text) {
  Parameters parameters;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (part.empty()) continue;
    if (parameters.size() == kMostParameters) {
      throw Problem(400, "too-many-parameters", "There are more than 1000 parameters.");
    }
    const std::size_t equals = part.find('=');
    const bool has_value = equals != std::string_view::npos;
    parameters.emplace_back(decoded_part(part.substr(0, equals)),
                            has_value ? decoded_part(part.substr(equals + 1)) : "");
  }
  return parameters;
}

Parameters form_parameters(const Request& request, std::size_t limit) {
  const std::string type = request.header("content-type");
  if (type.substr(0, type.find(';')) != "application/x-www-form-urlencoded") {
    throw Problem(415, "unsupported-media-type",
                  "The body must be a form (application/x-www-form-urlencoded).");
  }
  return parse_parameters(request.body().read_all(limit));
}

}  // namespace search_server
