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

#include "analyzer/text/utf8.h"
#include "http/log.h"

namespace search_server {
namespace {

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
  constexpr const char* kGood = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  return !id.empty() && id.size() <= kIdBytes && id.find_first_not_of(kGood) == id.npos;
}

/// Whether a list of entity tags has this one, as If-None-Match compares them.
bool lists_tag(std::string_view list, std::string_view tag) {
  while (!list.empty()) {
    std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    item = item.substr(0, item.find_last_not_of(' ') + 1);
    if (item.starts_with("W/")) item.remove_prefix(2);
    if (item == "*" || item == tag) return true;
  }
  return false;
}

void pack(const Request& request, Response& response) {
  if (response.body.size() < kLeastPacked) return;
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (request.header("accept-encoding").find("gzip") == std::string::npos) return;
  response.body = gzip(response.body);
  response.headers.emplace_back("Content-Encoding", "gzip");
}

}  // namespace

bool Exchange::on_call(MHD_Connection* connection, const std::string& method, const char* data,
                       std::size_t& size) {
  if (!begun_) return on_head(connection, method);
  if (size > 0) return on_data({data, std::exchange(size, 0)});
  if (!answer_) handle(connection);
  return send(connection);
}

template <typename Work>
void Exchange::answer_if_it_throws(Work&& work) {
  std::string what = "an exception that is no std::exception";
  try {
    return work();
  } catch (const Problem& problem) {
    answer_ = problem.response(request_.target, request_.id);
    return;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  log_event(LogLevel::kError, "handler-failed", {{"request_id", request_.id}, {"what", what}});
  answer_ =
      Problem(500, "internal-error", "The server failed; its log says more by this request_id.")
          .response(request_.target, request_.id);
}

bool Exchange::on_head(MHD_Connection* connection, const std::string& method) {
  begun_ = true;
  is_head_ = method == "HEAD";
  request_.method = is_head_ ? "GET" : method;
  request_.deadline = began_ + parts_.request;
  answer_if_it_throws([&] {
    read_headers(connection);
    find_route();
    check_body();
  });
  if (!answer_) return true;
  const bool is_long = request_.header("content-length").size() > 6;  // about kMostDiscarded
  const bool waits = lower_ascii(request_.header("expect")) == "100-continue";
  return must_close_ || is_long || waits ? send(connection) : true;
}

void Exchange::read_headers(MHD_Connection* connection) {
  struct Collector {
    Names& headers;
    std::string twice;  ///< a header that may be there once only, and is there again
  } collector{request_.headers, {}};
  const auto collect = [](void* cls, MHD_ValueKind, const char* key, std::size_t key_size,
                          const char* value, std::size_t value_size) {
    auto& to = *static_cast<Collector*>(cls);
    const std::string name = lower_ascii(std::string(key, key_size));
    const std::string_view text = value == nullptr ? "" : std::string_view(value, value_size);
    const auto [at, is_new] = to.headers.emplace(name, text);
    if (is_new) return MHD_YES;
    if (std::ranges::find(kOnce, name) != std::end(kOnce)) to.twice = name;
    at->second.append(name == "cookie" ? "; " : ", ").append(text);
    return MHD_YES;
  };
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, collect, &collector);
  const std::string id = request_.header("x-request-id");
  request_.id = is_good_id(id) ? id : random_hex(8);
  const auto* client = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  request_.is_local = client != nullptr && is_loopback(client->client_addr) &&
                      std::ranges::none_of(kForwarded, [&](const char* name) {
                        return request_.headers.contains(name);
                      });
  must_close_ = !collector.twice.empty();
  if (must_close_) {
    throw Problem(400, "header-twice", "The header " + collector.twice + " is there twice.");
  }
}

void Exchange::find_route() {
  std::string_view rest = request_.target;
  if (rest.starts_with("http://")) rest.remove_prefix(std::min(rest.find('/', 7), rest.size()));
  const std::size_t question = std::min(rest.find('?'), rest.size());
  std::string_view path = rest.substr(0, question);
  const std::string& base = parts_.base_path;
  if (!base.empty() && path.starts_with(base + "/")) path.remove_prefix(base.size());
  request_.path = percent_decode(std::string(path));
  if (!path.starts_with('/') || !kindred::is_utf8(request_.path)) {
    throw Problem(400, "malformed-path", "The path must begin with \"/\" and be UTF-8.");
  }
  request_.query = parse_parameters(rest.substr(std::min(question + 1, rest.size())));
  Router::Match match = parts_.router.match(request_.method, path);
  if (match.allowed.empty()) {
    throw Problem(404, "no-such-page", "There is nothing at " + request_.path + ".");
  }
  if (match.route == nullptr) {
    throw Problem(
        405, "method-not-allowed",
        "The method is " + request_.method + ", but must be one of " + match.allowed + ".")
        .with("Allow", match.allowed);
  }
  route_ = match.route;
  request_.captures = std::move(match.captures);
  parts_.access.identify(request_);
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
  if (!answer_) {
    request_.body.append(piece);
    const std::size_t limit = route_->options.body_limit;
    if (request_.body.size() <= limit) return true;
    answer_ = body_too_large(limit).response(request_.target, request_.id);
    request_.body.clear();
  }
  discarded_ += piece.size();
  return discarded_ <= kMostDiscarded;
}

void Exchange::handle(MHD_Connection* connection) {
  // While the handler works, nobody waits for the client; afterwards its time begins anew.
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0U);
  answer_if_it_throws([&] { answer_ = route_->handler(request_); });
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
                            static_cast<unsigned>(parts_.idle.count()));
  const std::string tag = first_value(answer_->headers, "ETag");
  if (request_.method == "GET" && answer_->status == 200 && !tag.empty() &&
      lists_tag(request_.header("if-none-match"), tag)) {
    answer_->status = 304;
    answer_->body.clear();
  }
  if (!is_head_) pack(request_, *answer_);
}

bool Exchange::send(MHD_Connection* connection) {
  MHD_Response* const response = MHD_create_response_from_buffer(
      answer_->body.size(), answer_->body.data(), MHD_RESPMEM_PERSISTENT);  // lives until on_end()
  if (response == nullptr) return false;
  const auto add = [response](const std::string& name, const std::string& value) {
    MHD_add_response_header(response, name.c_str(), value.c_str());
  };
  for (const auto& [name, value] : kSecurity) add(name, value);
  add("X-Request-Id", request_.id);
  if (!answer_->type.empty()) add("Content-Type", answer_->type);
  add("Cache-Control", first_value(answer_->headers, "ETag").empty() ? "no-store" : "no-cache");
  for (const auto& [name, value] : answer_->headers)
    add(name, (name == "Location" ? parts_.base_path : "") + value);
  if (must_close_ || parts_.draining) add("Connection", "close");
  if (const Timings& timings = request_.timings; timings.xapian + timings.plugin > 0) {
    char text[96];
    std::snprintf(text, sizeof text, "xapian;dur=%.3f, plugin;dur=%.3f", timings.xapian * 1000,
                  timings.plugin * 1000);
    add("Server-Timing", text);
  }
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
