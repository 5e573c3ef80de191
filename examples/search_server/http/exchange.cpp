#include "http/exchange.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "http/encoding.h"
#include "http/log.h"
#include "http/problem.h"

namespace search_server {
namespace {

constexpr std::size_t kTargetBytes = 8192;
constexpr std::size_t kHeaderBytes = 16384;
constexpr std::size_t kIdBytes = 64;
/// Of a body that nobody wants so much is taken, so that its client reads the answer and may keep
/// the connection.
constexpr std::size_t kMostDiscarded = 1 << 20;
constexpr std::size_t kLeastPacked = 1024;  // shorter answers are not worth a gzip

constexpr std::pair<const char*, const char*> kSecurity[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
     "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'self'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
};

/// Headers that a proxy adds for whom it asks.
constexpr const char* kForwarded[] = {"forwarded", "x-forwarded-for", "x-real-ip"};
/// Headers that are there once, or could hide a request from a proxy.
constexpr const char* kOnce[] = {"host",          "content-length", "transfer-encoding",
                                 "authorization", "content-type",   "origin"};

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET6) {
    const in6_addr& v6 = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
  }
  return address->sa_family == AF_INET &&
         ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24 == 127;
}

bool is_good_id(const std::string& id) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  return !id.empty() && id.size() <= kIdBytes && std::all_of(id.begin(), id.end(), good);
}

Problem wrong_method(const std::set<std::string>& allowed, const std::string& method) {
  std::string methods;
  for (const std::string& one : allowed) {
    methods += (methods.empty() ? "" : ", ") + one + (one == "GET" ? ", HEAD" : "");
  }
  return Problem(405, "method-not-allowed",
                 "The method is " + method + ", but must be one of " + methods + ".")
      .with("Allow", methods);
}

Problem unexpected(const std::string& request_id, const char* what) {
  log_event(LogLevel::kError, "handler-failed", {{"request_id", request_id}, {"what", what}});
  return Problem(500, "internal-error", "The server failed; its log says more by this request_id.");
}

/// Whether a list of entity tags has this one, as If-None-Match compares them.
bool lists_tag(std::string_view list, std::string_view tag) {
  while (!list.empty()) {
    std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (item.starts_with("W/")) item.remove_prefix(2);
    if (item == "*" || item == tag) return true;
  }
  return false;
}

/// Turns a 200 into a 304 if the client has what it would get.
void answer_not_modified(const Request& request, Response& response) {
  const std::string tag = response.header("ETag");
  if (request.method != "GET" || response.status != 200 || tag.empty()) return;
  if (!lists_tag(request.header("if-none-match"), tag)) return;
  response.status = 304;
  response.body.clear();
}

void pack(const Request& request, Response& response) {
  if (response.body.size() < kLeastPacked) return;
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (request.header("accept-encoding").find("gzip") == std::string::npos) return;
  response.body = gzip(response.body);
  response.headers.emplace_back("Content-Encoding", "gzip");
}

void add_headers(MHD_Response* to, const Request& request, const Response& response,
                 const std::string& base_path) {
  for (const auto& [name, value] : kSecurity) MHD_add_response_header(to, name, value);
  MHD_add_response_header(to, "X-Request-Id", request.id.c_str());
  if (!response.type.empty()) MHD_add_response_header(to, "Content-Type", response.type.c_str());
  if (response.header("Cache-Control").empty()) {
    MHD_add_response_header(to, "Cache-Control",
                            response.header("ETag").empty() ? "no-store" : "no-cache");
  }
  for (const auto& [name, value] : response.headers) {
    const std::string& before = name == "Location" ? base_path : "";
    MHD_add_response_header(to, name.c_str(), (before + value).c_str());
  }
  const Timings& timings = request.timings;
  if (timings.xapian <= 0 && timings.plugin <= 0) return;
  char text[96];
  std::snprintf(text, sizeof text, "xapian;dur=%.3f, plugin;dur=%.3f", timings.xapian * 1000,
                timings.plugin * 1000);
  MHD_add_response_header(to, "Server-Timing", text);
}

}  // namespace

Exchange::Exchange(const ServerParts& parts, std::string target) : parts_(parts) {
  request_.target = std::move(target);
}

bool Exchange::on_call(MHD_Connection* connection, const std::string& method, const char* data,
                       std::size_t& size) {
  if (!begun_) return on_head(connection, method);
  if (size == 0) return on_body(connection);
  return on_data({data, std::exchange(size, 0)});
}

/// True if `work` throws: then that is the answer.
template <typename Work>
bool Exchange::refuses(Work&& work) {
  try {
    work();
    return false;
  } catch (const Problem& problem) {
    answer_ = problem.response(request_.target, request_.id);
  } catch (const std::exception& error) {
    answer_ = unexpected(request_.id, error.what()).response(request_.target, request_.id);
  }
  request_.body.clear();
  return true;
}

bool Exchange::on_head(MHD_Connection* connection, const std::string& method) {
  begun_ = true;
  is_head_ = method == "HEAD";
  request_.method = is_head_ ? "GET" : method;
  request_.deadline = began_ + parts_.request;
  const bool refused = refuses([&] {
    read_headers(connection);
    read_target();
    find_route();
    check_body();
  });
  if (!refused) return true;
  const std::string length = request_.header("content-length");
  const bool is_long = length.size() > 6;  // about kMostDiscarded
  const bool waits = lower_ascii(request_.header("expect")) == "100-continue";
  return must_close_ || is_long || waits ? send(connection) : true;
}

void Exchange::read_headers(MHD_Connection* connection) {
  struct Collector {
    Request& request;
    std::size_t bytes = 0;
    std::string twice;  ///< a header that may be there once only, and is there again
  } collector{request_, 0, {}};
  const auto collect = [](void* cls, MHD_ValueKind, const char* key, std::size_t key_size,
                          const char* value, std::size_t value_size) {
    auto& to = *static_cast<Collector*>(cls);
    to.bytes += key_size + value_size;
    const std::string name = lower_ascii(std::string(key, key_size));
    const std::string_view text = value == nullptr ? "" : std::string_view(value, value_size);
    const auto [at, is_new] = to.request.headers.emplace(name, text);
    if (is_new) return MHD_YES;
    if (std::find(std::begin(kOnce), std::end(kOnce), name) != std::end(kOnce)) to.twice = name;
    at->second.append(name == "cookie" ? "; " : ", ").append(text);
    return MHD_YES;
  };
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, collect, &collector);
  const std::string id = request_.header("x-request-id");
  request_.id = is_good_id(id) ? id : random_hex(8);
  const auto* client = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  request_.is_local =
      client != nullptr && is_loopback(client->client_addr) &&
      std::none_of(std::begin(kForwarded), std::end(kForwarded),
                   [&](const char* name) { return !request_.header(name).empty(); });
  if (!collector.twice.empty()) {
    must_close_ = true;
    throw Problem(400, "header-twice", "The header " + collector.twice + " is there twice.");
  }
  if (collector.bytes > kHeaderBytes) {
    throw Problem(431, "headers-too-large",
                  "The headers have more than " + std::to_string(kHeaderBytes) + " bytes.");
  }
}

void Exchange::read_target() {
  std::string_view rest = request_.target;
  if (rest.size() > kTargetBytes) {
    throw Problem(414, "target-too-long",
                  "Path and query have more than " + std::to_string(kTargetBytes) + " bytes.");
  }
  if (rest.starts_with("http://")) rest.remove_prefix(std::min(rest.find('/', 7), rest.size()));
  const std::size_t question = rest.find('?');
  raw_path_ = rest.substr(0, question);
  const std::string& base = parts_.base_path;
  if (!base.empty() && raw_path_.starts_with(base + "/")) raw_path_.erase(0, base.size());
  request_.path = percent_decode(raw_path_);
  if (!raw_path_.starts_with('/') || !is_utf8(request_.path)) {
    throw Problem(400, "malformed-path", "The path must begin with \"/\" and be UTF-8.");
  }
  if (question != std::string::npos) request_.query = parse_parameters(rest.substr(question + 1));
}

void Exchange::find_route() {
  Router::Match match = parts_.router.match(request_.method, raw_path_);
  if (match.allowed.empty()) {
    throw Problem(404, "no-such-page", "There is nothing at " + request_.path + ".");
  }
  if (match.route == nullptr) throw wrong_method(match.allowed, request_.method);
  route_ = match.route;
  request_.captures = std::move(match.captures);
  request_.may_write = parts_.access.may_write(request_);
  parts_.access.check(request_, *route_);
}

void Exchange::check_body() {
  const std::string length = request_.header("content-length");
  const std::string coding = lower_ascii(request_.header("transfer-encoding"));
  if (!coding.empty() && (coding != "chunked" || !length.empty())) {
    must_close_ = true;
    throw Problem(400, "unclear-length",
                  "The length of the body must be a Content-Length, or its Transfer-Encoding "
                  "\"chunked\".");
  }
  std::uint64_t bytes = 0;
  std::from_chars(length.data(), length.data() + length.size(), bytes);
  const std::size_t limit = route_->options.body_limit;
  if (bytes > limit || (!coding.empty() && limit == 0)) throw body_too_large(limit);
  const std::string encoding = lower_ascii(request_.header("content-encoding"));
  if (!encoding.empty() && encoding != "identity") {
    throw Problem(415, "unsupported-encoding",
                  "The Content-Encoding is \"" + encoding + "\", but a body comes as it is.")
        .with("Accept-Encoding", "identity");
  }
}

bool Exchange::on_data(std::string_view piece) {
  const std::size_t limit = route_ == nullptr ? 0 : route_->options.body_limit;
  if (!answer_ && request_.body.size() + piece.size() > limit) {
    refuses([&] { throw body_too_large(limit); });
  }
  if (!answer_) {
    request_.body.append(piece);
    return true;
  }
  discarded_ += piece.size();
  return discarded_ <= kMostDiscarded;
}

bool Exchange::on_body(MHD_Connection* connection) {
  if (!answer_) {
    // While the handler works, nobody waits for the client; afterwards its time begins anew.
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0U);
    answer_ = handled();
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
                              static_cast<unsigned>(parts_.idle.count()));
    answer_not_modified(request_, *answer_);
    if (!is_head_) pack(request_, *answer_);
  }
  return send(connection);
}

Response Exchange::handled() const {
  const auto told = [&](const Problem& problem) {
    return problem.response(request_.target, request_.id);
  };
  try {
    return route_->handler(request_);
  } catch (const Problem& problem) {
    return told(problem);
  } catch (const std::exception& error) {
    return told(unexpected(request_.id, error.what()));
  } catch (...) {
    return told(unexpected(request_.id, "an exception that is no std::exception"));
  }
}

bool Exchange::send(MHD_Connection* connection) {
  if (must_close_ || parts_.draining) answer_->headers.emplace_back("Connection", "close");
  MHD_Response* const response = MHD_create_response_from_buffer(
      answer_->body.size(), answer_->body.data(), MHD_RESPMEM_PERSISTENT);  // lives until on_end()
  if (response == nullptr) return false;
  add_headers(response, request_, *answer_, parts_.base_path);
  const auto status = static_cast<unsigned>(answer_->status);
  const bool queued = MHD_queue_response(connection, status, response) == MHD_YES;
  MHD_destroy_response(response);
  return queued;
}

void Exchange::on_end(bool completed) const {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began_;
  const int status = answer_ ? answer_->status : 0;
  parts_.metrics.count(route_, status, time.count(), request_.timings);
  if (!logs(LogLevel::kInfo)) return;
  nlohmann::ordered_json fields = {{"request_id", request_.id},
                                   {"method", is_head_ ? "HEAD" : request_.method},
                                   {"route", route_ == nullptr ? "none" : route_->pattern},
                                   {"status", status},
                                   {"ms", std::round(time.count() * 1e6) / 1e3},
                                   {"bytes", answer_ ? answer_->body.size() : 0}};
  if (!completed) fields["aborted"] = true;
  if (logs(LogLevel::kDebug)) fields["target"] = request_.target;
  log_event(LogLevel::kInfo, "request", fields);
}

}  // namespace search_server
