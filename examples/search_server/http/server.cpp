#include "http/server.h"

#include <microhttpd.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "http/log.h"

namespace search_server {
namespace {

/// For each connection: longer heads are answered with 414 or 431.
constexpr std::size_t kConnectionMemory = 32 << 10;

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

void log_of_library(void*, const char* format, va_list arguments) {
  if (!logs(LogLevel::kDebug)) return;
  char text[512];
  std::vsnprintf(text, sizeof text, format, arguments);
  log_event(LogLevel::kDebug, "libmicrohttpd", {{"what", text}});
}

}  // namespace

/// What libmicrohttpd calls; `cls` is the server.
struct HttpServer::Callbacks {
  static void* on_target(void* cls, const char* target, MHD_Connection*) {
    return new Exchange(static_cast<HttpServer*>(cls)->parts_, target == nullptr ? "" : target);
  }

  static MHD_Result on_call(void* cls, MHD_Connection* connection, const char*, const char* method,
                            const char*, const char* data, std::size_t* size, void** exchange) {
    auto* const current = static_cast<Exchange*>(*exchange);
    if (!current->has_begun()) {
      auto* const self = static_cast<HttpServer*>(cls);
      const std::lock_guard lock(self->mutex_);
      ++self->in_flight_;
    }
    return current->on_call(connection, method, data, *size) ? MHD_YES : MHD_NO;
  }

  static void on_completed(void* cls, MHD_Connection*, void** exchange,
                           MHD_RequestTerminationCode code) {
    const std::unique_ptr<Exchange> current(static_cast<Exchange*>(*exchange));
    *exchange = nullptr;
    if (!current || !current->has_begun()) return;
    current->on_end(code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    auto* const self = static_cast<HttpServer*>(cls);
    const std::lock_guard lock(self->mutex_);
    --self->in_flight_;
    self->changed_.notify_all();
  }
};

HttpServer::HttpServer(const Router& router, const Access& access, Metrics& metrics,
                       const HttpSettings& settings)
    : parts_{router, access, metrics, settings.base_path, settings.idle, settings.request, false} {
  const Address address = address_of(settings);
  const auto flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
                     MHD_USE_POLL | MHD_USE_ITC | MHD_USE_ERROR_LOG |
                     (address->ai_family == AF_INET6 ? MHD_USE_IPv6 : MHD_NO_FLAG);
  errno = 0;
  daemon_ = MHD_start_daemon(
      flags, settings.port, nullptr, nullptr, &Callbacks::on_call, this, MHD_OPTION_EXTERNAL_LOGGER,
      &log_of_library, nullptr, MHD_OPTION_SOCK_ADDR, address->ai_addr, MHD_OPTION_CONNECTION_LIMIT,
      static_cast<unsigned>(settings.connections), MHD_OPTION_PER_IP_CONNECTION_LIMIT,
      static_cast<unsigned>(settings.connections_per_address), MHD_OPTION_CONNECTION_TIMEOUT,
      static_cast<unsigned>(settings.idle.count()), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kConnectionMemory, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK,
      &Callbacks::on_target, this, MHD_OPTION_NOTIFY_COMPLETED, &Callbacks::on_completed, this,
      MHD_OPTION_END);
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
  if (daemon_ == nullptr) return true;
  parts_.draining = true;
  close(MHD_quiesce_daemon(daemon_));
  std::unique_lock lock(mutex_);
  const bool ended = changed_.wait_for(lock, grace, [this] { return in_flight_ == 0; });
  lock.unlock();
  MHD_stop_daemon(daemon_);
  daemon_ = nullptr;
  return ended;
}

}  // namespace search_server
