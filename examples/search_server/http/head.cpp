#include "http/head.h"

#include <kindred/analyzer/text/utf8.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace search_server {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
/// What a token has beside letters and digits.
constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";

Problem malformed(const std::string& what) {
  return Problem(400, "malformed-request", "This is no request of HTTP/1.1: " + what + ".");
}

bool is_token(std::string_view text) {
  const auto is_of_token = [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 || kSigns.find(static_cast<char>(c)) != kSigns.npos);
  };
  return !text.empty() && std::ranges::all_of(text, is_of_token);
}

bool is_control(unsigned char c) { return c < ' ' || c == 0x7f; }

/// Takes a line, and its end, off the text.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find(kLineEnd));
  text.remove_prefix(std::min(line.size() + kLineEnd.size(), text.size()));
  return line;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

/// The number that all of the text is. False if it is none, or too large.
bool is_number(std::string_view text, int base, std::uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number, base);
  return !text.empty() && read.ec == std::errc() && read.ptr == end;
}

void read_first_line(std::string_view line, Head& head) {
  constexpr std::string_view kVersion = "HTTP/";
  const std::size_t first = std::min(line.find(' '), line.size());
  const std::size_t last = line.rfind(' ');
  if (last == line.npos || first == last || !is_token(line.substr(0, first)))
    throw malformed("its first line is not a method, a target and a version");
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  const auto is_odd = [](unsigned char c) {
    return is_control(c) || c == ' ';
  };
  if (std::ranges::any_of(head.target, is_odd))
    throw malformed("its target has a space or a control character");
  const std::string_view version = line.substr(last + 1);
  if (!version.starts_with(kVersion)) throw malformed("its first line has no version");
  head.is_old = version == "HTTP/1.0";
  if (!head.is_old && version != "HTTP/1.1")
    throw Problem(505, "unknown-version", "The version of HTTP must be 1.1 or 1.0.");
}

/// Reads "name: value".
std::pair<std::string, std::string_view> read_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (line.starts_with(' ') || line.starts_with('\t')) throw malformed("a header is folded");
  if (colon == line.npos || !is_token(line.substr(0, colon)))
    throw malformed("a header has no name, or one with a space or another sign that cannot be");
  const std::string_view value = line.substr(colon + 1);
  const auto is_odd = [](unsigned char c) {
    return is_control(c) && c != '\t';
  };
  if (std::ranges::any_of(value, is_odd)) throw malformed("a header has a control character");
  return {kindred::lower_ascii(std::string(line.substr(0, colon))), trimmed(value)};
}

}  // namespace

std::size_t head_size(std::string_view bytes, std::size_t& looked) {
  while (true) {
    const std::size_t end = bytes.find('\n', looked);
    if (end == bytes.npos) break;
    if (end == 0 || bytes[end - 1] != '\r') throw malformed("a line does not end by CR LF");
    looked = end + 1;
    if (end >= 3 && bytes[end - 2] == '\n') return looked;
  }
  looked = bytes.size();
  return 0;
}

Head read_head(std::string_view text) {
  Head head;
  if (text.starts_with(kLineEnd)) take_line(text);
  read_first_line(take_line(text), head);
  bool has_two_hosts = false;
  for (std::string_view line = take_line(text); !line.empty(); line = take_line(text)) {
    const auto [name, value] = read_header(line);
    const auto [at, is_new] = head.headers.emplace(name, value);
    if (is_new) continue;
    has_two_hosts = has_two_hosts || name == "host";
    at->second.append(name == "cookie" ? "; " : ", ").append(value);
  }
  if (has_two_hosts || (!head.is_old && !head.headers.contains("host")))
    throw malformed("it must have one Host");
  return head;
}

BodyLength body_length(const Head& head) {
  const auto length = head.headers.find("content-length");
  const auto coding = head.headers.find("transfer-encoding");
  const bool has_length = length != head.headers.end(), has_coding = coding != head.headers.end();
  BodyLength body{.is_chunked = has_coding};
  const bool is_clear =
      has_coding ? !has_length && !head.is_old && kindred::lower_ascii(coding->second) == "chunked"
                 : !has_length || is_number(length->second, 10, body.bytes);
  if (is_clear) return body;
  throw Problem(400, "unclear-length",
                "The length of the body must be one Content-Length, or its Transfer-Encoding "
                "\"chunked\".");
}

std::uint64_t chunk_size(std::string_view line) {
  const std::size_t end = std::min(line.find(';'), line.size());
  std::uint64_t size = 0;
  const auto is_odd = [](unsigned char c) {
    return is_control(c) && c != '\t';
  };
  if (!is_number(line.substr(0, end), 16, size) || std::ranges::any_of(line, is_odd))
    throw malformed("a chunk of the body does not begin with its size");
  return size;
}

void check_trailer(std::string_view line) { read_header(line); }

}  // namespace search_server
