#include "http/head.h"

#include <microhttpd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "http/access.h"
#include "http/encoding.h"
#include "http/problem.h"

namespace search_server {
namespace {

constexpr std::size_t kMostIdBytes = 64;

struct HeaderCollector {
  Request* request;
  std::size_t bytes = 0;
  std::string twice;  ///< a header that may be there once only, and is there again
};

bool is_once(const std::string& name) {
  return name == "host" || name == "content-length" || name == "transfer-encoding" ||
         name == "authorization" || name == "content-type" || name == "origin";
}

MHD_Result collect(void* cls, MHD_ValueKind, const char* key, std::size_t key_size,
                   const char* value, std::size_t value_size) {
  auto& collector = *static_cast<HeaderCollector*>(cls);
  collector.bytes += key_size + value_size;
  const std::string name = lower_ascii(std::string(key, key_size));
  const std::string_view text = value == nullptr ? "" : std::string_view(value, value_size);
  const auto [at, is_new] = collector.request->headers.emplace(name, text);
  if (is_new) return MHD_YES;
  if (is_once(name)) collector.twice = name;
  at->second.append(name == "cookie" ? "; " : ", ").append(text);
  return MHD_YES;
}

bool is_good_id(const std::string& id) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  return !id.empty() && id.size() <= kMostIdBytes && std::all_of(id.begin(), id.end(), good);
}

/// The path and the query of a target, which may be a whole address.
void read_target(const std::string& target, const HeadLimits& limits, Head& head) {
  if (target.size() > limits.target_bytes) {
    throw Problem(
        414, "target-too-long",
        "Path and query have more than " + std::to_string(limits.target_bytes) + " bytes.");
  }
  std::string_view rest = target;
  if (lower_ascii(std::string(rest.substr(0, 7))) == "http://") {
    rest.remove_prefix(std::min(rest.find('/', 7), rest.size()));
  }
  const std::size_t question = rest.find('?');
  head.raw_path = rest.substr(0, question);
  const std::optional<std::string> path = percent_decode(head.raw_path);
  if (head.raw_path.empty() || head.raw_path[0] != '/' || !path) {
    throw Problem(
        400, "malformed-path",
        "The path must begin with \"/\", have two hexadecimal digits after each \"%\" and "
        "be UTF-8.");
  }
  head.request.path = *path;
  if (question != std::string_view::npos) {
    head.request.query = parse_parameters(rest.substr(question + 1));
  }
}

/// How long the body is. A head that says so in two ways could hide a request from a proxy.
void read_body_length(Head& head) {
  const std::string coding = lower_ascii(head.request.header("transfer-encoding"));
  const std::string length = head.request.header("content-length");
  if (!coding.empty()) {
    head.must_close = true;
    head.has_body = head.chunked = true;
    if (!length.empty()) {
      throw Problem(400, "two-lengths", "Content-Length and Transfer-Encoding exclude each other.");
    }
    if (coding != "chunked") {
      throw Problem(501, "unknown-coding", "The only Transfer-Encoding known here is \"chunked\".");
    }
    head.must_close = false;
  } else if (!length.empty()) {
    const char* end = length.data() + length.size();
    const auto [stop, error] = std::from_chars(length.data(), end, head.content_length);
    head.has_body = head.content_length > 0;
    if (error != std::errc() || stop != end) {
      head.must_close = true;
      throw Problem(400, "malformed-length", "Content-Length must be a whole number.");
    }
  }
}

}  // namespace

void read_head(MHD_Connection* connection, const std::string& method, std::string target,
               const HeadLimits& limits, Head& head) {
  HeaderCollector collector{&head.request, 0, {}};
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, &collect, &collector);
  const std::string id = head.request.header("x-request-id");
  head.request.id = is_good_id(id) ? id : random_hex(8);
  head.is_head = method == "HEAD";
  head.request.method = head.is_head ? "GET" : method;
  head.request.target = std::move(target);
  head.expects_continue = lower_ascii(head.request.header("expect")) == "100-continue";
  read_body_length(head);
  if (!collector.twice.empty()) {
    head.must_close = true;
    throw Problem(400, "header-twice", "The header " + collector.twice + " is there twice.");
  }
  if (collector.bytes > limits.header_bytes) {
    throw Problem(431, "headers-too-large",
                  "The headers have more than " + std::to_string(limits.header_bytes) + " bytes.");
  }
  read_target(head.request.target, limits, head);
}

}  // namespace search_server
