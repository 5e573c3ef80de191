#include "http/server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netdb.h>
#include <spdlog/fmt/fmt.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "analyzer/text/utf8.h"
#include "http/log.h"

namespace search_server {
namespace {

/// For each connection: longer heads are answered with 414 or 431.
constexpr std::size_t kConnectionMemory = 32 << 10;
constexpr std::size_t kIdBytes = 64;
/// Of a body that nobody wants so much is taken, so that its client reads the answer and may keep
/// the connection.
constexpr std::size_t kMostDiscarded = 1 << 20;
/// Between two looks whether the last requests have ended.
constexpr auto kLook = std::chrono::milliseconds(5);

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

using Address = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

/// @throws std::runtime_error
Address address_of(const HttpSettings& settings) {
  addrinfo wanted{};
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(settings.port);
  if (getaddrinfo(settings.address.c_str(), port.c_str(), &wanted, &found) == 0)
    return {found, &freeaddrinfo};
  throw std::runtime_error("the address to listen at is \"" + settings.address +
                           "\", but must be one of IPv4 or IPv6, such as 127.0.0.1");
}

/// Of the request whose head is being read.
thread_local std::string target_of_thread;

void log_of_library(void*, const char* format, va_list arguments) {
  char text[512];
  std::vsnprintf(text, sizeof text, format, arguments);
  log_event(LogLevel::kDebug, "libmicrohttpd", {{"what", text}});
}

}  // namespace

/// One request and its answer, in the thread of its connection. libmicrohttpd tells of the head, of
/// each piece of the body, and of the end; then the handler runs, and libmicrohttpd sends what it
/// returned.
class HttpServer::Exchange {
 public:
  /// The callbacks of libmicrohttpd, all in the thread of the connection; `cls` is the server. A
  /// request whose head is too long has a target, but neither a call nor an end.
  static void* on_target(void*, const char* target, MHD_Connection*) {
    target_of_thread = target;
    return nullptr;
  }
  static MHD_Result on_call(void* cls, MHD_Connection* connection, const char*, const char* method,
                            const char*, const char* data, std::size_t* size, void** exchange) {
    const bool begins = *exchange == nullptr;
    if (begins) *exchange = new Exchange(*static_cast<HttpServer*>(cls), connection, method);
    auto& self = *static_cast<Exchange*>(*exchange);
    const bool goes_on = begins      ? self.take_head()
                         : *size > 0 ? self.take_data({data, std::exchange(*size, 0)})
                                     : self.respond();
    return goes_on ? MHD_YES : MHD_NO;
  }
  static void on_end(void*, MHD_Connection*, void** exchange, MHD_RequestTerminationCode code) {
    const std::unique_ptr<Exchange> self(static_cast<Exchange*>(*exchange));
    *exchange = nullptr;
    if (self) self->end(code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
  }

 private:
  Exchange(HttpServer& server, MHD_Connection* connection, const char* method)
      : server_(server), connection_(connection) {
    ++server_.in_flight_;
    request_.method = method;
    request_.target = std::move(target_of_thread);
    request_.deadline = began_ + server_.settings_.request;
  }

  void answer_if_it_throws(const std::function<void()>& work) {
    std::string what = "an exception that is no std::exception";
    try {
      return work();
    } catch (const Problem& problem) {
      answer_ = problem.response(request_.target, request_.id);
      if (answer_->status < 500) return;
      what = problem.what();
    } catch (const std::exception& error) {
      what = error.what();
    } catch (...) {
    }
    log_event(answer_ ? LogLevel::kWarning : LogLevel::kError, "handler-failed",
              {{"request_id", request_.id}, {"what", what}});
    const Problem failed(500, "internal-error", "The server failed; its log says more.");
    if (!answer_) answer_ = failed.response(request_.target, request_.id);
  }

  bool take_head() {
    answer_if_it_throws([&] {
      read_headers();
      find_route();
      check_body();
    });
    if (!answer_) return true;
    const bool is_long = request_.header("content-length").size() > 6;  // about kMostDiscarded
    const bool waits = kindred::lower_ascii(request_.header("expect")) == "100-continue";
    return must_close_ || is_long || waits ? send() : true;
  }

  void read_headers() {
    const auto collect = [](void* cls, MHD_ValueKind, const char* key, std::size_t key_size,
                            const char* value, std::size_t value_size) {
      auto& headers = static_cast<Request*>(cls)->headers;
      const std::string_view text = value == nullptr ? "" : std::string_view(value, value_size);
      const std::string name = kindred::lower_ascii(std::string(key, key_size));
      const auto [at, is_new] = headers.emplace(name, text);
      if (!is_new) at->second.append(name == "cookie" ? "; " : ", ").append(text);
      return MHD_YES;
    };
    MHD_get_connection_values_n(connection_, MHD_HEADER_KIND, collect, &request_);
    const std::string id = request_.header("x-request-id");
    request_.id = is_good_id(id) ? id : random_hex(8);
    const auto* client = MHD_get_connection_info(connection_, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    request_.is_local = client != nullptr && is_loopback(client->client_addr) &&
                        std::ranges::none_of(kForwarded, [&](const char* name) {
                          return request_.headers.contains(name);
                        });
  }

  void find_route() {
    std::string_view path = request_.target;
    if (path.starts_with("http://")) path.remove_prefix(std::min(path.find('/', 7), path.size()));
    const std::size_t question = std::min(path.find('?'), path.size());
    const std::string_view query = path.substr(std::min(question + 1, path.size()));
    path = path.substr(0, question);
    const std::string& base = server_.settings_.base_path;
    if (!base.empty() && path.starts_with(base + "/")) path.remove_prefix(base.size());
    request_.path = percent_decode(std::string(path));
    if (!path.starts_with('/') || !kindred::is_utf8(request_.path))
      throw Problem(400, "malformed-path", "The path must begin with \"/\" and be UTF-8.");
    request_.query = parse_parameters(query);
    Router::Match match =
        server_.router_.match(request_.method == "HEAD" ? "GET" : request_.method, path);
    if (match.allowed.empty())
      throw Problem(404, "no-such-page", "There is nothing at " + request_.path + ".");
    if (match.route == nullptr)
      throw Problem(
          405, "method-not-allowed",
          "The method is " + request_.method + ", but must be one of " + match.allowed + ".")
          .with("Allow", match.allowed);
    route_ = match.route;
    request_.capture = std::move(match.capture);
    server_.access_.admit(request_, *route_);
  }

  void check_body() {
    const std::string length = request_.header("content-length");
    const std::string coding = kindred::lower_ascii(request_.header("transfer-encoding"));
    std::uint64_t bytes = 0;
    const char* const end = length.data() + length.size();
    const bool is_number = std::from_chars(length.data(), end, bytes).ptr == end;
    if (!is_number || (!coding.empty() && (coding != "chunked" || !length.empty()))) {
      must_close_ = true;
      throw Problem(400, "unclear-length",
                    "The length of the body must be one Content-Length, or its Transfer-Encoding "
                    "\"chunked\".");
    }
    const std::size_t limit = route_->options.body_limit;
    if (bytes > limit || (!coding.empty() && limit == 0)) throw body_too_large(limit);
    const std::string encoding = kindred::lower_ascii(request_.header("content-encoding"));
    if (!encoding.empty() && encoding != "identity")
      throw Problem(415, "unsupported-encoding",
                    "The Content-Encoding is \"" + encoding + "\", but a body comes as it is.")
          .with("Accept-Encoding", "identity");
  }

  bool take_data(std::string_view piece) {
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

  /// Runs the handler, unless there is an answer, and sends.
  bool respond() {
    if (answer_) return send();
    // While the handler works, nobody waits for the client; afterwards its time begins anew.
    MHD_set_connection_option(connection_, MHD_CONNECTION_OPTION_TIMEOUT, 0U);
    answer_if_it_throws([&] { answer_ = route_->handler(request_); });
    MHD_set_connection_option(connection_, MHD_CONNECTION_OPTION_TIMEOUT,
                              static_cast<unsigned>(server_.settings_.idle.count()));
    const std::string tag = first_value(answer_->headers, "ETag");
    if (route_->method == "GET" && answer_->status == 200 &&
        lists_tag(request_.header("if-none-match"), tag)) {
      answer_->status = 304;
      answer_->body.clear();
    }
    return send();
  }

  bool send() {
    MHD_Response* const response =
        MHD_create_response_from_buffer(answer_->body.size(), answer_->body.data(),
                                        MHD_RESPMEM_PERSISTENT);  // lives until on_end()
    if (response == nullptr) return false;
    const auto add = [response](const std::string& name, const std::string& value) {
      MHD_add_response_header(response, name.c_str(), value.c_str());
    };
    for (const auto& [name, value] : kSecurity) add(name, value);
    add("X-Request-Id", request_.id);
    if (!answer_->type.empty()) add("Content-Type", answer_->type);
    add("Cache-Control", first_value(answer_->headers, "ETag").empty() ? "no-store" : "no-cache");
    for (const auto& [name, value] : answer_->headers)
      add(name, (name == "Location" ? server_.settings_.base_path : "") + value);
    if (must_close_ || server_.draining_) add("Connection", "close");
    if (request_.plugin_seconds > 0)
      add("Server-Timing", fmt::format("plugin;dur={:.3f}", request_.plugin_seconds * 1000));
    const auto status = static_cast<unsigned>(answer_->status);
    const bool queued = MHD_queue_response(connection_, status, response) == MHD_YES;
    MHD_destroy_response(response);
    return queued;
  }

  /// The answer was sent, or the client is gone.
  void end(bool completed) const {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began_;
    const int status = answer_ ? answer_->status : 0;
    count_request(route_, status, time.count(), request_.plugin_seconds);
    nlohmann::ordered_json fields = {{"request_id", request_.id},
                                     {"method", request_.method},
                                     {"route", route_ == nullptr ? "none" : route_->pattern},
                                     {"status", status},
                                     {"ms", std::round(time.count() * 1e6) / 1e3},
                                     {"bytes", answer_ ? answer_->body.size() : 0}};
    if (!completed) fields["aborted"] = true;
    if (logs(LogLevel::kDebug)) fields["target"] = request_.target;
    log_event(LogLevel::kInfo, "request", fields);
    --server_.in_flight_;
  }

  HttpServer& server_;
  MHD_Connection* const connection_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  Request request_;
  const Route* route_ = nullptr;
  std::optional<Response> answer_;
  std::size_t discarded_ = 0;  ///< bytes of the body that nobody wants
  bool must_close_ = false;    ///< where the next request begins is not certain
};

HttpServer::HttpServer(const Router& router, const Access& access, const HttpSettings& settings)
    : router_(router), access_(access), settings_(settings) {
  const Address address = address_of(settings);
  const auto flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
                     MHD_USE_POLL | MHD_USE_ITC | MHD_USE_ERROR_LOG |
                     (address->ai_family == AF_INET6 ? MHD_USE_IPv6 : MHD_NO_FLAG);
  errno = 0;
  daemon_ = MHD_start_daemon(
      flags, settings.port, nullptr, nullptr, &Exchange::on_call, this, MHD_OPTION_EXTERNAL_LOGGER,
      &log_of_library, nullptr, MHD_OPTION_SOCK_ADDR, address->ai_addr, MHD_OPTION_CONNECTION_LIMIT,
      settings.connections, MHD_OPTION_PER_IP_CONNECTION_LIMIT, settings.connections_per_address,
      MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(settings.idle.count()),
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionMemory, MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_URI_LOG_CALLBACK, &Exchange::on_target, nullptr, MHD_OPTION_NOTIFY_COMPLETED,
      &Exchange::on_end, nullptr, MHD_OPTION_END);
  if (daemon_ != nullptr) return;
  throw std::runtime_error("cannot listen at " + settings.address + " port " +
                           std::to_string(settings.port) + ": " + std::strerror(errno));
}

std::uint16_t HttpServer::port() const {
  return MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT)->port;
}

bool HttpServer::adopt(int socket) {
  // The address is for limits only, and a pair of sockets has none.
  sockaddr_storage nowhere{};
  nowhere.ss_family = AF_INET;
  return MHD_add_connection(daemon_, socket, reinterpret_cast<const sockaddr*>(&nowhere),
                            sizeof(sockaddr_in)) == MHD_YES;
}

bool HttpServer::stop(std::chrono::seconds grace) {
  MHD_Daemon* const daemon = std::exchange(daemon_, nullptr);
  if (daemon == nullptr) return true;
  draining_ = true;
  close(MHD_quiesce_daemon(daemon));
  const auto end = std::chrono::steady_clock::now() + grace;
  while (in_flight_ > 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(kLook);
  const bool ended = in_flight_ == 0;
  MHD_stop_daemon(daemon);
  return ended;
}

}  // namespace search_server
