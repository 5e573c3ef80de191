#include "http/encoding.h"

#include <microhttpd.h>
#include <unicode/utf8.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "http/problem.h"

namespace search_server {
namespace {

constexpr int kGzipWindow = 15 + 16;  // as zlib writes "gzip, with the largest window"

std::string decoded_part(std::string part) {
  std::replace(part.begin(), part.end(), '+', ' ');
  std::string decoded = percent_decode(part);
  if (!is_utf8(decoded)) {
    throw Problem(400, "malformed-parameters", "The parameters are not UTF-8.");
  }
  return decoded;
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

std::string percent_decode(std::string_view text) {
  std::string decoded(text);
  decoded.resize(MHD_http_unescape(decoded.data()));
  return decoded;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
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
    const std::size_t name = std::min(part.find('='), part.size());
    parameters.emplace_back(
        decoded_part(std::string(part.substr(0, name))),
        decoded_part(std::string(part.substr(std::min(name + 1, part.size())))));
  }
  return parameters;
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
