#include "probe_routes.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>

#include "http/message.h"

namespace probe {
namespace {

using search_server::json_response;
using search_server::Problem;
using search_server::Request;
using search_server::Response;
using search_server::Router;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = 1 << 20;

std::atomic<int> works = 0;  // that are under way

/// From 0 to 32 million.
std::int64_t number(const Request& request, const char* name) {
  std::int64_t number = 0;
  const std::string text = search_server::first_value(request.query, name);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::clamp<std::int64_t>(number, 0, 32 << 20);
}

Response show(const Request& request) {
  const Json shown = {{"path", request.path},           {"name", request.capture},
                      {"query", request.query},         {"local", request.is_local},
                      {"may_write", request.may_write}, {"session", request.has_session}};
  return json_response(shown.dump());
}

Response timed(const Request& request) {
  request.plugin_seconds += 0.5;
  Response response = json_response("{}");
  response.headers.emplace_back("ETag", "\"revision-1\"");
  return response;
}

/// Works until nobody wants the answer any more, at most as long as `ms` says.
Response work(const Request& request) {
  ++works;
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(number(request, "ms"));
  while (request.is_wanted() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  --works;
  if (!request.is_wanted()) throw Problem(503, "too-slow", "It took too long.");
  return json_response("{}");
}

Response created(const Request&) {
  Response response = json_response("{}", 201);
  response.headers.emplace_back("Location", "/show/made");
  return response;
}

}  // namespace

search_server::HttpSettings settings() {
  search_server::HttpSettings settings;
  settings.port = 0;
  settings.base_path = "/base";
  settings.connections = 64;
  settings.connections_per_address = 8;
  settings.idle = std::chrono::seconds(2);
  settings.request = std::chrono::seconds(2);
  return settings;
}

void add_routes(Router& router, std::int64_t most_ms) {
  const auto answer = [](const Request&) { return json_response(R"({"ok":true})"); };
  router.add("GET", "/json", answer);
  router.add("GET", "/healthz", answer, {.is_vital = true});
  router.add("GET", "/show/{name}", show);
  router.add("POST", "/bytes",
             [](const Request& request) {
               return json_response(Json{{"bytes", request.body.size()}}.dump());
             },
             {.body_limit = kMostBytes});
  router.add("PUT", "/write", answer, {.writes = true, .body_limit = 1000});
  router.add("DELETE", "/write", answer, {.writes = true});
  router.add("POST", "/created", created);
  router.add("GET", "/timed", timed);
  router.add("GET", "/sleep", [most_ms](const Request& request) {
    const std::int64_t ms = number(request, "ms");
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(ms, most_ms)));
    return json_response("{}");
  });
  if (most_ms > 0) router.add("GET", "/work", work);
  router.add("GET", "/works", [](const Request&) { return json_response(std::to_string(works)); });
  router.add("GET", "/big", [](const Request& request) {
    return json_response(std::string(static_cast<std::size_t>(number(request, "bytes")), 'x'));
  });
  router.add("GET", "/problem", [](const Request& request) -> Response {
    const int status = number(request, "busy") == 1 ? 503 : 409;
    throw Problem(status, "already-there", "It is <there> already.").with("Retry-After", "7");
  });
  router.add("GET", "/fails", [](const Request&) -> Response { throw std::runtime_error("so"); });
  router.add("GET", "/fails-oddly", [](const Request&) -> Response { throw 7; });
}

}  // namespace probe
