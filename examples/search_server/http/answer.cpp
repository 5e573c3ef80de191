#include "http/answer.h"

#include <microhttpd.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string_view>
#include <utility>

namespace search_server {
namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'self'";

constexpr std::pair<const char*, const char*> kSecurity[] = {
    {"Content-Security-Policy", kPolicy},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
};

bool has_header(const Response& response, std::string_view name) {
  return std::any_of(response.headers.begin(), response.headers.end(),
                     [&](const auto& header) { return header.first == name; });
}

/// An entity tag without the mark of a weak one, as If-None-Match compares them.
std::string_view strong(std::string_view tag) {
  return tag.substr(0, 2) == "W/" ? tag.substr(2) : tag;
}

bool lists_tag(std::string_view list, std::string_view tag) {
  while (!list.empty()) {
    std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
    if (item == "*" || strong(item) == strong(tag)) return true;
  }
  return false;
}

void add_timings(MHD_Response* answer, const Timings& timings) {
  if (timings.xapian <= 0 && timings.plugin <= 0) return;
  char text[96];
  std::snprintf(text, sizeof text, "xapian;dur=%.3f, plugin;dur=%.3f", timings.xapian * 1000,
                timings.plugin * 1000);
  MHD_add_response_header(answer, "Server-Timing", text);
}

}  // namespace

void DestroyResponse::operator()(MHD_Response* response) const { MHD_destroy_response(response); }

void answer_not_modified(const Request& request, Response& response) {
  if (request.method != "GET" || response.status != 200 || response.stream) return;
  const auto tag = std::find_if(response.headers.begin(), response.headers.end(),
                                [](const auto& header) { return header.first == "ETag"; });
  if (tag == response.headers.end()) return;
  if (!lists_tag(request.header("if-none-match"), tag->second)) return;
  response.status = 304;
  response.body.clear();
}

void add_headers(MHD_Response* answer, const Request& request, const Response& response) {
  for (const auto& [name, value] : kSecurity) MHD_add_response_header(answer, name, value);
  MHD_add_response_header(answer, "X-Request-Id", request.id.c_str());
  if (!response.type.empty()) {
    MHD_add_response_header(answer, "Content-Type", response.type.c_str());
  }
  if (!has_header(response, "Cache-Control")) {
    MHD_add_response_header(answer, "Cache-Control",
                            has_header(response, "ETag") ? "no-cache" : "no-store");
  }
  for (const auto& [name, value] : response.headers) {
    MHD_add_response_header(answer, name.c_str(), value.c_str());
  }
  add_timings(answer, request.timings);
}

ResponsePointer make_answer(const Request& request, Response& response) {
  ResponsePointer answer(MHD_create_response_from_buffer(response.body.size(), response.body.data(),
                                                         MHD_RESPMEM_MUST_COPY));
  if (!answer) throw std::bad_alloc();
  add_headers(answer.get(), request, response);
  return answer;
}

}  // namespace search_server
