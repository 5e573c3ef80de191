#include "http/server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_set>
#include <vector>

#include "http/connections.h"
#include "http/log.h"

namespace search_server {
namespace {

constexpr std::size_t kConnectionMemory = 64 << 10;
constexpr std::size_t kMemoryIncrement = 16 << 10;
constexpr std::size_t kLargestUnpooledBody = 32 << 10;

/// A socket that listens. @throws std::runtime_error
int listening_socket(const std::string& address, std::uint16_t port) {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  v4.sin_family = AF_INET;
  v6.sin6_family = AF_INET6;
  v4.sin_port = v6.sin6_port = htons(port);
  const bool is_v4 = inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1;
  if (!is_v4 && inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) != 1) {
    throw std::runtime_error("the address to listen at is \"" + address +
                             "\", but must be one of IPv4 or IPv6, such as 127.0.0.1");
  }
  const int listener = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  const auto* any =
      is_v4 ? reinterpret_cast<const sockaddr*>(&v4) : reinterpret_cast<const sockaddr*>(&v6);
  const auto size = static_cast<socklen_t>(is_v4 ? sizeof v4 : sizeof v6);
  if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(listener, any, size) != 0 || listen(listener, SOMAXCONN) != 0) {
    const std::string why = std::strerror(errno);
    if (listener >= 0) close(listener);
    throw std::runtime_error("cannot listen at " + address + " port " + std::to_string(port) +
                             ": " + why);
  }
  return listener;
}

std::uint16_t port_of(int listener) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  getsockname(listener, reinterpret_cast<sockaddr*>(&bound), &size);
  return ntohs(bound.ss_family == AF_INET ? reinterpret_cast<const sockaddr_in&>(bound).sin_port
                                          : reinterpret_cast<const sockaddr_in6&>(bound).sin6_port);
}

void log_of_library(void*, const char* format, va_list arguments) {
  if (!logs(LogLevel::kDebug)) return;
  char text[512];
  std::vsnprintf(text, sizeof text, format, arguments);
  log_event(LogLevel::kDebug, "libmicrohttpd", {{"what", text}});
}

}  // namespace

/// The daemon of libmicrohttpd, and what its callbacks need.
class HttpServer::Daemon {
 public:
  Daemon(const Router& router, const Access& access, Metrics& metrics,
         const HttpSettings& settings);
  ~Daemon() { stop(std::chrono::milliseconds(0)); }

  bool stop(std::chrono::milliseconds grace);
  bool adopt(int socket);
  bool submit(WorkerPool::Task task) { return pool_.submit(std::move(task)); }
  std::uint16_t port() const { return port_; }

 private:
  using Holder = std::shared_ptr<Exchange>;

  void start(const HttpSettings& settings);
  bool wait_for_end(std::chrono::milliseconds grace);
  void abort_all();

  static void* on_target(void* cls, const char* target, MHD_Connection* connection);
  static MHD_Result on_request(void* cls, MHD_Connection* connection, const char* url,
                               const char* method, const char* version, const char* data,
                               std::size_t* size, void** exchange);
  static void on_completed(void* cls, MHD_Connection* connection, void** exchange,
                           MHD_RequestTerminationCode code);
  static void on_connection(void* cls, MHD_Connection* connection, void** socket_context,
                            MHD_ConnectionNotificationCode code);

  WorkerPool pool_;
  ServerParts parts_;
  Connections connections_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  MHD_Daemon* daemon_ = nullptr;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_set<Exchange*> in_flight_;
};

HttpServer::Daemon::Daemon(const Router& router, const Access& access, Metrics& metrics,
                           const HttpSettings& settings)
    : pool_(settings.workers, settings.queue),
      parts_{router, access, metrics, pool_, settings.head, settings.times},
      connections_(std::min({settings.times.head, settings.times.body, settings.times.send})) {
  for (const Route& route : router.routes()) {
    if (route.options.unpooled && route.options.body_limit > kLargestUnpooledBody) {
      throw std::logic_error("an unpooled route takes too large a body: " + route.pattern);
    }
  }
  metrics.add_gauge("kindred_server_connections", "Open connections.",
                    [this] { return static_cast<double>(connections_.size()); });
  metrics.add_gauge("kindred_server_queue", "Requests that wait for a thread.",
                    [this] { return static_cast<double>(pool_.waiting()); });
  metrics.add_gauge("kindred_server_busy_workers", "Threads that answer a request.",
                    [this] { return static_cast<double>(pool_.busy()); });
  start(settings);
}

void HttpServer::Daemon::start(const HttpSettings& settings) {
  listener_ = listening_socket(settings.address, settings.port);
  port_ = port_of(listener_);
  const auto flags =
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG;
  daemon_ = MHD_start_daemon(
      flags, 0, nullptr, nullptr, &Daemon::on_request, this, MHD_OPTION_EXTERNAL_LOGGER,
      &log_of_library, nullptr, MHD_OPTION_LISTEN_SOCKET, listener_, MHD_OPTION_CONNECTION_LIMIT,
      static_cast<unsigned>(settings.connections), MHD_OPTION_PER_IP_CONNECTION_LIMIT,
      static_cast<unsigned>(settings.connections_per_address), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kConnectionMemory, MHD_OPTION_CONNECTION_MEMORY_INCREMENT, kMemoryIncrement,
      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, &Daemon::on_target, this,
      MHD_OPTION_NOTIFY_COMPLETED, &Daemon::on_completed, this, MHD_OPTION_NOTIFY_CONNECTION,
      &Daemon::on_connection, this, MHD_OPTION_END);
  if (daemon_ == nullptr) {
    close(listener_);
    throw std::runtime_error("libmicrohttpd does not start");
  }
}

bool HttpServer::Daemon::adopt(int socket) {
  // The address is for limits only, and a pair of sockets has none.
  sockaddr_in nowhere{};
  nowhere.sin_family = AF_INET;
  return MHD_add_connection(daemon_, socket, reinterpret_cast<const sockaddr*>(&nowhere),
                            sizeof nowhere) == MHD_YES;
}

void* HttpServer::Daemon::on_target(void* cls, const char* target, MHD_Connection* connection) {
  auto* self = static_cast<Daemon*>(cls);
  std::string copy = target == nullptr ? "" : target;
  // libmicrohttpd would next cut the query into parameters, and fail if there are many. So it gets
  // to see an empty one; the text is its own, and not const.
  const std::size_t question = copy.find('?');
  if (question != std::string::npos) const_cast<char*>(target)[question + 1] = '\0';
  return new Holder(std::make_shared<Exchange>(self->parts_, connection, std::move(copy)));
}

MHD_Result HttpServer::Daemon::on_request(void* cls, MHD_Connection*, const char*,
                                          const char* method, const char*, const char* data,
                                          std::size_t* size, void** exchange) {
  auto* self = static_cast<Daemon*>(cls);
  const Holder current = *static_cast<Holder*>(*exchange);
  bool goes_on = false;
  if (data != nullptr) {
    goes_on = current->on_data(data, *size);
  } else {
    bool is_new = false;
    {
      const std::lock_guard lock(self->mutex_);
      is_new = self->in_flight_.insert(current.get()).second;
    }
    goes_on = is_new ? current->on_head(method) : current->on_end();
  }
  return goes_on ? MHD_YES : MHD_NO;
}

void HttpServer::Daemon::on_completed(void* cls, MHD_Connection*, void** exchange,
                                      MHD_RequestTerminationCode code) {
  auto* self = static_cast<Daemon*>(cls);
  const std::unique_ptr<Holder> current(static_cast<Holder*>(*exchange));
  *exchange = nullptr;
  if (!current) return;
  (*current)->on_closed(code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
  {
    const std::lock_guard lock(self->mutex_);
    self->in_flight_.erase(current->get());
  }
  self->changed_.notify_all();
}

void HttpServer::Daemon::on_connection(void* cls, MHD_Connection* connection, void** socket_context,
                                       MHD_ConnectionNotificationCode code) {
  auto* self = static_cast<Daemon*>(cls);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    Connection* record = self->connections_.add(info->connect_fd);
    record->expect_request(self->parts_.times.head);
    *socket_context = record;
  } else {
    self->connections_.remove(static_cast<Connection*>(*socket_context));
  }
}

bool HttpServer::Daemon::wait_for_end(std::chrono::milliseconds grace) {
  const auto end = std::chrono::steady_clock::now() + grace;
  std::unique_lock lock(mutex_);
  const bool ended = changed_.wait_until(lock, end, [this] { return in_flight_.empty(); });
  return ended;
}

void HttpServer::Daemon::abort_all() {
  parts_.aborting = true;
  const std::lock_guard lock(mutex_);
  for (Exchange* exchange : in_flight_) exchange->abort();
}

bool HttpServer::Daemon::stop(std::chrono::milliseconds grace) {
  if (daemon_ == nullptr) return true;
  parts_.draining = true;
  MHD_quiesce_daemon(daemon_);
  close(listener_);
  connections_.close_idle();
  const bool ended = wait_for_end(grace);
  abort_all();
  connections_.close_all();
  pool_.stop();
  abort_all();
  MHD_stop_daemon(daemon_);
  daemon_ = nullptr;
  return ended;
}

HttpServer::HttpServer(const Router& router, const Access& access, Metrics& metrics,
                       const HttpSettings& settings)
    : daemon_(std::make_unique<Daemon>(router, access, metrics, settings)) {}

HttpServer::~HttpServer() = default;
std::uint16_t HttpServer::port() const { return daemon_->port(); }
bool HttpServer::adopt(int socket) { return daemon_->adopt(socket); }
bool HttpServer::submit(WorkerPool::Task task) { return daemon_->submit(std::move(task)); }
bool HttpServer::stop(std::chrono::milliseconds grace) { return daemon_->stop(grace); }

}  // namespace search_server
