#include "probe_routes.h"

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "http/problem.h"

namespace probe {
namespace {

using search_server::BodyStream;
using search_server::json_response;
using search_server::LineReader;
using search_server::Problem;
using search_server::Request;
using search_server::Response;
using search_server::Router;
using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

/// Lines "0", "1", ..., each when it is due; without end if `count` is negative.
class Numbers final : public BodyStream {
 public:
  Numbers(std::int64_t count, milliseconds pause) : left_(count), pause_(pause) {}

  std::optional<std::string> next(milliseconds) override {
    if (left_ == 0) return std::nullopt;
    const auto now = std::chrono::steady_clock::now();
    if (now < due_) return "";
    due_ = now + pause_;
    --left_;
    return std::to_string(number_++) + "\n";
  }

  bool is_endless() const override { return left_ < 0; }

 private:
  std::int64_t left_;
  milliseconds pause_;
  std::int64_t number_ = 0;
  std::chrono::steady_clock::time_point due_;
};

Response streamed(std::unique_ptr<BodyStream> stream) {
  Response response;
  response.type = "text/plain; charset=utf-8";
  response.stream = std::move(stream);
  return response;
}

Response show(const Request& request) {
  Json query = Json::array();
  for (const auto& [name, value] : request.query) query.push_back({name, value});
  return json_response(Json{
      {"path", request.path},
      {"name", request.captures.at("name")},
      {"query", query},
      {"may_write",
       request.may_write}}.dump());
}

Response count_bytes(const Request& request) {
  return json_response(Json{{"bytes", request.body().read_all(kMostBytes).size()}}.dump());
}

/// A line of the answer for each line of the body.
Response count_lines(const Request& request) {
  LineReader lines(request.body(), kMostLineBytes);
  Response response;
  response.type = "application/x-ndjson";
  for (std::string line; lines.next(line);) {
    response.body += Json{{"line", lines.number()}, {"bytes", line.size()}}.dump() + "\n";
  }
  return response;
}

Response tagged(const Request&) {
  Response response = json_response("{}");
  response.headers.emplace_back("ETag", "\"revision-1\"");
  return response;
}

Response timed(const Request& request) {
  request.timings.xapian += 0.25;
  request.timings.plugin += 0.5;
  return json_response("{}");
}

}  // namespace

search_server::HttpSettings settings() {
  search_server::HttpSettings settings;
  settings.port = 0;
  settings.connections = 64;
  settings.workers = 2;
  settings.queue = 8;
  using std::chrono::seconds;
  settings.times = {seconds(2), seconds(2), seconds(2), seconds(10), 1 << 16};
  return settings;
}

void add_routes(Router& router, const Most& most) {
  const auto answer = [](const Request&) { return json_response(R"({"ok":true})"); };
  router.add("GET", "/json", answer);
  router.add("GET", "/unpooled", answer, {.writes = false, .body_limit = 0, .unpooled = true});
  router.add("GET", "/show/{name}", show);
  router.add("POST", "/bytes", count_bytes, {.writes = false, .body_limit = kMostBytes});
  router.add("POST", "/ignored", answer, {.writes = false, .body_limit = kMostBytes});
  router.add("POST", "/lines", count_lines, {.writes = false, .body_limit = 8 * kMostBytes});
  router.add("PUT", "/write", answer, {.writes = true, .body_limit = 1000});
  router.add("DELETE", "/write", answer, {.writes = true});
  router.add("GET", "/tagged", tagged);
  router.add("GET", "/timed", timed);
  router.add("GET", "/sleep", [most](const Request& request) {
    std::this_thread::sleep_for(milliseconds(request.integer("ms", 0, 0, most.ms)));
    return json_response("{}");
  });
  router.add("GET", "/big", [most](const Request& request) {
    const std::int64_t bytes = request.integer("bytes", 0, 0, most.bytes);
    return json_response(std::string(static_cast<std::size_t>(bytes), 'x'));
  });
  router.add("GET", "/stream", [most](const Request& request) {
    return streamed(
        std::make_unique<Numbers>(request.integer("count", 10, most.ms > 0 ? -1 : 0, most.lines),
                                  milliseconds(request.integer("ms", 0, 0, most.ms))));
  });
  router.add("GET", "/problem", [](const Request&) -> Response {
    throw Problem(409, "already-there", "It is <there> already.").with("Retry-After", "7");
  });
  router.add("GET", "/fails", [](const Request&) -> Response { throw std::runtime_error("so"); });
  router.add("GET", "/fails-oddly", [](const Request&) -> Response { throw 7; });
}

}  // namespace probe
