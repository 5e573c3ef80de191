#include "http/server.h"

#include <arpa/inet.h>
#include <kindred/analyzer/text/utf8.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <spdlog/fmt/chrono.h>
#include <spdlog/fmt/fmt.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "http/head.h"
#include "http/html.h"
#include "http/log.h"
#include "http/wire.h"

namespace search_server {
namespace {

using Clock = std::chrono::steady_clock;

/// Longer heads are answered with 414 or 431.
constexpr std::size_t kMostHead = 32 << 10;
constexpr std::size_t kMostParameters = 400;
/// Of a line between chunks, and of those behind the last one.
constexpr std::size_t kMostLine = 1024, kMostTrailers = 64;
constexpr std::size_t kIdBytes = 64;
/// Of a body that nobody wants so much is taken, so that its client reads the answer and may keep
/// the connection.
constexpr std::size_t kMostDiscarded = 1 << 20;
/// Connections beyond those that are allowed, which are told so; and how long their heads may take.
constexpr std::size_t kSpare = 64;
constexpr auto kSpareHead = std::chrono::milliseconds(500);
constexpr int kBacklog = 511;
/// Between two looks whether the last requests have ended.
constexpr auto kPoll = std::chrono::milliseconds(5);
/// Between two looks whether a client is still there.
constexpr auto kClientLook = std::chrono::milliseconds(50);

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

/// What the names of headers hold that proxies add to what they pass on: there are more of these
/// headers than anybody can list, but they are called after a few things.
constexpr std::string_view kProxyParts[] = {"forward",  "proxy",   "original-",  "client-ip",
                                            "clientip", "real-ip", "envoy",      "-https",
                                            "-scheme",  "-via",    "rewrite-url"};
constexpr std::string_view kProxyBegins[] = {
    "via",       "cf-",      "cdn-",         "x-amz",       "x-azure-",   "x-arr-",
    "fastly-",   "fly-",     "x-real",       "x-remote-",   "x-cluster-", "x-host",
    "x-varnish", "x-cloud-", "x-appengine-", "max-forwards"};
constexpr std::string_view kProxyEnds[] = {"-ip", "-addr", "-address"};

bool is_of_proxy(std::string_view name) {
  return std::ranges::any_of(kProxyParts,
                             [&](auto part) {
                               return name.find(part) != name.npos;
                             }) ||
         std::ranges::any_of(kProxyBegins,
                             [&](auto part) {
                               return name.starts_with(part);
                             }) ||
         std::ranges::any_of(kProxyEnds, [&](auto part) {
           return name.ends_with(part);
         });
}

bool is_good_id(const std::string& id) {
  constexpr const char* kGood = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  return !id.empty() && id.size() <= kIdBytes && id.find_first_not_of(kGood) == id.npos;
}

/// Whether a list such as "keep-alive, close" has the word.
bool has_word(const std::string& list, std::string_view word) {
  std::string words = "," + kindred::lower_ascii(list) + ",";
  std::erase_if(words, [](char c) {
    return c == ' ' || c == '\t';
  });
  return words.find("," + std::string(word) + ",") != words.npos;
}

using Address = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

/// Null if the text is no address.
Address read_address(const std::string& text, const std::string& port) {
  addrinfo wanted{};
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const bool is_one = getaddrinfo(text.c_str(), port.c_str(), &wanted, &found) == 0;
  return {is_one ? found : nullptr, &freeaddrinfo};
}

/// The bytes that tell apart the addresses from which connections come.
std::string bytes_of(const sockaddr_storage& from) {
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(from).sin_addr;
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from).sin6_addr;
  return from.ss_family == AF_INET6 ? std::string(reinterpret_cast<const char*>(&v6), sizeof v6)
                                    : std::string(reinterpret_cast<const char*>(&v4), sizeof v4);
}

void signal_event(int event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(event, &one, sizeof one);
}

/// The client has left in the middle of a request, or is too slow.
struct Gone {};

}  // namespace

bool is_loopback(const sockaddr& address) {
  if (address.sa_family == AF_INET6) {
    const in6_addr& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
  }
  return address.sa_family == AF_INET &&
         ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24 == 127;
}

bool is_loopback(const std::string& address) {
  const Address read = read_address(address, "0");
  return read && is_loopback(*read->ai_addr);
}

/// One request and its answer, in the thread of its connection.
class HttpServer::Exchange {
 public:
  Exchange(HttpServer& server, const Connection& connection, Wire& wire)
      : server_(server), connection_(connection), wire_(wire) {}

  /// Reads a request and answers it. True if the connection may have another one.
  bool run() {
    try {
      answer_if_it_throws([this] {
        take_head();
      });
    } catch (const Gone&) {
      return false;
    }
    ++server_.in_flight_;
    bool has_sent = false;
    try {
      if (!answer_)
        answer_if_it_throws([this] {
          find_route();
        });
      if (has_body_)
        answer_if_it_throws([this] {
          take_body();
        });
      if (!answer_) respond();
      has_sent = send();
    } catch (const Gone&) {
    }
    log(has_sent && !has_left_);
    --server_.in_flight_;
    return has_sent && !must_close_;
  }

 private:
  void answer_if_it_throws(const std::function<void()>& work) {
    std::string what = "an exception that is no std::exception";
    try {
      return work();
    } catch (const Gone&) {
      throw;
    } catch (const Problem& problem) {
      answer_ = refusal(problem);
      if (answer_->status < 500) return;
      what = problem.what();
    } catch (const std::exception& error) {
      what = error.what();
    } catch (...) {
    }
    log_event(answer_ ? LogLevel::kWarning : LogLevel::kError, "handler-failed",
              {{"request_id", request_.id}, {"what", what}});
    const Problem failed(500, "internal-error", "The server failed; its log says more.");
    if (!answer_) answer_ = refusal(failed);
  }

  /// As JSON, or as a page for people.
  Response refusal(const Problem& problem) const {
    Response response = problem.response(request_.target, request_.id);
    if (!prefers_html(request_)) return response;
    return problem_page(std::move(response), server_.settings_.base_path);
  }

  /// Reads the head, which arrives within a time of its own, however it trickles.
  void take_head() {
    const auto idle = connection_.is_spare ? kSpareHead : Clock::duration(this->idle());
    const auto next = Clock::now() + idle;
    if (wire_.bytes().empty() && !wire_.receive(next, true)) throw Gone();
    began_ = Clock::now();
    request_.id = random_hex(8);
    std::size_t looked = 0, size = 0;
    while (size == 0) {
      size = head_size(wire_.bytes().substr(0, kMostHead), looked);
      if (size > 0) break;
      if (wire_.bytes().size() >= kMostHead) throw head_too_long();
      if (!wire_.receive(began_ + idle, true)) throw Gone();
    }
    read_headers(read_head(wire_.bytes().substr(0, size)));
    wire_.take(size);
  }

  Problem head_too_long() const {
    const bool is_target = wire_.bytes().find('\n') > kMostHead;
    return Problem(
        is_target ? 414 : 431, "head-too-long",
        "Path, query and headers have more than " + std::to_string(kMostHead) + " bytes together.");
  }

  void read_headers(Head head) {
    const BodyLength length = body_length(head);
    request_.method = std::move(head.method);
    request_.target = std::move(head.target);
    request_.headers = std::move(head.headers);
    const std::string id = request_.header("x-request-id");
    if (is_good_id(id)) request_.id = id;
    request_.is_local =
        connection_.is_local && std::ranges::none_of(request_.headers, [](const auto& header) {
          return is_of_proxy(header.first);
        });
    request_.is_wanted = [this] {
      return is_wanted();
    };

    // From here on it is certain where the next request begins.
    length_ = length;
    has_body_ = length.is_chunked || length.bytes > 0;
    must_close_ =
        head.is_old || connection_.is_spare || has_word(request_.header("connection"), "close");
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
    if (request_.query.size() > kMostParameters)
      throw Problem(414, "too-many-parameters",
                    "There are more than " + std::to_string(kMostParameters) + " parameters.");
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
    if (request_.capture == "-") capture_parameter();
    server_.access_.admit(request_, *route_);
    if (connection_.is_spare && !route_->options.is_vital)
      throw Problem(503, "too-many-connections", "The server has as many connections as it may.")
          .with("Retry-After", "2");

    // A body that it does not take.
    const std::size_t limit = route_->options.body_limit;
    if (length_.bytes > limit || (has_body_ && limit == 0)) throw body_too_large(limit);
    const std::string encoding = kindred::lower_ascii(request_.header("content-encoding"));
    if (!encoding.empty() && encoding != "identity")
      throw Problem(415, "unsupported-encoding",
                    "The Content-Encoding is \"" + encoding + "\", but a body comes as it is.")
          .with("Accept-Encoding", "identity");
  }

  /// The segments "." and ".." are none to clients: they go up. So "-" may stand for what the
  /// parameter of the segment's name has: /documents/-/related?id=..
  void capture_parameter() {
    const std::string& pattern = route_->pattern;
    const std::size_t begin = pattern.find('{') + 1;
    const auto named =
        std::ranges::find(request_.query, pattern.substr(begin, pattern.find('}') - begin),
                          &Pairs::value_type::first);
    if (named == request_.query.end()) return;
    request_.capture = named->second;
    request_.query.erase(named);
  }

  /// Reads the body, or, if there is an answer already, passes over it. If that cannot be, the
  /// connection ends with the answer.
  void take_body() {
    const bool waits = has_word(request_.header("expect"), "100-continue");
    const bool will_close = std::exchange(must_close_, true);
    if (answer_ && (waits || connection_.is_spare || length_.bytes > kMostDiscarded)) return;
    if (waits && wire_.bytes().empty()) wire_.send({"HTTP/1.1 100 Continue\r\n\r\n"}, idle());
    pace_ = Pace(idle());
    const bool is_whole = length_.is_chunked ? take_chunks() : take_piece(length_.bytes);
    must_close_ = will_close || !is_whole;
  }

  /// False if too much comes that nobody wants.
  bool take_chunks() {
    while (const std::uint64_t size = chunk_size(take_line())) {
      if (!take_piece(size)) return false;
      if (!take_line().empty())
        throw Problem(400, "malformed-request", "A chunk of the body is not as long as it says.");
    }
    for (std::size_t i = 0; i < kMostTrailers; ++i) {
      const std::string trailer = take_line();
      if (trailer.empty()) return true;
      check_trailer(trailer);
    }
    return false;
  }

  bool take_piece(std::uint64_t left) {
    while (left > 0) {
      if (wire_.bytes().empty()) receive();
      const std::size_t size = std::min<std::uint64_t>(left, wire_.bytes().size());
      if (!take_data(wire_.bytes().substr(0, size))) return false;
      wire_.take(size);
      left -= size;
    }
    return true;
  }

  /// A line of a chunked body, without its end.
  std::string take_line() {
    std::size_t end = wire_.bytes().find('\n');
    while (end == std::string_view::npos && wire_.bytes().size() < kMostLine) {
      receive();
      end = wire_.bytes().find('\n');
    }
    if (end == std::string_view::npos || end == 0 || wire_.bytes()[end - 1] != '\r')
      throw Problem(400, "malformed-request", "A line of the chunked body does not end by CR LF.");
    std::string line(wire_.bytes().substr(0, end - 1));
    wire_.take(end + 1);
    return line;
  }

  void receive() {
    const std::size_t before = wire_.bytes().size();
    if (!wire_.receive(pace_.limit())) throw Gone();
    pace_.moved(wire_.bytes().size() - before);
  }

  bool take_data(std::string_view piece) {
    if (!answer_) {
      request_.body.append(piece);
      const std::size_t limit = route_->options.body_limit;
      if (request_.body.size() <= limit) return true;
      answer_ = refusal(body_too_large(limit));
      request_.body = std::string();
    }
    discarded_ += piece.size();
    return discarded_ <= kMostDiscarded;
  }

  /// Runs the handler.
  void respond() {
    const auto now = Clock::now();
    request_.deadline = now + server_.settings_.request;
    next_look_ = now + kClientLook;
    answer_if_it_throws([&] {
      answer_ = route_->handler(request_);
    });
    const std::string tag = first_value(answer_->headers, "ETag");
    if (route_->method == "GET" && answer_->status == 200 &&
        lists_tag(request_.header("if-none-match"), tag)) {
      answer_->status = 304;
      answer_->body.clear();
    }
  }

  /// Request::is_wanted.
  bool is_wanted() {
    const auto now = Clock::now();
    if (now < next_look_) return is_wanted_;
    next_look_ = now + kClientLook;
    has_left_ = has_left_ || wire_.has_left();
    is_wanted_ = now < request_.deadline && !server_.canceling_ && !has_left_;
    return is_wanted_;
  }

  bool send() {
    const bool is_empty = answer_->status == 204 || answer_->status == 304;
    must_close_ = must_close_ || server_.draining_;
    std::string head =
        fmt::format("HTTP/1.1 {} {}\r\n", answer_->status, reason_phrase(answer_->status));
    const auto add = [&head](std::string_view name, std::string_view value) {
      head.append(name).append(": ").append(value).append("\r\n");
    };
    add("Date", fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(std::time(nullptr))));
    if (!is_empty) add("Content-Length", std::to_string(answer_->body.size()));
    for (const auto& [name, value] : kSecurity) add(name, value);
    add("X-Request-Id", request_.id);
    if (!answer_->type.empty()) add("Content-Type", answer_->type);
    add("Cache-Control", first_value(answer_->headers, "ETag").empty() ? "no-store" : "no-cache");
    for (const auto& [name, value] : answer_->headers)
      add(name, (name == "Location" ? server_.settings_.base_path : "") + value);
    if (must_close_) add("Connection", "close");
    if (request_.plugin_seconds > 0)
      add("Server-Timing", fmt::format("plugin;dur={:.3f}", request_.plugin_seconds * 1000));
    head += "\r\n";
    const bool has_body = !is_empty && request_.method != "HEAD";
    return wire_.send({head, has_body ? std::string_view(answer_->body) : ""}, idle());
  }

  /// The answer was sent, or the client is gone.
  void log(bool completed) const {
    const std::chrono::duration<double> time = Clock::now() - began_;
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
  }

  std::chrono::seconds idle() const { return server_.settings_.idle; }

  HttpServer& server_;
  const Connection& connection_;
  Wire& wire_;
  Clock::time_point began_ = Clock::now();
  Pace pace_{server_.settings_.idle};  ///< of the body
  Request request_;
  BodyLength length_;
  bool has_body_ = false;
  const Route* route_ = nullptr;
  std::optional<Response> answer_;
  std::size_t discarded_ = 0;  ///< bytes of the body that nobody wants
  bool must_close_ = true;     ///< also while it is not certain where the next request begins
  bool is_wanted_ = true, has_left_ = false;
  Clock::time_point next_look_{};
};

HttpServer::HttpServer(const Router& router, const Access& access, const HttpSettings& settings)
    : router_(router), access_(access), settings_(settings) {
  try {
    listen_at();
  } catch (...) {
    if (listener_ >= 0) close(listener_);
    throw;
  }
  stopping_ = eventfd(0, EFD_CLOEXEC);
  ended_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  acceptor_ = std::thread([this] {
    accept_all();
  });
}

void HttpServer::listen_at() {
  const Address address = read_address(settings_.address, std::to_string(settings_.port));
  if (!address)
    throw std::runtime_error("the address to listen at is \"" + settings_.address +
                             "\", but must be one of IPv4 or IPv6, such as 127.0.0.1");
  const int yes = 1;
  listener_ = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (address->ai_family == AF_INET6)
    setsockopt(listener_, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
  if (listener_ >= 0 && bind(listener_, address->ai_addr, address->ai_addrlen) == 0 &&
      listen(listener_, kBacklog) == 0)
    return;
  throw std::runtime_error("cannot listen at " + settings_.address + " port " +
                           std::to_string(settings_.port) + ": " + std::strerror(errno));
}

std::uint16_t HttpServer::port() const {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  getsockname(listener_, reinterpret_cast<sockaddr*>(&own), &size);
  return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(own).sin6_port
                                         : reinterpret_cast<const sockaddr_in&>(own).sin_port);
}

std::size_t HttpServer::connections() {
  const std::lock_guard lock(mutex_);
  std::erase_if(connections_, [](Connection& each) {
    if (each.has_ended) each.thread.join();  // it has nothing left to do
    return each.has_ended;
  });
  return connections_.size();
}

void HttpServer::accept_all() {
  const std::size_t most = settings_.connections + kSpare;
  while (!draining_) {
    // What was signaled before connections() looks is known by it.
    std::uint64_t ended = 0;
    [[maybe_unused]] const ssize_t signaled = read(ended_, &ended, sizeof ended);
    const bool is_full = connections() >= most;

    // Waits for a client, for a connection that ends, or for the stop.
    std::array<pollfd, 3> waits{
        {{stopping_, POLLIN, 0}, {ended_, POLLIN, 0}, {is_full ? -1 : listener_, POLLIN, 0}}};
    if (poll(waits.data(), waits.size(), -1) < 0 || waits[2].revents == 0) continue;

    sockaddr_storage from{};
    socklen_t size = sizeof from;
    const int socket = accept4(listener_, reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC);
    if (socket < 0) {
      const bool has_none_left = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
      if (has_none_left) std::this_thread::sleep_for(kClientLook);
      continue;
    }
    const bool is_local = is_loopback(reinterpret_cast<const sockaddr&>(from));
    const bool is_served = begin(socket, is_local ? "" : bytes_of(from), is_local, most);
    if (!is_served) close(socket);
  }
}

bool HttpServer::adopt(int socket) {
  connections();  // frees those that have ended
  return begin(socket, "", false, settings_.connections);
}

/// Starts the thread of a connection. False if there are too many.
bool HttpServer::begin(int socket, const std::string& address, bool is_local, std::size_t most) {
  const int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const std::lock_guard lock(mutex_);
  if (draining_ || connections_.size() >= most) return false;
  const auto same = std::ranges::count(connections_, address, &Connection::address);
  const unsigned most_same = settings_.connections_per_address;
  if (!address.empty() && most_same > 0 && same >= std::ptrdiff_t{most_same}) return false;
  Connection& connection = connections_.emplace_back(
      Connection{socket, address, is_local, connections_.size() >= settings_.connections});
  try {
    connection.thread = std::thread([this, &connection] {
      serve(connection);
    });
    return true;
  } catch (const std::system_error&) {  // no thread
    connections_.pop_back();
    return false;
  }
}

/// What the thread of a connection does.
void HttpServer::serve(Connection& connection) {
  Wire wire(connection.socket, stopping_);
  while (Exchange(*this, connection, wire).run()) {
  }
  wire.finish();
  const std::lock_guard lock(mutex_);
  close(std::exchange(connection.socket, -1));
  connection.has_ended = true;
  signal_event(ended_);
}

bool HttpServer::stop(std::chrono::seconds grace) {
  if (listener_ < 0) return true;
  draining_ = true;
  signal_event(stopping_);
  acceptor_.join();
  close(std::exchange(listener_, -1));

  // Requests in flight end by themselves, or because nobody waits for them.
  const auto began = Clock::now();
  while (in_flight_ > 0 && Clock::now() < began + grace) {
    if (Clock::now() >= began + grace / 2) canceling_ = true;
    std::this_thread::sleep_for(kPoll);
  }
  canceling_ = true;
  const bool have_ended = in_flight_ == 0;

  // All others are cut off.
  std::unique_lock lock(mutex_);
  for (const Connection& each : connections_)
    if (!each.has_ended) shutdown(each.socket, SHUT_RDWR);
  lock.unlock();
  for (Connection& each : connections_) each.thread.join();  // none comes any more
  connections_.clear();
  close(stopping_);
  close(ended_);
  return have_ended;
}

}  // namespace search_server
